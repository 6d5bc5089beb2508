import type { ReplyReport } from "../ledger.ts";
import type { ModelPrior } from "../model-prior.ts";
import { weighCounts } from "./content.ts";
import { type KnownModel, type ModelFit, RETURN_RULES, type ReturnRule, type RuleLosses, TEXT_RULES } from "./model-fit.ts";

/** If more than this share of a model's late replies cannot be, one that cannot be is not believed. Chosen, half a reply in five. */
const DISTRUSTED_RATIO = 0.1;

/** True for a model whose counts are wrong now and then. */
export function hasWrongCounts({ untrustedRatio }: ModelFit): boolean {
  return untrustedRatio > DISTRUSTED_RATIO;
}

/** The rules that a reply can follow: one whose count cannot be, and is not believed, is known by its text alone. */
export function rulesOf(reply: ReplyReport, { prior, fit }: KnownModel): readonly ReturnRule[] {
  return hasWrongCounts(fit) && isUntrusted(reply, { prior, fit: fit.regression }) ? TEXT_RULES : RETURN_RULES;
}

/** The reply as another model would have counted it; the same reply if the ratio is 1. */
export function rescaled(reply: ReplyReport, ratio: number): ReplyReport {
  if (ratio === 1) return reply;
  const { requestId, messageId, content } = reply;
  const outputTokens = reply.outputTokens === null ? null : reply.outputTokens * ratio;
  const reasoningTokens = reply.reasoningTokens === null ? null : reply.reasoningTokens * ratio;
  return { requestId, messageId, outputTokens, reasoningTokens, content };
}

/** The price of text: a model's weights, and the slope and the tokens of a message that hold now. */
export interface TextPrice {
  readonly prior: ModelPrior;
  readonly fit: Pick<ModelPrior, "slopeRatio" | "messageTokens">;
}

/** Tokens of a reply that come back, and how many of them are reasoning. */
export interface Returned {
  readonly tokens: number;
  readonly reasoningTokens: number;
}

/** Tokens around a reply's text that are not its text, if its visible part is known by weight alone; chosen. */
const REPLY_FRAME_TOKENS = 5;

/** Returns the tokens of a reply that come back under a rule. */
export function returnedBy(rule: ReturnRule, reply: ReplyReport, price: TextPrice): Returned {
  const { prior, fit } = price;
  const { outputTokens, content } = reply;
  const textTokens = content === null ? 0 : fit.slopeRatio * weighCounts(content.counts, prior.weights);
  const reasoningTokens = reasoningOf(reply, textTokens);
  switch (rule) {
    case "output":
      return outputTokens === null ? { tokens: textTokens, reasoningTokens: 0 } : { tokens: outputTokens, reasoningTokens };
    case "visible":
      return { tokens: outputTokens === null ? textTokens : outputTokens - reasoningTokens, reasoningTokens: 0 };
    case "text":
      return { tokens: textTokens + fit.messageTokens, reasoningTokens: 0 };
    case "text-and-reasoning": {
      const readTokens = content === null ? 0 : fit.slopeRatio * weighCounts(content.reasoningCounts, prior.weights);
      return { tokens: textTokens + readTokens + fit.messageTokens, reasoningTokens: readTokens };
    }
    default:
      return rule satisfies never;
  }
}

/** Reasoning as it was reported; else what the output has above the weight of its text, if there is any reasoning. */
function reasoningOf({ outputTokens, reasoningTokens, content }: ReplyReport, textTokens: number): number {
  if (outputTokens === null) return 0;
  if (reasoningTokens !== null) return Math.min(reasoningTokens, outputTokens);
  const hasReasoning = content !== null && content.reasoning !== "none";
  return hasReasoning ? Math.max(0, outputTokens - textTokens - REPLY_FRAME_TOKENS) : 0;
}

/** A reply is shorter than its text only if its count is wrong; half leaves room for an error of the weights. */
const UNTRUSTED_RATIO = 0.5;

/** True if the reported output cannot be: the visible text alone weighs more than twice as much. */
export function isUntrusted(reply: ReplyReport, price: TextPrice): boolean {
  if (reply.outputTokens === null || reply.content === null) return reply.outputTokens === null;
  return reply.outputTokens < UNTRUSTED_RATIO * price.fit.slopeRatio * weighCounts(reply.content.counts, price.prior.weights);
}

/** More output than this above twice the weight of its text is not text that the weights misjudge; chosen. */
const HIDDEN_TOKENS = 300;

/**
 * True if far more was reported than the message holds, and no reasoning explains it: either reasoning is not reported, or the model has none
 * and its client threw away output that it could not read.
 */
export function exceedsText(reply: ReplyReport, price: TextPrice): boolean {
  const { outputTokens, reasoningTokens, content } = reply;
  if (outputTokens === null || content === null || content.reasoning !== "none" || (reasoningTokens ?? 0) > 0) return false;
  return outputTokens > 2 * price.fit.slopeRatio * weighCounts(content.counts, price.prior.weights) + HIDDEN_TOKENS;
}

/** The loss that is assumed of a rule before it was seen at work: small if the message speaks for the rule. */
const UNLIKELY = 0.6;
const POSSIBLE = 0.3;
const DISTRUST = 1.2;

/**
 * Of these rules the one that was right lately. At first the message speaks: reasoning that a vendor wants back (opaque) comes back with
 * the output; reported reasoning that the message does not hold cannot.
 */
export function ruleFor(losses: RuleLosses, reply: ReplyReport, rules: readonly ReturnRule[]): ReturnRule {
  const reasoning = reply.content?.reasoning ?? "none";
  const isReported = (reply.reasoningTokens ?? 0) > 0;
  const expected: RuleLosses = {
    output: reasoning === "opaque" || (reasoning === "none" && !isReported) ? 0 : UNLIKELY,
    visible: reasoning === "opaque" ? UNLIKELY : isReported ? 0 : POSSIBLE,
    text: DISTRUST,
    "text-and-reasoning": DISTRUST - (reasoning === "opaque" ? POSSIBLE : 0),
  };
  let best = rules[0] ?? "output";
  for (const rule of rules) if (losses[rule] + expected[rule] < losses[best] + expected[best]) best = rule;
  return best;
}
