import type { SessionEntry } from "../entry.ts";
import { stringsIn } from "../json.ts";
import type { Message, ToolCallPart, ToolResultMessage, UserMessage } from "../message/message.ts";
import { callsAfterResult, isHuman, textOf, toolCallsOf } from "../message/message.ts";
import type { TrackedFile } from "../ports.ts";
import type { Sequence } from "../sequence.ts";
import { sequenceOf } from "../sequence.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";
import type { PathAccess } from "../tool.ts";

/** Facts that must survive any compaction, read off the log and never left to a summary. Folding an entry touches that entry alone. */
export interface Facts {
  /** The message that began the session. */
  readonly firstHuman: UserMessage | null;
  readonly lastHuman: UserMessage | null;
  /** Every access of a file, in order; `fileOperations` tells what it comes to. */
  readonly accesses: Sequence<PathAccess>;
  /** Those of them that a call names by itself, in order: of a command that shows a file there is none. */
  readonly named: Sequence<PathAccess>;
  /** Files of the agent's own tracker, with the state that it last knew. */
  readonly tracked: readonly TrackedFile[];
  /** Every call that ended, in order; `lastErrors` tells what still fails. */
  readonly outcomes: Sequence<CallOutcome>;
  /** Calls of the newest assistant message, which its results are joined to. */
  readonly openCalls: readonly ToolCallPart[];
}

/** The facts of an empty log. */
export const NO_FACTS: Facts = {
  firstHuman: null,
  lastHuman: null,
  accesses: sequenceOf(),
  named: sequenceOf(),
  tracked: [],
  outcomes: sequenceOf(),
  openCalls: [],
};

/** The facts after one more entry. Compactions and reverts change nothing: facts are about what happened, not about what is shown. */
export function foldFacts(facts: Facts, entry: SessionEntry): Facts {
  return entry.type === "message" ? withMessage(facts, entry.message) : facts;
}

/** The facts with files that enter through a file tracker of the agent's. */
export function withTrackedFiles(facts: Facts, files: readonly TrackedFile[]): Facts {
  return { ...facts, accesses: appendAll(facts.accesses, files), tracked: files };
}

function withMessage(facts: Facts, message: Message): Facts {
  if (isHuman(message)) return { ...facts, firstHuman: facts.firstHuman ?? message, lastHuman: message };
  if (message.role === "assistant") {
    const openCalls = toolCallsOf(message);
    const hasPaths = openCalls.some(({ paths }) => paths.length > 0);
    const { firstHuman, lastHuman, tracked, outcomes } = facts;
    const accesses = hasPaths ? appendAll(facts.accesses, accessesOf(message)) : facts.accesses;
    const named = hasPaths ? appendAll(facts.named, namedAccessesOf(message)) : facts.named;
    return { firstHuman, lastHuman, accesses, named, tracked, outcomes, openCalls };
  }
  if (message.role !== "tool-result") return facts;
  const call = facts.openCalls.find((each) => each.callId === message.callId);
  if (call === undefined) return facts;
  const { firstHuman, lastHuman, accesses, named, tracked, outcomes } = facts;
  const openCalls = callsAfterResult(facts.openCalls, message.callId);
  return { firstHuman, lastHuman, accesses, named, tracked, outcomes: outcomes.append(callOutcome(call, message)), openCalls };
}

function appendAll<T>(sequence: Sequence<T>, items: readonly T[]): Sequence<T> {
  return items.reduce((all, item) => all.append(item), sequence);
}

/** How one call ended: with the end of its error text, or well (`null`). */
export interface CallOutcome {
  readonly toolName: string;
  readonly argumentsJson: string;
  readonly error: string | null;
}

/** Characters of an error's end that are kept: its last lines say what failed; chosen. */
const ERROR_CHARS = 400;

/** The outcome of a call with its result. */
export function callOutcome(call: ToolCallPart, result: ToolResultMessage): CallOutcome {
  const { toolName, argumentsJson } = call;
  return { toolName, argumentsJson, error: result.isError ? lastChars(textOf(result).trimEnd()) : null };
}

/** The last error of each call that failed and has not succeeded since, oldest first. */
export function lastErrors(outcomes: Iterable<CallOutcome>): readonly (CallOutcome & { readonly error: string })[] {
  // By tool, then by arguments: a key made of both would be a new string, hashed anew, for every call at every compaction. Of calls whose tool
  // never failed no arguments are looked at.
  const failing = new Map<string, Map<string, Failure>>();
  let order = 0;
  for (const { toolName, argumentsJson, error } of outcomes) {
    order += 1;
    const ofTool = failing.get(toolName);
    if (error === null) ofTool?.delete(argumentsJson);
    else {
      const failure = { order, outcome: { toolName, argumentsJson, error } };
      if (ofTool === undefined) failing.set(toolName, new Map([[argumentsJson, failure]]));
      else ofTool.set(argumentsJson, failure);
    }
  }
  return [...failing.values()]
    .flatMap((ofTool) => [...ofTool.values()])
    .sort((a, b) => a.order - b.order)
    .map(({ outcome }) => outcome);
}

interface Failure {
  readonly order: number;
  readonly outcome: CallOutcome & { readonly error: string };
}

function lastChars(text: string): string {
  const start = text.length - ERROR_CHARS;
  return start <= 0 ? text : text.slice(characterBoundaryAtOrBefore(text, start));
}

/** Collects the operations of a session on each path, least recently touched first. A path that was read and modified counts as modified. */
export function fileOperations(accesses: Iterable<PathAccess>): ReadonlyMap<string, PathAccess["access"]> {
  const files = new Map<string, PathAccess["access"]>();
  let newest: string | null = null;
  for (const { path, access } of accesses) {
    // Calls often touch one file after the other: it is the last already.
    if (path === newest && access === "read") continue;
    newest = path;
    const strongest = files.get(path) === "modify" ? "modify" : access;
    files.delete(path);
    files.set(path, strongest);
  }
  return files;
}

/** The paths that a message's calls touch. */
export function accessesOf(message: Message): readonly PathAccess[] {
  return toolCallsOf(message).flatMap((call) => call.paths);
}

/** The paths that a message's calls change, or name whole in their arguments, as a tool that reads a file does and a command does not. One pass. */
export function namedAccessesOf(message: Message): readonly PathAccess[] {
  return toolCallsOf(message).flatMap(({ paths, argumentsJson }) => {
    if (paths.every(({ access }) => access === "modify")) return paths;
    const named = new Set(stringsIn(argumentsJson));
    return paths.filter(({ path, access }) => access === "modify" || named.has(path));
  });
}
