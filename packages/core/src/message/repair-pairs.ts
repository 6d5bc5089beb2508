import { shortHash } from "../hash.ts";
import { isUsableCallId, type WireRules, type WireViolationCode } from "./check.ts";
import { type Message, type ToolCallPart, toolCallsOf } from "./message.ts";
import { createWaitingCalls, type WaitingCalls } from "./waiting-calls.ts";

/** The kind of a repair: a result moved to its call, a message or part taken out, a result made up, an id made usable, half characters replaced. */
export type RepairAction = "replace-characters" | "move" | "remove-message" | "remove-part" | "add-result" | "rename";

/** One repair: what was wrong, at which message of the list as it was given, with which call or message id, and what was done. */
export interface Repair {
  readonly code: WireViolationCode;
  readonly index: number;
  readonly subject: string;
  readonly action: RepairAction;
}

/** A message with the index at which it stood before anything was left out. */
interface Numbered {
  readonly message: Message;
  readonly index: number;
}

/** One call with the id that it goes by and the position of its result. */
export interface CallPlace {
  readonly part: ToolCallPart;
  /** The call's own id, or another if that one is taken or not usable. */
  readonly callId: string;
  /** Position of its result in the list; `null` for a call that was never answered. */
  readonly answer: number | null;
  readonly answerComesLater: boolean;
  /** Whether all results of its message are between that message and the next one that is no result. */
  readonly batchStays: boolean;
}

/** Which result answers which call. Positions are those of the list that was given. */
export interface Pairs {
  readonly callsOf: ReadonlyMap<number, readonly CallPlace[]>;
  readonly callOf: ReadonlyMap<number, CallPlace>;
  /** Results left out or moved, results to be made up, and call ids to be changed. */
  readonly repairs: readonly Repair[];
}

/**
 * Joins results to calls by call id. If several calls have one id, a result answers the newest call message before it that still
 * waits for one; a result that comes before every call of its id answers the first that would otherwise have none.
 */
export function pairResults(list: readonly Numbered[], rules: WireRules): Pairs {
  const answers = answersOf(list);
  const repairs: Repair[] = [...answers.left];
  const naming = callNaming(rules);
  const callsOf = new Map<number, readonly CallPlace[]>();
  const callOf = new Map<number, CallPlace>();
  for (const [position, calls] of answers.calls) {
    const index = list[position]?.index ?? 0;
    const batchStays = calls.every((call) => call.answer !== null && answers.batchOf[call.answer] === position);
    const places = calls.map((call): CallPlace => {
      const { callId, code } = naming(call.part.callId);
      if (code !== null) repairs.push({ code, index, subject: call.part.callId, action: "rename" });
      if (call.answer === null)
        repairs.push({ code: "call-without-result", index, subject: call.part.callId, action: "add-result" });
      const answerComesLater = call.answer !== null && call.answer > position;
      return { part: call.part, callId, answer: call.answer, answerComesLater, batchStays };
    });
    callsOf.set(position, places);
    for (const place of places) {
      if (place.answer === null) continue;
      callOf.set(place.answer, place);
      const isInPlace =
        rules.resultPlacement === "right-after-call" ? answers.batchOf[place.answer] === position : place.answerComesLater;
      const code = place.answerComesLater ? "result-not-after-call" : "result-without-call";
      const resultIndex = list[place.answer]?.index ?? 0;
      if (!isInPlace) repairs.push({ code, index: resultIndex, subject: place.part.callId, action: "move" });
    }
  }
  return { callsOf, callOf, repairs };
}

interface OpenCall {
  readonly part: ToolCallPart;
  answer: number | null;
}

interface Answers {
  readonly calls: ReadonlyMap<number, readonly OpenCall[]>;
  /** For each position the position of the last message at or before it that is no result. */
  readonly batchOf: readonly number[];
  readonly left: readonly Repair[];
}

function answersOf(list: readonly Numbered[]): Answers {
  const calls = new Map<number, readonly OpenCall[]>();
  const waiting = createWaitingCalls<OpenCall>();
  const met = new Set<string>();
  const early: { readonly callId: string; readonly position: number }[] = [];
  const batchOf: number[] = [];
  const left: Repair[] = [];
  const leave = (callId: string, position: number) => {
    const code = met.has(callId) ? "duplicate-result" : "result-without-call";
    left.push({ code, index: list[position]?.index ?? 0, subject: callId, action: "remove-message" });
  };
  for (const [position, { message }] of list.entries()) {
    if (message.role !== "tool-result") {
      batchOf.push(position);
      const open = toolCallsOf(message).map((part): OpenCall => ({ part, answer: null }));
      if (open.length > 0) calls.set(position, open);
      for (const call of open) met.add(call.part.callId);
      waiting.met(open.map((call) => [call.part.callId, call] as const));
      continue;
    }
    batchOf.push(batchOf[position - 1] ?? -1);
    const call = waiting.answered(message.callId);
    if (call !== null) call.answer = position;
    else if (met.has(message.callId)) leave(message.callId, position);
    else early.push({ callId: message.callId, position });
  }
  const unanswered = firstUnanswered(waiting);
  for (const { callId, position } of early) {
    const call = unanswered(callId);
    if (call === undefined) leave(callId, position);
    else call.answer = position;
  }
  return { calls, batchOf, left };
}

/** Hands out the calls of an id that no result has answered, oldest first, each once. */
function firstUnanswered(waiting: WaitingCalls<OpenCall>): (callId: string) => OpenCall | undefined {
  const queues = new Map<string, Iterator<OpenCall>>();
  return (callId) => {
    const queue = queues.get(callId) ?? waiting.left(callId).values();
    queues.set(callId, queue);
    return queue.next().value;
  };
}

/** Gives each call its id, in order: its own if that is usable and free. */
function callNaming(
  rules: WireRules,
): (callId: string) => { callId: string; code: "duplicate-call-id" | "unusable-call-id" | null } {
  const seen = new Map<string, number>();
  return (callId) => {
    const times = (seen.get(callId) ?? 0) + 1;
    seen.set(callId, times);
    if (times === 1 && isUsableCallId(callId, rules)) return { callId, code: null };
    const other = shortHash(`${callId}\n${times}`).slice(0, rules.maximumCallIdChars ?? undefined);
    return { callId: other, code: times > 1 ? "duplicate-call-id" : "unusable-call-id" };
  };
}
