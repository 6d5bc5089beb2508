import type { Message } from "@plimsoll/core";
import type { HistoryKind, SizeModel } from "../size-model/size-model.ts";

/** A request as it went out. */
export interface SentRequest {
  readonly call: number;
  readonly messages: readonly Message[];
  readonly promptTokens: number;
}

/** What a request shares with the one before it. */
export interface SharedPrefix {
  readonly sharedTokens: number;
  /** Tokens of the one before that this one no longer begins with. */
  readonly abandonedTokens: number;
}

/**
 * The common beginning of two requests: what stands before the messages, then the messages that are the same objects and of
 * which nothing changed on the wire meanwhile. Visits the shared messages once.
 */
export function sharedPrefix(
  sizeModel: SizeModel,
  history: HistoryKind,
  { before, now }: { readonly before: SentRequest; readonly now: Omit<SentRequest, "promptTokens"> },
): SharedPrefix {
  const nonMessageTokens = sizeModel.nonMessageTokens(before.call, history);
  let sharedTokens = Math.min(nonMessageTokens, sizeModel.nonMessageTokens(now.call, history));
  const lostTokens = nonMessageTokens - sharedTokens;
  let count = 0;
  for (; count < before.messages.length; count++) {
    const message = before.messages[count];
    if (message === undefined || message !== now.messages[count]) break;
    if (hasChanged(sizeModel, message, { from: before.call, through: now.call })) break;
    sharedTokens += sizeModel.messageTokens(message, now.call);
  }
  if (count === before.messages.length) return { sharedTokens, abandonedTokens: lostTokens };
  return { sharedTokens, abandonedTokens: Math.max(1, before.promptTokens - sharedTokens) };
}

function hasChanged(
  sizeModel: SizeModel,
  message: Message,
  calls: { readonly from: number; readonly through: number },
): boolean {
  for (let call = calls.from + 1; call <= calls.through; call++) if (sizeModel.isChangedAt(message, call)) return true;
  return false;
}
