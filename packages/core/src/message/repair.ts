import { shortHash } from "../hash.ts";
import { isBlankText, STRICT_WIRE_RULES, type WireRules, type WireViolationCode } from "./check.ts";
import type { Message, Part, ToolResultMessage } from "./message.ts";
import { type CallPlace, type Pairs, pairResults, type Repair, type RepairAction } from "./repair-pairs.ts";
import { wellFormedMessage } from "./well-formed.ts";

/** A list that can be sent, and how it differs from the one that was given. */
export interface RepairedMessages {
  /** The very array that was given if nothing was wrong with it. */
  readonly messages: readonly Message[];
  /** For each message the index at which it stood; `null` for a result that was made up. */
  readonly sourceIndexes: readonly (number | null)[];
  readonly repairs: readonly Repair[];
}

/** The text of the result that is made up for a call that was never answered. */
export const MISSING_RESULT_TEXT = "[No result: the call was interrupted, or its result was not recorded.]";

/**
 * Makes a list sendable: late results go to their call, results without a call or next to another one are left out, a call that
 * was never answered gets an error result right behind it, blank text, blank messages and trailing reasoning are left out, doubled
 * ids get their own, half a surrogate pair becomes U+FFFD. Untouched messages keep their identity; linear in the list. What passes `checkMessages` comes back as it is.
 * How a list begins and ends, how long it is, and what encoding puts right by itself is not changed. Only the empty list cannot be mended.
 */
export function repairMessages(messages: readonly Message[], rules: WireRules = STRICT_WIRE_RULES): RepairedMessages {
  const repairs: Repair[] = [];
  const kept = messages.flatMap((given, index) => {
    const record = (code: WireViolationCode, action: RepairAction) => repairs.push({ code, index, subject: given.id, action });
    const message = rules.malformedText === "accept" ? given : wellFormedMessage(given);
    if (message !== given) record("malformed-text", "replace-characters");
    const usable = withUsableContent(message, rules, record);
    return usable === null ? [] : [{ message: usable, index }];
  });
  const pairs = pairResults(kept, rules);
  repairs.push(...pairs.repairs);
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

/** The message without parts that cannot be sent; `null` if nothing is left. */
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

/** Every message but misplaced results where it stands, and behind each call message the results that belong there. */
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

/** True for a call whose result may stay where it stands. */
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
