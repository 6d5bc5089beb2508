import { isRecord } from "../json.ts";
import { isSummary, isVendorSummary, type Message, type ReasoningPart, sharedPrefixCount, vendorBlockOf } from "./message.ts";

/**
 * Says whether a model accepts this reasoning only if everything before it is unchanged; a `part` of `null` asks about reasoning still to be written. Vendors' rules
 * are data in providers; without this function core treats none as bound.
 */
export type IsBoundReasoning = (part: ReasoningPart | null, modelId: string | null) => boolean;

/** How bound reasoning is treated once messages before it have changed: `leaves` removes it, `vendor-drops` sends it and asks the vendor to drop it. */
export type BoundReasoning = "leaves" | "vendor-drops";

/** Reasoning of a message that leaves a view: the places of its parts in the message as the view has it. */
export interface RemovedReasoning {
  readonly messageId: string;
  readonly partIndexes: readonly number[];
}

/**
 * The bound reasoning of an edited view behind the part that it shares with the view before, by message. A new summary of the vendor replaces the messages before
 * the one behind it.
 */
export function reasoningBehindEdit(
  before: readonly Message[],
  after: readonly Message[],
  isBound: (part: ReasoningPart) => boolean,
): readonly RemovedReasoning[] {
  const [first, next] = after;
  const isNewBlock =
    first !== undefined && first !== before[0] && vendorBlockOf(first) !== undefined && !before.includes(first);
  const from = isNewBlock && next !== undefined ? before.indexOf(next) : -1;
  const shared = from < 0 ? sharedPrefixCount(before, after) : 1 + sharedPrefixCount(before.slice(from), after.slice(1));
  return boundReasoningIn(after.slice(shared), isBound);
}

/** True for reasoning: parts beside it, such as blocks of the vendor's own tools, say another type. */
export function isOwnReasoning({ opaque }: ReasoningPart): boolean {
  return !isRecord(opaque) || typeof opaque.type !== "string" || /thinking|reasoning/.test(opaque.type);
}

/** True for reasoning that its vendor signed or sealed, and for its summaries, which another account, relay or model may refuse. */
export function isSealedReasoning(part: ReasoningPart): boolean {
  return isVendorSummary(part) || (isOwnReasoning(part) && (part.opaque !== null || part.text === ""));
}

/** All bound reasoning of messages, by message. */
export function boundReasoningIn(
  messages: readonly Message[],
  isBound: (part: ReasoningPart) => boolean,
): readonly RemovedReasoning[] {
  return messages.flatMap(({ id: messageId, parts }) => {
    const partIndexes = parts.flatMap((part, index) => (part.type === "reasoning" && isBound(part) ? [index] : []));
    return partIndexes.length === 0 ? [] : [{ messageId, partIndexes }];
  });
}

/** The messages without that reasoning. A message that has nothing else to say, so no call, is left out; all others keep their identity. */
export function withoutReasoning(messages: readonly Message[], removed: readonly RemovedReasoning[]): readonly Message[] {
  if (removed.length === 0) return messages;
  const indexesOf = new Map(removed.map(({ messageId, partIndexes }) => [messageId, partIndexes] as const));
  return messages.flatMap((message) => {
    const indexes = indexesOf.get(message.id);
    if (indexes === undefined || message.role !== "assistant") return [message];
    const parts = message.parts.filter((part, index) => part.type !== "reasoning" || !indexes.includes(index));
    if (parts.length === message.parts.length) return [message];
    // Without the vendor's block the digest beside it becomes a message of the user, as every other digest.
    const texts = parts.filter((part) => part.type === "text");
    if (isSummary(message)) return [{ role: "user", id: message.id, origin: "summary", parts: texts, atMs: message.atMs }];
    return parts.every(({ type }) => type === "reasoning") ? [] : [{ ...message, parts }];
  });
}
