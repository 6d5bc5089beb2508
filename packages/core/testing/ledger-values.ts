import { CHAR_CLASSES, type MessageContent, type OverheadCounts } from "../src/tokens/char-class.ts";
import {
  fitFrom,
  type KnownModel,
  type MeasuredState,
  NOTHING_MEASURED,
  type ReplyReport,
} from "../src/tokens/ledger/model-fit.ts";
import { type ContentSum, type ModelPrior, POOLED_PRIOR, type Regression } from "../src/tokens/measure.ts";

/** Counts of one class of character, with a weight of 1: so many of it weigh as much. */
export function counts(weighed: number): readonly number[] {
  return CHAR_CLASSES.map((_, index) => (index === 0 ? weighed : 0));
}

/** A prior for figures worked out by hand: every character weighs 1 and costs 2 tokens, a message 10, tools 1.5 times their text. */
export const HAND_PRIOR: ModelPrior = {
  ...POOLED_PRIOR,
  name: "by hand",
  weights: CHAR_CLASSES.map(() => 1),
  slopeRatio: 2,
  messageTokens: 10,
  toolsRatio: 1.5,
};

/** A line that is sure of itself: only noise deviates. */
export function line(slopeRatio: number, messageTokens = 10): Regression {
  return { slopeRatio, messageTokens, covariance: [0, 0, 0] };
}

/** A model whose text costs so many tokens a character under every rule, and whose output counts were right. */
export function knownModel(slopeRatio = 2, fit: Partial<KnownModel["fit"]> = {}): KnownModel {
  const regression = line(slopeRatio);
  const lines = { output: regression, visible: regression, text: regression, "text-and-reasoning": regression };
  return { prior: HAND_PRIOR, fit: { ...fitFrom(HAND_PRIOR, 1), untrustedRatio: 0, regression, lines, ...fit } };
}

/** The content of messages that weigh so much together. */
export function contentSum(weighed: number, messages: number, fixedTokens = 0): ContentSum {
  return { counts: counts(weighed), messages, fixedTokens };
}

/** The content of a message whose text and readable reasoning weigh so much. */
export function content(
  weighed: number,
  more: Partial<MessageContent> & { readonly reasoningWeighed?: number } = {},
): MessageContent {
  const { reasoningWeighed = 0, ...given } = more;
  return {
    counts: counts(weighed),
    reasoningCounts: counts(reasoningWeighed),
    reasoning: "none",
    images: [],
    isUnseen: false,
    loadedTools: 0,
    ...given,
  };
}

/** A reply of 100 tokens, 30 of them reasoning, whose text weighs 20 and whose readable reasoning weighs 7. */
export function replyReport(more: Partial<ReplyReport> = {}): ReplyReport {
  return {
    requestId: "request",
    messageId: "reply",
    outputTokens: 100,
    reasoningTokens: 30,
    content: content(20, { reasoningWeighed: 7, reasoning: "opaque" }),
    loadedTokens: 0,
    ...more,
  };
}

/** An overhead: characters of system text and of tools, and hidden tokens. */
export function overheadCounts(system: number, tools = 0, hiddenTokens = 0): OverheadCounts {
  return { counts: counts(system), toolCounts: counts(tools), hiddenTokens };
}

/** A ledger after a report of model "m", with messages that came since. */
export function ledgerAfterReport(more: Partial<MeasuredState> = {}): MeasuredState {
  return {
    ...NOTHING_MEASURED,
    reportedModelId: "m",
    nextModelId: "m",
    base: { kind: "report", promptTokens: 1000, overhead: overheadCounts(0) },
    ...more,
  };
}
