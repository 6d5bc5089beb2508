import { PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";
import { shortHash } from "../text.ts";
import type { WaitingCalls, WireRules, WireViolationCode } from "./check.ts";
import { createWaitingCalls, isBlankText, isUsableCallId, STRICT_WIRE_RULES } from "./check.ts";
import type { Message, Part, ToolCallPart, ToolResultMessage } from "./message.ts";
import { toolCallsOf, wellFormedMessage } from "./message.ts";

/** A list that can be sent, and how it differs from the one that was given. */
export interface RepairedMessages {
  /** The very array that was given if nothing was wrong with it. */
  readonly messages: readonly Message[];
  /** For each message its index before; `null` for a result that was made up. */
  readonly sourceIndexes: readonly (number | null)[];
  readonly repairs: readonly Repair[];
}

/** The text of the result that is made up for a call that was never answered. */
export const MISSING_RESULT_TEXT = "[No result: the call was interrupted, or its result was not recorded.]";

/**
 * Makes a list sendable. Late results move to their call; an unanswered call gets an error result right behind it; a duplicate id gets a new one; half a surrogate pair
 * becomes U+FFFD; results without a call, second results, blank text, blank messages and trailing reasoning go. Untouched messages keep their identity; linear in the
 * list. A list that passes `checkMessages` comes back unchanged. It keeps faults of a list's beginning, end and length, and those that encoding repairs. It can't repair
 * an empty list.
 */
export function repairMessages(messages: readonly Message[], rules: WireRules = STRICT_WIRE_RULES): RepairedMessages {
  if (!Array.isArray(messages) || !messages.every((each) => isRecord(each) && Array.isArray(each.parts)))
    throw new PlimsollError("bad-input", "repairMessages takes a list of messages, each with its parts", { key: "messages" });
  const repairs: Repair[] = [];
  const kept = messages.flatMap((given, index) => {
    const record = (code: WireViolationCode, action: RepairAction) => repairs.push({ code, index, subject: given.id, action });
    const message = rules.malformedText === "accept" ? given : wellFormedMessage(given);
    if (message !== given) record("malformed-text", "replace-characters");
    const usable = withUsableContent(message, rules, record);
    return usable === null ? [] : [{ message: usable, index }];
  });
  const pairs = pairResults(kept, rules);
  for (const each of pairs.repairs) repairs.push(each);
  const placed = withOwnIds(placeResults(kept, pairs, rules), repairs);
  if (repairs.length === 0) return { messages, repairs, sourceIndexes: messages.map((_, index) => index) };
  return {
    messages: placed.map((each) => each.message),
    sourceIndexes: placed.map((each) => each.index),
    repairs: repairs.sort((a, b) => a.index - b.index),
  };
}

interface Placed {
  readonly message: Message;
  readonly index: number | null;
}

function withUsableContent(
  message: Message,
  rules: WireRules,
  record: (code: WireViolationCode, action: RepairAction) => void,
): Message | null {
  if (message.role === "tool-result") return message;
  const isSent = (part: Part) => rules.emptyContent === "accept" || !isBlankText(part);
  const lastWords = message.parts.findLastIndex((part) => part.type !== "reasoning" && isSent(part));
  const end = rules.trailingReasoning === "accept" ? message.parts.length : lastWords + 1;
  const isKept = (part: Part, index: number) => index < end && isSent(part);
  if (lastWords < 0 && rules.emptyContent === "reject") {
    record("empty-content", "remove-message");
    return null;
  }
  if (end === 0 && message.parts.length > 0) {
    record("reasoning-at-end", "remove-message");
    return null;
  }
  if (message.parts.every(isKept)) return message;
  if (!message.parts.every(isSent)) record("empty-content", "remove-part");
  if (message.parts.some((part, index) => index >= end && isSent(part))) record("reasoning-at-end", "remove-part");
  return message.role === "user"
    ? { ...message, parts: message.parts.filter(isKept) }
    : { ...message, parts: message.parts.filter(isKept) };
}

/** Every message but misplaced results in its place, and behind each call message the results that belong there. */
function placeResults(kept: readonly { message: Message; index: number }[], pairs: Pairs, rules: WireRules): readonly Placed[] {
  const placed: Placed[] = [];
  for (const [position, { message, index }] of kept.entries()) {
    if (message.role === "tool-result") {
      const call = pairs.callOf.get(position);
      if (call !== undefined && stays(call, rules)) placed.push({ message: answering(message, call), index });
      continue;
    }
    const calls = pairs.callsOf.get(position) ?? [];
    placed.push({ message: withCallIds(message, calls), index });
    if (calls.every((call) => call.answer !== null && stays(call, rules))) continue;
    for (const call of calls) {
      const answer = call.answer === null ? undefined : kept[call.answer];
      if (answer === undefined) placed.push({ message: missingResult(message, call), index: null });
      else if (answer.message.role === "tool-result" && !stays(call, rules))
        placed.push({ message: answering(answer.message, call), index: answer.index });
    }
  }
  return placed;
}

function stays(call: CallPlace, rules: WireRules): boolean {
  return rules.resultPlacement === "right-after-call" ? call.batchStays : call.answerComesLater;
}

function answering(result: ToolResultMessage, call: CallPlace): ToolResultMessage {
  return call.callId === result.callId ? result : { ...result, callId: call.callId };
}

/** The message with its calls under the ids that they go by; `calls` are its calls in order. */
function withCallIds(message: Message, calls: readonly CallPlace[]): Message {
  if (message.role !== "assistant" || calls.every((call) => call.callId === call.part.callId)) return message;
  const ids = calls.map((call) => call.callId).values();
  const parts = message.parts.map((part) => {
    if (part.type !== "tool-call") return part;
    const callId = ids.next().value ?? part.callId;
    return callId === part.callId ? part : { ...part, callId };
  });
  return { ...message, parts };
}

function missingResult(caller: Message, call: CallPlace): ToolResultMessage {
  return {
    role: "tool-result",
    id: shortHash(`missing-result\n${caller.id}\n${call.callId}`),
    callId: call.callId,
    toolName: call.part.toolName,
    isError: true,
    category: "generic",
    parts: [{ type: "text", text: MISSING_RESULT_TEXT }],
    atMs: caller.atMs,
  };
}

/** Gives each message whose id an earlier one has an id that follows from it. */
function withOwnIds(placed: readonly Placed[], repairs: Repair[]): readonly Placed[] {
  const seen = new Map<string, number>();
  return placed.map((each) => {
    const { id } = each.message;
    const times = (seen.get(id) ?? 0) + 1;
    seen.set(id, times);
    if (times === 1) return each;
    if (each.index !== null) repairs.push({ code: "duplicate-message-id", index: each.index, subject: id, action: "rename" });
    return { ...each, message: { ...each.message, id: shortHash(`${id}\n${times}`) } };
  });
}

/** The kind of a repair: a result moved to its call, a message or part taken out, a result made up, an id made usable, half characters replaced. */
type RepairAction = "replace-characters" | "move" | "remove-message" | "remove-part" | "add-result" | "rename";

/** One repair: the fault, its message in the list as it was given, its call or message id, and the remedy. */
interface Repair {
  readonly code: WireViolationCode;
  readonly index: number;
  readonly subject: string;
  readonly action: RepairAction;
}

interface Numbered {
  readonly message: Message;
  readonly index: number;
}

/** One call with the id that it goes by and the position of its result. */
interface CallPlace extends Readonly<OpenCall> {
  /** The call's own id, or another if that one is taken or not usable. */
  readonly callId: string;
  readonly answerComesLater: boolean;
  /** Whether all results of its message are between that message and the next one that is no result. */
  readonly batchStays: boolean;
}

/** Which result answers which call. Positions are those of the list that was given. */
interface Pairs {
  readonly callsOf: ReadonlyMap<number, readonly CallPlace[]>;
  readonly callOf: ReadonlyMap<number, CallPlace>;
  /** Results left out or moved, results to be made up, and call ids to be changed. */
  readonly repairs: readonly Repair[];
}

/** Of several calls with one id, a result answers the newest before it that still waits; one before all of them the first that would otherwise have none. */
function pairResults(list: readonly Numbered[], rules: WireRules): Pairs {
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
      return { ...call, callId, answerComesLater: call.answer !== null && call.answer > position, batchStays };
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
  /** Position of its result in the list; `null` for a call that was never answered. */
  answer: number | null;
}

/** Joins results to calls; `batchOf` has for each position that of the last message at or before it that is no result. */
function answersOf(list: readonly Numbered[]) {
  const calls = new Map<number, readonly OpenCall[]>();
  const waiting = createWaitingCalls<OpenCall>();
  const early: { readonly callId: string; readonly position: number }[] = [];
  const batchOf: number[] = [];
  const left: Repair[] = [];
  const leave = (callId: string, position: number) => {
    const code = waiting.newest(callId) === null ? "result-without-call" : "duplicate-result";
    left.push({ code, index: list[position]?.index ?? 0, subject: callId, action: "remove-message" });
  };
  for (const [position, { message }] of list.entries()) {
    if (message.role !== "tool-result") {
      batchOf.push(position);
      const open = toolCallsOf(message).map((part): OpenCall => ({ part, answer: null }));
      if (open.length > 0) calls.set(position, open);
      for (const call of open) waiting.met(call.part.callId, call, position);
      continue;
    }
    batchOf.push(batchOf[position - 1] ?? -1);
    const call = waiting.answered(message.callId);
    if (call !== null) call.answer = position;
    else if (waiting.newest(message.callId) !== null) leave(message.callId, position);
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
