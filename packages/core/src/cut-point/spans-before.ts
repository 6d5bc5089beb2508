import type { MessageSpan } from "../applied-edit.ts";
import type { Message } from "../message/message.ts";
import { isHuman } from "../message/message.ts";

/**
 * What lies before the cut and may go, in order: all of it, or if the last human message is there, what is older than that message and
 * what follows it. Empty if nothing but that message lies there; two spans only if there is something on both sides of it.
 */
export function spansBefore(messages: readonly Message[], cut: number): readonly MessageSpan[] {
  const human = messages.findLastIndex(isHuman);
  if (human < 0 || human >= cut) return span(messages, 0, cut);
  return [...span(messages, 0, human), ...span(messages, human + 1, cut)];
}

function span(messages: readonly Message[], start: number, end: number): readonly MessageSpan[] {
  const first = messages[start];
  const last = messages[end - 1];
  return first === undefined || last === undefined || end <= start ? [] : [{ from: first.id, through: last.id }];
}
