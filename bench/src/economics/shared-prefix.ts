import type { Message } from "@plimsoll/core";
import type { Sequence } from "@plimsoll/core/extend";
import { followingSizes, type HistoryKind } from "../size-model/following-sizes.ts";
import type { SizeModel } from "../size-model/size-model.ts";
import type { CutSign, RecordedCache } from "./recorded-cache.ts";

/** A request as it went out. */
export interface SentRequest {
  readonly call: number;
  readonly messages: Sequence<Message>;
  readonly promptTokens: number;
}

/** The part that a request shares with the one before it. */
export interface SharedPrefix {
  /** As far as it was still in the cache, by what the recording shows. */
  readonly sharedTokens: number;
  /** Tokens of the one before that this one no longer begins with. */
  readonly abandonedTokens: number;
}

/** The measure by which two requests are compared. */
export interface PrefixMeasure {
  readonly sizeModel: Pick<
    SizeModel,
    "nonMessageTokens" | "messageTokens" | "isChangedAt" | "isChangedBetween" | "isResizedBetween"
  >;
  readonly history: HistoryKind;
  readonly recorded: RecordedCache;
}

/** Two requests, the later one before it is charged. */
export interface ComparedRequests {
  readonly before: SentRequest;
  readonly now: Omit<SentRequest, "promptTokens">;
}

/**
 * Compares the requests of one replay, each with one before it, as {@link sharedPrefix} does. Where a request was made by appending to the one before
 * and nothing of that changed, its messages are not sized again.
 */
export function followingPrefixes(measure: PrefixMeasure): (requests: ComparedRequests) => SharedPrefix {
  const { sizeModel, history, recorded } = measure;
  // Sizes that are no whole numbers are added up in the order of the requests.
  const sizes = { ...sizeModel, nonMessageTokens: () => 0, promptTokens: () => Number.NaN };
  const tokensOf = followingSizes(sizes, history);
  return (requests) => {
    const { before, now } = requests;
    const nonMessageTokens = sizeModel.nonMessageTokens(before.call, history);
    const keptTokens = Math.min(nonMessageTokens, sizeModel.nonMessageTokens(now.call, history));
    const isWhole =
      recorded.signAt(now.call, history)?.kind !== "cut" &&
      !sizeModel.isChangedBetween(before.call, now.call) &&
      now.messages.goesOnFrom(before.messages);
    const messagesTokens = isWhole && Number.isInteger(keptTokens) ? tokensOf(now.call, before.messages) : Number.NaN;
    if (Number.isNaN(messagesTokens)) return sharedPrefix(measure, requests);
    return { sharedTokens: keptTokens + messagesTokens, abandonedTokens: nonMessageTokens - keptTokens };
  };
}

/**
 * The common beginning of two requests: what stands before the messages, then the messages that are the same objects and of
 * which nothing changed on the wire meanwhile; of that as much as the cache still held. Visits the shared messages once.
 */
export function sharedPrefix(measure: PrefixMeasure, { before, now }: ComparedRequests): SharedPrefix {
  const { sizeModel, history, recorded } = measure;
  const nonMessageTokens = sizeModel.nonMessageTokens(before.call, history);
  const keptTokens = Math.min(nonMessageTokens, sizeModel.nonMessageTokens(now.call, history));
  const sign = recorded.signAt(now.call, history);
  const mayHaveChanged = sizeModel.isChangedBetween(before.call, now.call);
  const cut = sign?.kind === "cut" ? heldUpTo(sign, recorded) : null;
  let sharedTokens = keptTokens;
  let heldTokens = cut === null ? null : cut.held(null, keptTokens);
  let count = 0;
  for (; count < before.messages.size; count++) {
    const message = before.messages.at(count);
    if (message === undefined || message !== now.messages.at(count)) break;
    if (mayHaveChanged && hasChanged(measure, message, { from: before.call, through: now.call })) break;
    if (cut !== null) heldTokens ??= cut.held(message, sharedTokens);
    sharedTokens += sizeModel.messageTokens(message, now.call);
  }
  const isWhole = count === before.messages.size;
  const abandonedTokens = isWhole ? nonMessageTokens - keptTokens : Math.max(1, before.promptTokens - sharedTokens);
  const headTokens = count === 0 && !isWhole ? Math.min(sharedTokens, recorded.headTokens ?? sharedTokens) : sharedTokens;
  return { sharedTokens: Math.min(headTokens, heldTokens ?? headTokens), abandonedTokens };
}

/** How much the cache held when it ended at a place of the recording: `null` for a message that it held wholly. */
function heldUpTo({ readTokens, messageId, withinTokens }: CutSign, { placeOf }: RecordedCache) {
  const end = messageId === null ? null : placeOf(messageId);
  return {
    held: (message: Message | null, tokensBefore: number): number | null => {
      if (end === null) return Math.min(readTokens, tokensBefore);
      if (message === null || (placeOf(message.id) ?? -1) < end) return null;
      return tokensBefore + (message.id === messageId ? withinTokens : 0);
    },
  };
}

function hasChanged(
  { sizeModel, history, recorded }: PrefixMeasure,
  message: Message,
  calls: { readonly from: number; readonly through: number },
): boolean {
  for (let call = calls.from + 1; call <= calls.through; call++)
    if (sizeModel.isChangedAt(message, call) && recorded.signAt(call, history) === null) return true;
  return false;
}
