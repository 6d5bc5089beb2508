import { PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";
import { shortHash } from "../text.ts";
import type { WaitingCalls, WireRules, WireViolation, WireViolationCode } from "./check.ts";
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
  const placed = withOwnIds(placeResults(kept, pairs), repairs);
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
function placeResults(kept: readonly Kept[], { callsOf, callOf }: Pairs): readonly Placed[] {
  const placed: Placed[] = [];
  for (const [position, { message, index }] of kept.entries()) {
    if (message.role === "tool-result") {
      const call = callOf.get(position);
      if (call?.stays === true) placed.push({ message: answering(message, call), index });
      continue;
    }
    const calls = callsOf.get(position) ?? [];
    placed.push({ message: withCallIds(message, calls), index });
    if (calls.every(({ answer, stays }) => answer !== null && stays)) continue;
    for (const call of calls) {
      const answer = call.answer === null ? undefined : kept[call.answer];
      if (answer === undefined) placed.push({ message: missingResult(message, call), index: null });
      else if (answer.message.role === "tool-result" && !call.stays)
        placed.push({ message: answering(answer.message, call), index: answer.index });
    }
  }
  return placed;
}

function answering(result: ToolResultMessage, { callId }: Call): ToolResultMessage {
  return callId === result.callId ? result : { ...result, callId };
}

/** The message with its calls under the ids that they go by; `calls` are its calls in order. */
function withCallIds(message: Message, calls: readonly Call[]): Message {
  if (message.role !== "assistant" || calls.every((call) => call.callId === call.part.callId)) return message;
  const ids = calls.map((call) => call.callId).values();
  const parts = message.parts.map((part) => {
    if (part.type !== "tool-call") return part;
    const callId = ids.next().value ?? part.callId;
    return callId === part.callId ? part : { ...part, callId };
  });
  return { ...message, parts };
}

function missingResult(caller: Message, call: Call): ToolResultMessage {
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
interface Repair extends WireViolation {
  readonly action: RepairAction;
}

interface Kept extends Placed {
  readonly index: number;
}

/** One call. `answer` is the place of its result among the kept messages; `null` if it was never answered. */
interface Call {
  readonly part: ToolCallPart;
  answer: number | null;
  /** Its own id, or another if that one is taken or not usable. */
  callId: string;
  /** Whether its result, or by the rules those of all calls of its message, may stay in their place. */
  stays: boolean;
}

/** Which result answers which call, by the places of kept messages. */
interface Pairs {
  readonly callsOf: ReadonlyMap<number, readonly Call[]>;
  readonly callOf: ReadonlyMap<number, Call>;
  /** Results left out or moved, results to be made up, and call ids to be changed. */
  readonly repairs: readonly Repair[];
}

/** Of several calls with one id, a result answers the newest before it that still waits; one before all of them the first that would otherwise have none. */
function pairResults(kept: readonly Kept[], rules: WireRules): Pairs {
  const callsOf = new Map<number, readonly Call[]>();
  const callOf = new Map<number, Call>();
  const repairs: Repair[] = [];
  const record = (code: WireViolationCode, action: RepairAction, { at, subject }: { at: number; subject: string }) =>
    repairs.push({ code, index: kept[at]?.index ?? 0, subject, action });
  const waiting = createWaitingCalls<Call>();
  const early: { readonly subject: string; readonly at: number }[] = [];
  /** For each place that of the last message at or before it that is no result. */
  const batchOf: number[] = [];
  const leave = (result: { subject: string; at: number }) =>
    record(waiting.newest(result.subject) === null ? "result-without-call" : "duplicate-result", "remove-message", result);
  for (const [at, { message }] of kept.entries()) {
    if (message.role !== "tool-result") {
      batchOf.push(at);
      const calls = toolCallsOf(message).map((part): Call => ({ part, answer: null, callId: part.callId, stays: false }));
      if (calls.length > 0) callsOf.set(at, calls);
      for (const call of calls) waiting.met(call.callId, call, at);
      continue;
    }
    batchOf.push(batchOf[at - 1] ?? -1);
    const { callId: subject } = message;
    const call = waiting.answered(subject);
    if (call !== null) call.answer = at;
    else if (waiting.newest(subject) !== null) leave({ subject, at });
    else early.push({ subject, at });
  }
  const unanswered = firstUnanswered(waiting);
  for (const result of early) {
    const call = unanswered(result.subject);
    if (call === undefined) leave(result);
    else call.answer = result.at;
  }
  const naming = callNaming(rules);
  const isByBatch = rules.resultPlacement === "right-after-call";
  for (const [at, calls] of callsOf) {
    const isWhole = calls.every(({ answer }) => answer !== null && batchOf[answer] === at);
    for (const call of calls) {
      const { answer, part } = call;
      const subject = part.callId;
      const { callId, code } = naming(subject);
      const isLater = answer !== null && answer > at;
      call.callId = callId;
      call.stays = isByBatch ? isWhole : isLater;
      if (code !== null) record(code, "rename", { at, subject });
      if (answer === null) {
        record("call-without-result", "add-result", { at, subject });
        continue;
      }
      callOf.set(answer, call);
      const isInPlace = isByBatch ? batchOf[answer] === at : isLater;
      if (!isInPlace) record(isLater ? "result-not-after-call" : "result-without-call", "move", { at: answer, subject });
    }
  }
  return { callsOf, callOf, repairs };
}

/** Hands out the calls of an id that no result has answered, oldest first, each once. */
function firstUnanswered(waiting: WaitingCalls<Call>): (callId: string) => Call | undefined {
  const queues = new Map<string, Iterator<Call>>();
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
