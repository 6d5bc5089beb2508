import type { MessageSpan } from "../applied-edit.ts";
import { isHuman, type Message } from "../message/message.ts";

/** Returns the index from which the newest `count` messages are kept; 0 if there are no more than that. */
export function cutKeepingMessages(messages: readonly Message[], count: number): number {
  return Math.max(0, messages.length - count);
}

/** How much of the newest history is kept; the message that exceeds an amount of tokens stays if nothing is said. */
export type NewestKept =
  | { readonly messages: number }
  | { readonly tokens: number; readonly exceeding?: "stays" | "goes" | undefined };

/** The cut point that keeps so much. */
export function cutKeeping(
  messages: readonly Message[],
  keep: NewestKept,
  messageTokens: (message: Message) => number,
): number {
  if ("messages" in keep) return cutKeepingMessages(messages, keep.messages);
  const cutWith = keep.exceeding === "goes" ? cutWithinTokens : cutKeepingTokens;
  return cutWith(messages, keep.tokens, messageTokens);
}

/**
 * Returns the index from which the newest messages first reach `keepTokens`, the message that reaches it included. 0 if all
 * messages together do not reach it. Visits only what is kept.
 */
export function cutKeepingTokens(
  messages: readonly Message[],
  keepTokens: number,
  messageTokens: (message: Message) => number,
): number {
  return keepTokens <= 0 ? messages.length : cutWhere(messages, messageTokens, (keptTokens) => keptTokens >= keepTokens);
}

/** Returns the index from which the newest messages first exceed `keepTokens`, the one that does included; 0 if all together do not. */
export function cutExceedingTokens(
  messages: readonly Message[],
  keepTokens: number,
  messageTokens: (message: Message) => number,
): number {
  return cutWhere(messages, messageTokens, (keptTokens) => keptTokens > keepTokens);
}

/** The cut point behind the newest message with which the kept ones would exceed `keepTokens`. 0 if all together do not. */
function cutWithinTokens(
  messages: readonly Message[],
  keepTokens: number,
  messageTokens: (message: Message) => number,
): number {
  let keptTokens = 0;
  const exceeding = messages.findLastIndex((message) => {
    keptTokens += messageTokens(message);
    return keptTokens > keepTokens;
  });
  return exceeding + 1;
}

function cutWhere(
  messages: readonly Message[],
  messageTokens: (message: Message) => number,
  isEnough: (keptTokens: number) => boolean,
): number {
  let keptTokens = 0;
  const cut = messages.findLastIndex((message) => {
    keptTokens += messageTokens(message);
    return isEnough(keptTokens);
  });
  return Math.max(0, cut);
}

/**
 * Returns the spans before the cut that may go, in order: all of it, or if the last human message is there, the older part and the part behind it.
 * Empty if nothing but that message lies there; two spans only if there is something on both sides of it.
 */
export function spansBefore(messages: readonly Message[], cut: number): readonly MessageSpan[] {
  return spansBetween(messages, { start: 0, cut });
}

/** Messages from `start` up to `cut`; with `lastHuman: "goes"` the last human message is one like any other. */
export interface Stretch {
  readonly start: number;
  readonly cut: number;
  readonly lastHuman?: "stays" | "goes" | undefined;
}

/** As {@link spansBefore}, of what does not lie before `start`. */
export function spansBetween(messages: readonly Message[], { start, cut, lastHuman }: Stretch): readonly MessageSpan[] {
  const human = lastHuman === "goes" ? -1 : messages.findLastIndex(isHuman);
  return [...span(messages, start, Math.min(human, cut)), ...span(messages, Math.max(start, human + 1), cut)];
}

/** Nothing if the end is not behind the start. */
function span(messages: readonly Message[], start: number, end: number): readonly MessageSpan[] {
  const first = messages[start];
  const last = messages[end - 1];
  return first === undefined || last === undefined || end <= start ? [] : [{ from: first.id, through: last.id }];
}
