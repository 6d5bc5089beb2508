import { isHuman } from "../message/message.ts";
import { defineAmountRule, type KeepRuleKind, type KeepView, type MessageRange } from "./keep-rule.ts";

/**
 * Keeps the person's messages: a request is not to be read off a summary. The newest and the first, which states the session's purpose, stay beyond the
 * amount; the others from the newest back.
 */
export const HUMAN: KeepRuleKind = defineAmountRule("human", (atMost) => ({
  keeps: "messages",
  atMost,
  choose: humanMessages,
  beyondAmount: 2,
}));

function humanMessages({ messages }: KeepView): readonly MessageRange[] {
  const places = messages.flatMap((message, index) => (isHuman(message) ? [index] : []));
  const newestFirst = places.toReversed();
  const ordered = [...newestFirst.slice(0, 1), ...places.slice(0, 1), ...newestFirst.slice(1)];
  return [...new Set(ordered)].map((index) => ({ from: index, through: index }));
}
