import { isRecord, jsonIn, stringsIn } from "../json.ts";
import type { Message, ToolCallPart } from "../message/message.ts";
import { callsAfterResult, isHuman, oncePerMessage, textOf, toolCallsOf } from "../message/message.ts";
import type { TrackedFile } from "../ports.ts";
import { type Sequence, sequenceOf } from "../sequence.ts";
import { characterBoundaryAtOrAfter, characterBoundaryAtOrBefore, suffixStart, utf8Bytes } from "../text.ts";
import type { PathAccess } from "../tool.ts";
import { keepingDiagnoses } from "../truncation/diagnoses.ts";
import type { Cutter } from "../truncation/span.ts";
import { type RunningThing, withNotice, withResult } from "./running.ts";

/**
 * The record of a session's state: the plan, files, running things, errors. It is read off the log, never left to a summary; nothing in it is recognised by
 * freely chosen words. Folding a message touches only that message.
 */
export interface Facts {
  /** The newest plan in its present state, with the message that wrote it last; `null` if there was none. */
  readonly plan: KnownPlan | null;
  /** The newest last. */
  readonly running: readonly RunningThing[];
  /** Every access of a file, in order; `fileOperations` gives the result. */
  readonly accesses: Sequence<PathAccess>;
  /** Those of them that a call names by itself, in order: of a command that shows a file there is none. */
  readonly named: Sequence<PathAccess>;
  /** Files of the agent's own tracker, with the state that it last knew. */
  readonly tracked: readonly TrackedFile[];
  /** Every call that ended, in order; `lastErrors` gives the present failures. */
  readonly outcomes: Sequence<CallOutcome>;
  /** Calls of the newest assistant message, which its results are joined to. */
  readonly openCalls: readonly ToolCallPart[];
}

/** The facts of an empty log. */
export const NO_FACTS: Facts = {
  plan: null,
  running: [],
  accesses: sequenceOf(),
  named: sequenceOf(),
  tracked: [],
  outcomes: sequenceOf(),
  openCalls: [],
};

/** The facts with files that enter through a file tracker of the agent's. */
export function withTrackedFiles(facts: Facts, files: readonly TrackedFile[]): Facts {
  return { ...facts, accesses: appendAll(facts.accesses, files), tracked: files };
}

/** Returns the facts after one more message. */
export function foldFacts(facts: Facts, message: Message): Facts {
  if (isHuman(message)) return facts;
  if (message.role === "assistant" && message.origin === "model") {
    const { openCalls, planning, accesses, named } = readReply(message);
    return {
      ...facts,
      plan: planning.reduce((plan, call) => planOf(plan, message.id, call), facts.plan),
      accesses: appendAll(facts.accesses, accesses),
      named: appendAll(facts.named, named),
      openCalls,
    };
  }
  if (message.role !== "tool-result") {
    const running = withNotice(facts.running, message);
    return running === facts.running ? facts : { ...facts, running };
  }
  const call = facts.openCalls.find((each) => each.callId === message.callId);
  if (call === undefined) return facts;
  const { toolName, argumentsJson } = call;
  return {
    ...facts,
    running: withResult(facts.running, call, message),
    outcomes: facts.outcomes.append({ toolName, argumentsJson, error: message.isError ? diagnosisOf(message) : null }),
    openCalls: callsAfterResult(facts.openCalls, message.callId),
  };
}

/** The calls of a reply, those that may write a plan, and the files that they touch. Read once. */
const readReply = oncePerMessage((message) => {
  const openCalls = toolCallsOf(message);
  const planning = openCalls.filter(({ argumentsJson }) => PLAN_KEY.test(argumentsJson) || TASK_KEY.test(argumentsJson));
  return { openCalls, planning, accesses: accessesOf(message), named: namedAccessesOf(message) };
});

/** A plan, and the message that wrote it last. */
export interface KnownPlan {
  readonly messageId: string;
  /** True if that message has all of it. */
  readonly isWhole: boolean;
  readonly items: readonly PlanItem[];
  /** Items that an earlier form of it had, that were not done and are not in it any more; the newest last. */
  readonly dropped: readonly string[];
}

/** Items of given-up plans that are remembered; chosen: of recorded plans most are headings that a list took the place of. */
const MOST_DROPPED = 6;

function planOf(plan: KnownPlan | null, messageId: string, { argumentsJson }: ToolCallPart): KnownPlan | null {
  const known = plan?.items ?? [];
  const items = planAfter(known, argumentsJson);
  // An update of an unknown task changes nothing.
  if (items === null || (items.length === known.length && items.every((item, at) => item === known[at]))) return plan;
  const texts = new Set(items.map(({ text }) => text));
  const isWhole = planItems(argumentsJson) !== null;
  const left = known.filter(({ text, status }) => isWhole && !texts.has(text) && !isDone(status)).map(({ text }) => text);
  const dropped = [...(plan?.dropped ?? []).filter((text) => !texts.has(text)), ...left].slice(-MOST_DROPPED);
  return { messageId, isWhole, items, dropped };
}

function appendAll<T>(sequence: Sequence<T>, items: readonly T[]): Sequence<T> {
  return items.reduce((all, item) => all.append(item), sequence);
}

/** How one call ended: with its error in few words, or well (`null`). */
export interface CallOutcome {
  readonly toolName: string;
  readonly argumentsJson: string;
  readonly error: string | null;
}

/** Characters of an error that are kept, and the part of them for lines before its end: test runners end with a summary of 230. Chosen. */
const ERROR_CHARS = 400;
const BEFORE_END_RATIO = 0.4;

/** The last error of each call that failed and has not succeeded since, oldest first. By tool, then by arguments: a key of both would be hashed anew for every call. */
export function lastErrors(outcomes: Iterable<CallOutcome>): readonly Failure[] {
  const failing = new Map<string, Map<string, Failure>>();
  const last = new Set<Failure>();
  for (const { toolName, argumentsJson, error } of outcomes) {
    const ofTool = failing.get(toolName);
    const before = ofTool?.get(argumentsJson);
    if (before !== undefined) last.delete(before);
    ofTool?.delete(argumentsJson);
    if (error === null) continue;
    const failure = { toolName, argumentsJson, error };
    last.add(failure);
    failing.set(toolName, (ofTool ?? new Map<string, Failure>()).set(argumentsJson, failure));
  }
  return [...last];
}

type Failure = CallOutcome & { readonly error: string };

/** Replaces the omitted part of an error. */
const GAP = "\n…\n";

/** Of a longer error its two ends are read, each half of so many characters; chosen. */
const MOST_READ_CHARS = 100_000;

/** An error in {@link ERROR_CHARS}: its end, and before it the lines that name the failure. Read once. */
const diagnosisOf = oncePerMessage((result) => {
  const whole = textOf(result).trimEnd();
  if (whole.length <= ERROR_CHARS) return whole;
  const [before, after] = [characterBoundaryAtOrBefore, characterBoundaryAtOrAfter];
  const [head, tail] = [before(whole, MOST_READ_CHARS / 2), after(whole, whole.length - MOST_READ_CHARS / 2)];
  const text = head >= tail ? whole : `${whole.slice(0, head)}${GAP}${whole.slice(tail)}`;
  const end: Cutter = ({ text, roomBytes }) => [{ start: suffixStart(text, roomBytes), end: text.length }];
  const kept = keepingDiagnoses(end, BEFORE_END_RATIO)({ text, roomBytes: ERROR_CHARS - GAP.length, gapBytes: utf8Bytes(GAP) });
  return kept.map(({ start, end }) => text.slice(after(text, start), before(text, end)).trim()).join(GAP);
});

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

/**
 * Returns the plan after a call. A whole plan replaces it; a task is added, or changed by its number in order of creation, as Claude Code's TaskCreate and TaskUpdate do
 * (seen in recordings of November 2026). `null` for a call that writes no plan.
 */
export function planAfter(plan: readonly PlanItem[], argumentsJson: string): readonly PlanItem[] | null {
  const whole = planItems(argumentsJson);
  if (whole !== null || !TASK_KEY.test(argumentsJson)) return whole;
  const { subject, description, taskId, status } = parsedObject(argumentsJson);
  if (isText(subject) && isText(description) && taskId === undefined)
    return [...plan, { text: subject, status: "pending" }].slice(0, MOST_ITEMS);
  if (!isText(taskId) || !(isText(status) || isText(subject))) return null;
  const changed = (item: PlanItem): PlanItem => ({
    text: isText(subject) ? subject : item.text,
    status: isText(status) ? status : item.status,
  });
  return plan.map((item, index) => (index + 1 === Number(taskId) ? changed(item) : item));
}

/** Items of a plan that are remembered, its first: each call that changes one copies it. Chosen. */
const MOST_ITEMS = 1_000;

/** Arguments are parsed only if they have one of these keys: of a whole plan, or of a task. */
const PLAN_KEY = /"(?:status|plan)"/;
const TASK_KEY = /"(?:subject|taskId)"/;

/** An item of a plan: a task, and its status in the model's own words. */
export interface PlanItem {
  readonly text: string;
  readonly status: string;
}

/**
 * The items of the plan or list of tasks in a call's arguments, in their order. A plan is recognised by its shape and not by a tool's name: a list of
 * items with a text and a status each, or a text named `plan`, whose headings and list items it is. `null` if the arguments hold none.
 */
export function planItems(argumentsJson: string): readonly PlanItem[] | null {
  if (!PLAN_KEY.test(argumentsJson)) return null;
  const args = parsedObject(argumentsJson);
  for (const value of Object.values(args)) {
    if (!Array.isArray(value) || value.length === 0) continue;
    const items = value.flatMap((item) => planItem(item) ?? []);
    if (items.length === value.length) return items.slice(0, MOST_ITEMS);
  }
  if (!isText(args.plan)) return null;
  const lines = args.plan.split("\n").flatMap((line) => LISTED_LINE.exec(line.trim())?.[1] ?? []);
  const texts = lines.length === 0 ? [args.plan.trim()] : lines;
  return texts.map((text) => ({ text, status: "pending" as const })).slice(0, MOST_ITEMS);
}

/** A line of Markdown, without white space at its ends, that is an item of a list, or a heading. */
const LISTED_LINE = /^(?:#{1,6}|[-*+]|\d+[.)])\s+(\S.*)$/;

function parsedObject(argumentsJson: string): Readonly<Record<string, unknown>> {
  // A call that the model did not finish is no plan.
  const parsed = jsonIn(argumentsJson);
  return isRecord(parsed) ? parsed : {};
}

/** The names under which agents write an item's text, seen in recorded sessions; of other names the longest text is it. */
const TEXT_KEYS = ["content", "step", "description", "title", "text"] as const;

function planItem(item: unknown): PlanItem | null {
  if (!isRecord(item) || typeof item.status !== "string") return null;
  const texts = Object.entries(item).flatMap(([key, value]) => (key !== "status" && isText(value) ? [value] : []));
  const [longest] = texts.toSorted((a, b) => b.length - a.length);
  const text = TEXT_KEYS.map((key) => item[key]).find(isText) ?? longest;
  return text === undefined ? null : { text, status: item.status };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Agents' words for items that are done, and items that were given up, in lower case; seen in recorded sessions. */
const DONE = ["completed", "complete", "done", "closed"];
const GIVEN_UP = ["cancelled", "canceled", "skipped", "deleted"];

/** True for the status of an item that is done. */
export function isDone(status: string): boolean {
  return DONE.includes(status.toLowerCase());
}

/** True for the status of an item that was given up. */
export function isGivenUp(status: string): boolean {
  return GIVEN_UP.includes(status.toLowerCase());
}
