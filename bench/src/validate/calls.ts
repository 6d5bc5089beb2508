import { type Message, type SessionEntry, type ToolCallPart, textOf, toolCallsOf } from "@plimsoll/core";
import { editQuotes } from "../needs/files.ts";
import { comparableText } from "../needs/texts.ts";

/** The deeds of one recorded call, as far as a compaction may show in them. */
export interface CallDeeds {
  readonly reply: Message;
  /** Its readings: each file with the text that came back. */
  readonly readings: readonly Reading[];
  /** Of these files, those of which it mostly saw lines that had been read before and that it had not changed since. */
  readonly rereadPaths: readonly string[];
  /** The files that it changed. */
  readonly changedPaths: readonly string[];
  /** Edits by a quoted text, without those that a person refused or that never ended. */
  readonly edits: number;
  readonly failedEdits: number;
  readonly commands: number;
  /** Commands that an earlier call had run with the very same arguments. */
  readonly repeatedCommands: number;
}

/** A file as it was read. */
interface Reading {
  readonly path: string;
  readonly text: string;
}

/** A reading is one again if at least this share of its lines had been read before; chosen: another range of a file is none. */
const KNOWN_SHARE = 0.5;

/** Lists the deeds of each reply of a log, in order. Linear in the log. */
export function deedsOf(entries: readonly SessionEntry[]): readonly CallDeeds[] {
  const results = new Map<string, Message>();
  for (const entry of entries) {
    if (entry.type === "message" && entry.message.role === "tool-result") results.set(entry.message.callId, entry.message);
  }
  const known = createKnownLines();
  const ranBefore = new Set<string>();
  return entries.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "assistant" || entry.message.origin !== "model") return [];
    const calls = toolCallsOf(entry.message).map((call) => ({ call, outcome: outcomeOf(results.get(call.callId)) }));
    const done = calls.filter(({ outcome }) => outcome.kind === "done");
    const readings = done.flatMap(({ call, outcome }) => readPaths(call).map((path) => ({ path, text: outcome.text })));
    const edits = calls.filter(({ call, outcome }) => editQuotes(call).length > 0 && outcome.kind !== "none");
    const changed = done.flatMap(({ call }) => call.paths.filter(({ access }) => access === "modify").map(({ path }) => path));
    const commands = calls.flatMap(({ call }) => (isCommand(call) ? [`${call.toolName} ${call.argumentsJson}`] : []));
    const deeds = {
      reply: entry.message,
      readings,
      rereadPaths: readings.filter(known.hasMostOf).map(({ path }) => path),
      changedPaths: changed,
      edits: edits.length,
      failedEdits: edits.filter(({ outcome }) => outcome.kind === "failed").length,
      commands: commands.length,
      repeatedCommands: commands.filter((command) => ranBefore.has(command)).length,
    };
    for (const path of changed) known.forget(path);
    for (const reading of readings) known.add(reading);
    for (const command of commands) ranBefore.add(command);
    return [deeds];
  });
}

/** The files that a call reads. */
function readPaths({ paths }: ToolCallPart): readonly string[] {
  return paths.filter(({ access, path }) => access === "read" && path !== "").map(({ path }) => path);
}

/** A call that names no file and replaces no text, but runs something. */
function isCommand(call: ToolCallPart): boolean {
  if (call.paths.length > 0 || !/"(?:command|cmd|script)"/.test(call.argumentsJson)) return false;
  return editQuotes(call).length === 0;
}

/** How a call ended; `none` if it did not, or if a person refused it. */
interface CallOutcome {
  readonly kind: "done" | "failed" | "none";
  readonly text: string;
}

/** How results of editing tools begin that changed nothing although they are not marked as errors. */
const FAILED_EDIT =
  /^(?:error\b|apply_patch verification failed|no replacement was performed|failed to|could not find|string to replace not found)/i;

/** How results begin if a person did not let the call happen. */
const REFUSED =
  /^(?:the user doesn't want|user (?:rejected|declined|denied)|(?:the )?(?:request|tool use) was (?:rejected|interrupted)|\[request interrupted)/i;

function outcomeOf(result: Message | undefined): CallOutcome {
  if (result === undefined || result.role !== "tool-result") return { kind: "none", text: "" };
  const text = textOf(result);
  const start = text.trimStart();
  if (result.isError && REFUSED.test(start)) return { kind: "none", text };
  return { kind: result.isError || FAILED_EDIT.test(start) ? "failed" : "done", text };
}

interface KnownLines {
  hasMostOf(reading: Reading): boolean;
  add(reading: Reading): void;
  forget(path: string): void;
}

/** The lines of each file that were read since it was changed last. */
function createKnownLines(): KnownLines {
  const byPath = new Map<string, Set<string>>();
  return {
    hasMostOf({ path, text }) {
      const known = byPath.get(path);
      const lines = filledLines(text);
      return (
        known !== undefined && lines.length > 0 && lines.filter((line) => known.has(line)).length >= KNOWN_SHARE * lines.length
      );
    },
    add({ path, text }) {
      const known = byPath.get(path) ?? new Set();
      for (const line of filledLines(text)) known.add(line);
      byPath.set(path, known);
    },
    forget: (path) => void byPath.delete(path),
  };
}

/** The lines of a text that are not empty, comparable. */
export function filledLines(text: string): readonly string[] {
  return comparableText(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
}
