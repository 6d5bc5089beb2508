import type { FirstReport, Ledger, ReplyReport } from "../ledger.ts";
import type { ModelPrior } from "../model-prior.ts";
import type { OverheadCounts } from "./content.ts";
import { addSums, weighCounts } from "./content.ts";
import type { KnownModel, Model, ModelFit, ReturnRule, RuleLosses } from "./model-fit.ts";
import { contentTokens, RETURN_RULES, slopeOf, TEXT_RULES } from "./model-fit.ts";

/** The next prompt as far as it is expected, in the parts that a report is compared with. */
export interface NextPrompt extends Arrival {
  readonly expectedTokens: number;
  readonly reportedTokens: number;
  readonly overheadTokens: number;
}

/** What came after the base: the reply by its rule, everything else by weight. */
export interface Arrival {
  /** `null` without a reply. */
  readonly rule: ReturnRule | null;
  readonly returnedTokens: number;
  readonly returnedReasoningTokens: number;
  /** Tokens that were reported for the reply, but were most likely thrown away: only the bound leaves room for them. */
  readonly thrownAwayTokens: number;
  readonly arrivedTokens: number;
  /** Tokens of the turn that would vanish now, reasoning and unexplained rises: 0 if no new message is a person's. */
  readonly turnTokens: number;
  /** How many of them are expected to vanish. */
  readonly vanishingTokens: number;
}

/** The expected size of the next request to this model. */
export function nextPrompt(ledger: Ledger, model: Model, overhead: OverheadCounts): NextPrompt {
  const { base } = ledger;
  const overheadTokens = overheadTokensOf(ledger.firstReport, model, overhead);
  const arrival = arrivalOf(ledger, model);
  const addedTokens = arrival.returnedTokens + arrival.arrivedTokens - arrival.vanishingTokens;
  const expected = (expectedTokens: number, reportedTokens: number) =>
    promptOf(arrival, { expectedTokens, reportedTokens, overheadTokens });
  switch (base.kind) {
    case "nothing":
      return expected(overheadTokens + contentTokens(ledger.view, model), 0);
    case "cut": {
      const isOwn = ledger.nextModelId === null || ledger.nextModelId === ledger.reportedModelId;
      const reportedTokens = isOwn ? base.measuredTokens : 0;
      const measuredTokens = isOwn ? base.measuredTokens : contentTokens(base.measuredContent, model);
      const keptTokens = measuredTokens + contentTokens(base.unmeasuredContent, model);
      return expected(overheadTokens + keptTokens + addedTokens, reportedTokens);
    }
    case "report": {
      const changedTokens = weighOverhead(overhead, model) - weighOverhead(base.overhead, model);
      const reportedTokens = base.promptTokens * model.switchRatio;
      return expected(reportedTokens + changedTokens + addedTokens, reportedTokens);
    }
    default:
      return base satisfies never;
  }
}

/** Written out, as every report of a log makes two: a spread takes ten times as long. */
function promptOf(
  { rule, returnedTokens, returnedReasoningTokens, thrownAwayTokens, arrivedTokens, turnTokens, vanishingTokens }: Arrival,
  { expectedTokens, reportedTokens, overheadTokens }: Omit<NextPrompt, keyof Arrival>,
): NextPrompt {
  return {
    rule,
    returnedTokens,
    returnedReasoningTokens,
    thrownAwayTokens,
    arrivedTokens,
    turnTokens,
    vanishingTokens,
    expectedTokens,
    reportedTokens,
    overheadTokens,
  };
}

/**
 * Tokens of the overhead: what the first report had above its messages, by their price as it is known now, and what has changed since. What
 * another model counted is rescaled by the price of text. Without a report it is known by weight alone.
 */
export function overheadTokensOf(first: FirstReport | null, model: Model, overhead: OverheadCounts): number {
  if (first === null) return weighOverhead(overhead, model);
  const changedTokens = weighOverhead(overhead, model) - weighOverhead(first.overhead, model);
  const unmeasuredTokens = contentTokens(first.unmeasuredContent, model.firstReported);
  const firstTokens = Math.max(0, first.promptTokens - first.measuredTokens - unmeasuredTokens);
  return firstTokens * (slopeOf(model) / slopeOf(model.firstReported)) + changedTokens;
}

function weighOverhead({ counts, toolCounts, hiddenTokens }: OverheadCounts, { prior, fit }: KnownModel): number {
  const weighed = weighCounts(counts, prior.weights) + prior.toolsRatio * weighCounts(toolCounts, prior.weights);
  return fit.regression.slopeRatio * weighed + hiddenTokens;
}

/**
 * After a switch of model its first report tells the overhead only if at most this share of the prompt is messages. Beyond it the error of
 * their weight is larger than that of a rescaled overhead. Chosen.
 */
const LARGEST_VIEW_RATIO = 0.5;

/** The first report is the very first one, the one after a cut, or the one after a switch early on. Any other report leaves it. */
export function firstReportAfter(
  { base, view, unreported, reportedModelId, firstReport }: Ledger,
  model: Model,
  {
    modelId,
    promptTokens,
    overhead,
  }: { readonly modelId: string; readonly promptTokens: number; readonly overhead: OverheadCounts },
): FirstReport | null {
  const isSwitch = modelId !== reportedModelId;
  const ofView: FirstReport = { modelId, promptTokens, measuredTokens: 0, unmeasuredContent: view, overhead, laterReports: 0 };
  if (base.kind === "nothing") return ofView;
  if (base.kind === "report")
    return isSwitch && contentTokens(view, model) <= LARGEST_VIEW_RATIO * promptTokens ? ofView : oneLater(firstReport);
  if (isSwitch) return ofView;
  return { ...ofView, measuredTokens: base.measuredTokens, unmeasuredContent: addSums(base.unmeasuredContent, unreported) };
}

function oneLater(first: FirstReport | null): FirstReport | null {
  return first === null ? null : { ...first, laterReports: first.laterReports + 1 };
}

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

/** If fewer of a model's late replies had output that their text does not show, it has no hidden reasoning: such output was thrown away. Chosen, after eight replies. */
const RARE_RATIO = 0.2;

/** What came after the base, as it is expected to count. */
export function arrivalOf(ledger: Ledger, model: Model): Arrival {
  const { fit, prior } = model;
  const countedRatio = slopeOf(model) / slopeOf(model.reported);
  const reply = ledger.reply === null ? null : rescaled(ledger.reply, countedRatio);
  const price = { prior, fit: fit.regression };
  const isThrownAway = reply !== null && fit.hiddenRatio < RARE_RATIO && exceedsText(reply, price);
  const rule = reply === null ? null : isThrownAway ? "text" : ruleFor(fit.ruleLosses, reply, rulesOf(reply, model));
  const returned = reply === null || rule === null ? { tokens: 0, reasoningTokens: 0 } : returnedBy(rule, reply, price);
  const turnTokens = ledger.hasUnreportedHuman
    ? countedRatio * (ledger.turnReasoningTokens + ledger.turnUnexplainedTokens) + returned.reasoningTokens
    : 0;
  return {
    rule,
    returnedTokens: returned.tokens,
    returnedReasoningTokens: returned.reasoningTokens,
    thrownAwayTokens: isThrownAway ? Math.max(0, (reply.outputTokens ?? 0) - returned.tokens) : 0,
    arrivedTokens: contentTokens(ledger.unreported, model),
    turnTokens,
    vanishingTokens: vanishesAtTurn(model) ? turnTokens : 0,
  };
}

/** True if the reasoning of a turn has lately been gone after the next human message. */
export function vanishesAtTurn({ fit }: KnownModel): boolean {
  return fit.turnLosses.goes < fit.turnLosses.stays;
}

/** The reply as another model would have counted it; the same reply if the ratio is 1. */
export function rescaled(reply: ReplyReport, ratio: number): ReplyReport {
  if (ratio === 1) return reply;
  const scale = (tokens: number | null) => (tokens === null ? null : tokens * ratio);
  return { ...reply, outputTokens: scale(reply.outputTokens), reasoningTokens: scale(reply.reasoningTokens) };
}

/** What text costs: a model's weights, and the slope and the tokens of a message that hold now. */
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

/** What comes back under each rule. */
export function returnedBy(rule: ReturnRule, reply: ReplyReport, price: TextPrice): Returned {
  const { prior, fit } = price;
  const { outputTokens, content } = reply;
  const textTokens = content === null ? 0 : fit.slopeRatio * weighCounts(content.counts, prior.weights);
  const readTokens = content === null ? 0 : fit.slopeRatio * weighCounts(content.reasoningCounts, prior.weights);
  const reasoningTokens = reasoningOf(reply, textTokens);
  switch (rule) {
    case "output":
      return outputTokens === null ? { tokens: textTokens, reasoningTokens: 0 } : { tokens: outputTokens, reasoningTokens };
    case "visible":
      return { tokens: outputTokens === null ? textTokens : outputTokens - reasoningTokens, reasoningTokens: 0 };
    case "text":
      return { tokens: textTokens + fit.messageTokens, reasoningTokens: 0 };
    case "text-and-reasoning":
      return { tokens: textTokens + readTokens + fit.messageTokens, reasoningTokens: readTokens };
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
  const lossOf = (rule: ReturnRule) => losses[rule] + expected[rule];
  return rules.reduce((best, rule) => (lossOf(rule) < lossOf(best) ? rule : best));
}
