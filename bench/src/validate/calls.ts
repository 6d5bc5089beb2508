import type { Message, SessionEntry, ToolCallPart } from "@plimsoll/core";
import { textOf, toolCallsOf } from "@plimsoll/core";
import { filesShownBy } from "../formats/reading-commands.ts";
import { editQuotes } from "../grounding/edit-quotes.ts";

/** What one recorded call did, as far as a compaction may show in it. */
export interface CallDeeds {
  /** Readings of a file, and those of them of a file that an earlier call had read. */
  readonly readings: number;
  readonly rereadings: number;
  readonly edits: number;
  readonly failedEdits: number;
  readonly commands: number;
  /** Commands that an earlier call had run with the very same arguments. */
  readonly repeatedCommands: number;
  /** The files that were read again, and the edits with whether they failed, for measures that are to predict them. */
  readonly rereadPaths: readonly string[];
  readonly editCalls: readonly { readonly callId: string; readonly failed: boolean }[];
}

/** One recorded model call with its place in the log. */
export interface DeedsAt {
  readonly reply: Message;
  readonly deeds: CallDeeds;
}

/** How results of editing tools begin that changed nothing although they are not marked as errors. */
const FAILED_EDIT =
  /^(?:error\b|apply_patch verification failed|no replacement was performed|failed to|could not find|string to replace not found)/i;

/** What each reply of a log did, in order. */
export function deedsOf(entries: readonly SessionEntry[]): readonly DeedsAt[] {
  const results = new Map<string, Message>();
  for (const entry of entries) {
    if (entry.type === "message" && entry.message.role === "tool-result") results.set(entry.message.callId, entry.message);
  }
  const readBefore = new Set<string>();
  const ranBefore = new Set<string>();
  return entries.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "assistant" || entry.message.origin !== "model") return [];
    const calls = toolCallsOf(entry.message);
    const read = calls.flatMap(readPaths);
    const commands = calls.filter(isCommand).map(({ toolName, argumentsJson }) => `${toolName} ${argumentsJson}`);
    const editCalls = calls
      .filter((call) => editQuotes(call).length > 0)
      .map(({ callId }) => ({ callId, failed: hasFailed(results.get(callId)) }));
    const rereadPaths = read.filter((path) => readBefore.has(path));
    const repeatedCommands = commands.filter((command) => ranBefore.has(command)).length;
    for (const path of read) readBefore.add(path);
    for (const command of commands) ranBefore.add(command);
    const deeds = {
      readings: read.length,
      rereadings: rereadPaths.length,
      edits: editCalls.length,
      failedEdits: editCalls.filter(({ failed }) => failed).length,
      commands: commands.length,
      repeatedCommands,
      rereadPaths,
      editCalls,
    };
    return [{ reply: entry.message, deeds }];
  });
}

/** The files that a call reads: by its arguments, or by a shell command that does nothing but show them. */
export function readPaths({ paths, argumentsJson }: ToolCallPart): readonly string[] {
  const named = paths.filter(({ access, path }) => access === "read" && path !== "").map(({ path }) => path);
  return named.length > 0 ? named : filesShownBy(argumentsJson);
}

/** A call that names no file and replaces no text, but runs something. */
function isCommand(call: ToolCallPart): boolean {
  return call.paths.length === 0 && editQuotes(call).length === 0 && /"(?:command|cmd|script)"/.test(call.argumentsJson);
}

function hasFailed(result: Message | undefined): boolean {
  if (result === undefined || result.role !== "tool-result") return false;
  return result.isError || FAILED_EDIT.test(textOf(result).trimStart());
}
