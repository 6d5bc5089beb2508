import { type Message, oncePerMessage } from "../src/message/message.ts";
import type { StrategyInput } from "../src/strategy/strategy.ts";
import { charsPerToken } from "../src/tokens/chars-per-token.ts";
import { createWorkCounter, type MessageMeasure, type WorkCounter } from "../src/tokens/measure.ts";

/** One token a UTF-16 unit: sizes in a test can be read off its texts. An image counts 1,000. A message value is read once, as in a session. */
export function unitMeasure(work: WorkCounter): MessageMeasure {
  const measure = charsPerToken(
    {
      kind: "chars-per-token",
      charsPerToken: 1,
      unit: "utf16-units",
      rounding: "ceil",
      perMessageTokens: 0,
      minimumMessageTokens: 0,
      imageTokens: 1000,
    },
    work,
  );
  return { ...measure, messageTokens: oncePerMessage(measure.messageTokens) };
}

const UNIT_MEASURE = unitMeasure(createWorkCounter());

/** Makes the input of a strategy, in a window of 10,000 tokens of one character each, with two messages to keep. */
export function strategyInput(messages: readonly Message[], more: Partial<StrategyInput> = {}): StrategyInput {
  return {
    messages,
    budget: { windowTokens: 10_000, inputBudgetTokens: 10_000 },
    roomTokens: 10_000,
    lineTokens: 10_000,
    keep: { messages: 2 },
    isKept: () => false,
    isLeftOver: () => false,
    cause: "size",
    messageTokens: UNIT_MEASURE.messageTokens,
    keptMessageTokens: UNIT_MEASURE.messageTokens,
    measure: UNIT_MEASURE,
    scaleRatio: 1,
    noticeTokens: 50,
    ...more,
  };
}
