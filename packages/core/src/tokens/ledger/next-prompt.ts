import { addSums, CHAR_CLASSES, type OverheadCounts } from "../char-class.ts";
import type { Prediction } from "../estimator.ts";
import { contentTokens, deviationOf, type ModelPrior, slopeOf, weighCounts } from "../measure.ts";
import type {
  FirstReport,
  KnownModel,
  MeasuredState,
  Model,
  ModelFit,
  ReplyReport,
  Residuals,
  ReturnRule,
  RuleLosses,
  Situation,
} from "./model-fit.ts";
import { ASSUMED_RESIDUALS, PRIOR_TURN_LOSS, RETURN_RULES, TEXT_RULES } from "./model-fit.ts";

/** The next prompt as far as it is expected, in the parts that a report is compared with. */
export type NextPrompt = Arrival & Pick<Prediction, "expectedTokens" | "reportedTokens" | "overheadTokens">;

/** The arrivals after the base: the reply by its rule, everything else by weight. */
export interface Arrival {
  /** `null` without a reply. */
  readonly rule: ReturnRule | null;
  readonly returnedTokens: number;
  readonly returnedReasoningTokens: number;
  /** Tokens that were reported for the reply, but were most likely thrown away: only the bound leaves room for them. */
  readonly thrownAwayTokens: number;
  readonly arrivedTokens: number;
  /** Tokens of the turn's reasoning, which would vanish now: 0 if no new message is a person's. */
  readonly turnTokens: number;
  /** How many of them are expected to vanish. */
  readonly vanishingTokens: number;
}

/** The expected size of the next request to this model. */
export function nextPrompt(ledger: MeasuredState, model: Model, overhead: OverheadCounts): NextPrompt {
  const { base } = ledger;
  const overheadTokens = overheadTokensOf(ledger.firstReport, model, overhead);
  const arrival = arrivalOf(ledger, model);
  const addedTokens = arrival.returnedTokens + arrival.arrivedTokens - arrival.vanishingTokens;
  const prompt = { ...arrival, overheadTokens };
  switch (base.kind) {
    case "nothing":
      return { ...prompt, expectedTokens: overheadTokens + contentTokens(ledger.view, model), reportedTokens: 0 };
    case "cut": {
      const isOwn = ledger.nextModelId === null || ledger.nextModelId === ledger.reportedModelId;
      const reportedTokens = isOwn ? base.measuredTokens : 0;
      const measuredTokens = isOwn ? base.measuredTokens : contentTokens(base.measuredContent, model);
      const keptTokens = measuredTokens + contentTokens(base.unmeasuredContent, model);
      return { ...prompt, expectedTokens: overheadTokens + keptTokens + addedTokens, reportedTokens };
    }
    case "report": {
      const changedTokens = overheadChange(base.overhead, overhead, model);
      const reportedTokens = base.promptTokens * model.switchRatio;
      return { ...prompt, expectedTokens: reportedTokens + changedTokens + addedTokens, reportedTokens };
    }
    default:
      return base satisfies never;
  }
}

/** The first report's excess over its messages, by their price as it is known now, and the changes since; without a report the overhead's weight. */
function overheadTokensOf(first: FirstReport | null, model: Model, overhead: OverheadCounts): number {
  if (first === null) return weighOverhead(overhead, model);
  const changedTokens = overheadChange(first.overhead, overhead, model);
  const unmeasuredTokens = contentTokens(first.unmeasuredContent, model.firstReported);
  const firstTokens = Math.max(0, first.promptTokens - first.measuredTokens - unmeasuredTokens);
  return firstTokens * (slopeOf(model) / slopeOf(model.firstReported)) + changedTokens;
}

function overheadChange(before: OverheadCounts, after: OverheadCounts, model: KnownModel): number {
  return after === before ? 0 : weighOverhead(after, model) - weighOverhead(before, model);
}

function weighOverhead({ counts, toolCounts, hiddenTokens }: OverheadCounts, { prior, fit }: KnownModel): number {
  const weighed = weighCounts(counts, prior.weights) + prior.toolsRatio * weighCounts(toolCounts, prior.weights);
  return fit.regression.slopeRatio * weighed + hiddenTokens;
}

/**
 * After a switch of model its first report gives the overhead only if at most this share of the prompt is messages. Beyond it the error of their
 * weight is larger than that of a rescaled overhead. Chosen.
 */
const LARGEST_VIEW_RATIO = 0.5;

/**
 * A later report refutes an overhead that leaves less than this share of their weight to the messages, by more than so many tokens: the first report's excess
 * over them (pages of a web search) was not sent again. Chosen: weights are right within a third, and small falls say nothing.
 */
const LEAST_TEXT_RATIO = 0.5;
const REFUTING_TOKENS = 3000;

/** The first report is the very first one, the one after a cut, or the one after a switch early on. Any other report leaves it, unless it refutes it. */
export function firstReportAfter(
  { base, view, unreported, reportedModelId, firstReport }: MeasuredState,
  model: Model,
  { modelId, promptTokens, overhead }: Pick<FirstReport, "modelId" | "promptTokens" | "overhead">,
): FirstReport | null {
  const isSwitch = modelId !== reportedModelId;
  const later = firstReport === null ? null : { ...firstReport, laterReports: firstReport.laterReports + 1 };
  const ofView: FirstReport = { modelId, promptTokens, measuredTokens: 0, unmeasuredContent: view, overhead, laterReports: 0 };
  if (base.kind === "nothing") return ofView;
  if (base.kind === "report") {
    if (isSwitch) return contentTokens(view, model) <= LARGEST_VIEW_RATIO * promptTokens ? ofView : later;
    const mostTokens = promptTokens - LEAST_TEXT_RATIO * contentTokens(view, model) + REFUTING_TOKENS;
    return firstReport !== null && overheadTokensOf(firstReport, model, overhead) > mostTokens ? ofView : later;
  }
  if (isSwitch) return ofView;
  const { measuredTokens } = base;
  const unmeasuredContent = addSums(base.unmeasuredContent, unreported);
  return { modelId, promptTokens, measuredTokens, unmeasuredContent, overhead, laterReports: 0 };
}

/** If fewer of a model's late replies had output that their text does not show, it has no hidden reasoning: such output was thrown away. Chosen, after eight replies. */
const RARE_RATIO = 0.2;

/** Counts the arrivals after the base as they are expected to count. */
export function arrivalOf(ledger: MeasuredState, model: Model): Arrival {
  const { fit, prior } = model;
  const countedRatio = slopeOf(model) / slopeOf(model.reported);
  // A reply that is not there when a person goes on is not sent again: all of it was reasoning, or it was given up.
  const isLeftOut = ledger.reply?.messageId === null && ledger.hasUnreportedHuman;
  const reply = ledger.reply === null || isLeftOut ? null : rescaled(ledger.reply, countedRatio);
  const price = { prior, fit: fit.regression };
  const isThrownAway = reply !== null && fit.hiddenRatio < RARE_RATIO && exceedsText(reply, price);
  const rule = reply === null ? null : isThrownAway ? "text" : ruleFor(fit.ruleLosses, reply, rulesOf(reply, model), price);
  const returned = reply === null || rule === null ? { tokens: 0, reasoningTokens: 0 } : returnedBy(rule, reply, price);
  const turnTokens = ledger.hasUnreportedHuman ? countedRatio * ledger.turnReasoningTokens + returned.reasoningTokens : 0;
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

/** Added to every bound: unasked additions of client and server to a prompt (0.3% holds for 98% of the recorded calls by itself). */
const FLOOR_RATIO = 0.003;

/** Deviations of the unmeasured part's weight, and multiples of the situation's late peak, that the bound leaves room for; chosen. */
const DEVIATIONS = 2;
const PEAK_FACTOR = 1.2;

/**
 * Share that letters of no word may cost more than they are expected to: random ones and proteins come to 1.3 times as much (four vendors' tokenizers,
 * docs/evidence.md). A text of anything else has few of them.
 */
const STRANGE_RATIO = 1 / 3;
const STRANGE_CLASS = CHAR_CLASSES.indexOf("letter-after-digit");

/** Share of a reply that the text rules may miss if output counts cannot be trusted. */
const MISSED_REPLY_RATIO = 0.5;

/**
 * A size that the next request is not expected to exceed. It follows from the situation's own errors, from how sure the weight of the unreported
 * messages is, and from the tokens that untrusted counts may hide.
 */
export function upperTokensOf(ledger: MeasuredState, model: Model, prompt: NextPrompt): number {
  const { fit, prior } = model;
  const { counts, messages } = ledger.unreported;
  const isAllEstimated = ledger.base.kind === "nothing" || messages === 0;
  const deviation = isAllEstimated ? 0 : deviationOf(fit.regression, weighCounts(counts, prior.weights), messages);
  const strangeTokens = isAllEstimated
    ? 0
    : (counts[STRANGE_CLASS] ?? 0) * (prior.weights[STRANGE_CLASS] ?? 0) * fit.regression.slopeRatio;
  const untrustedTokens = MISSED_REPLY_RATIO * fit.untrustedRatio * prompt.returnedTokens;
  const ratio = upperRatioIn(ledger, situationOf(ledger, ledger.nextModelId));
  const surelyTokens = DEVIATIONS * deviation + STRANGE_RATIO * strangeTokens + untrustedTokens + prompt.thrownAwayTokens;
  // Until this session has shown that it goes, a part that is expected to vanish may stay.
  const jumpTokens = ledger.jump.risenTokens > 0 ? 0 : ledger.jump.roomTokens;
  const toolTokens = ledger.unreportedTools * ledger.loadedTool.roomTokens;
  const isTurnShown = Math.abs(fit.turnLosses.stays - fit.turnLosses.goes) > PRIOR_TURN_LOSS;
  const turnTokens = isTurnShown ? 0 : prompt.vanishingTokens;
  return prompt.expectedTokens * ratio + surelyTokens + toolTokens + jumpTokens + turnTokens;
}

/** The bound of a view right after a cut, as a multiple of its expected size: a cut must leave room for it. */
export function upperRatioAfterCut(ledger: MeasuredState): number {
  const situation = situationOf(ledger, ledger.nextModelId);
  return upperRatioIn(ledger, situation === "anchored" || situation === "after-others-cut" ? "after-cut" : situation);
}

/**
 * Added until a session, or its rest after a cut, has shown its own errors, and the share of it that each report leaves: the calls that follow a first
 * report are off by several times as much as later ones. Chosen.
 */
const YOUNG_RATIO = 0.035;
const STILL_YOUNG_RATIO = 0.85;

function upperRatioIn({ residuals, firstReport }: MeasuredState, situation: Situation): number {
  const isYoung = situation === "anchored" && firstReport !== null;
  const youngRatio = isYoung ? YOUNG_RATIO * STILL_YOUNG_RATIO ** firstReport.laterReports : 0;
  return 1 + FLOOR_RATIO + youngRatio + PEAK_FACTOR * residuals[situation];
}

/** Finds the situation of the prediction of the next request to a model. */
export function situationOf({ base, reportedModelId }: MeasuredState, modelId: string | null): Situation {
  if (base.kind === "nothing") return "first-call";
  if (modelId !== null && modelId !== reportedModelId) return "after-switch";
  if (base.kind === "report") return "anchored";
  return base.by === "others" ? "after-others-cut" : "after-cut";
}

/** Share of a peak that the next report leaves: half of it is gone after some thirty calls; chosen. */
const KEPT_RATIO = 0.977;

/** An under-estimate beyond this share is an event that nothing announced, not a size of the error; chosen. */
const LARGEST_RATIO = 0.05;

/** The residuals after one more report. */
export function nextResiduals(
  residuals: Residuals,
  situation: Situation,
  { expectedTokens, promptTokens }: { readonly expectedTokens: number; readonly promptTokens: number },
): Residuals {
  if (expectedTokens <= 0) return residuals;
  const assumed = ASSUMED_RESIDUALS[situation];
  const largestRatio = Math.max(LARGEST_RATIO, assumed);
  const underRatio = Math.min(largestRatio, Math.max(0, promptTokens / expectedTokens - 1));
  const faded = assumed + KEPT_RATIO * (residuals[situation] - assumed);
  return { ...residuals, [situation]: Math.max(faded, underRatio) };
}

/** If more than this share of a model's late replies cannot be, one that cannot be is not believed. Chosen, half a reply in five. */
const DISTRUSTED_RATIO = 0.1;

/** True for a model whose counts are wrong now and then. */
export function hasWrongCounts({ untrustedRatio }: ModelFit): boolean {
  return untrustedRatio > DISTRUSTED_RATIO;
}

/** The rules that a reply can follow: one with an impossible count, which is not believed, is known only by its text. */
export function rulesOf(reply: ReplyReport, { prior, fit }: KnownModel): readonly ReturnRule[] {
  return hasWrongCounts(fit) && isUntrusted(reply, { prior, fit: fit.regression }) ? TEXT_RULES : RETURN_RULES;
}

/** The reply as another model would have counted it; the same reply if the ratio is 1. */
export function rescaled(reply: ReplyReport, ratio: number): ReplyReport {
  if (ratio === 1) return reply;
  const outputTokens = reply.outputTokens === null ? null : reply.outputTokens * ratio;
  const reasoningTokens = reply.reasoningTokens === null ? null : reply.reasoningTokens * ratio;
  return { ...reply, outputTokens, reasoningTokens };
}

/** The price of text: a model's weights, and the slope and the tokens of a message that hold now. */
interface TextPrice {
  readonly prior: ModelPrior;
  readonly fit: Pick<ModelPrior, "slopeRatio" | "messageTokens">;
}

/** Tokens of a reply that come back, and how many of them are reasoning. */
export interface Returned {
  readonly tokens: number;
  readonly reasoningTokens: number;
}

/** Tokens around a reply's text that are not its text, if its visible part is known only by weight; chosen. */
const REPLY_FRAME_TOKENS = 5;

/** Returns the tokens of a reply that come back under a rule, with the tools that it loads. */
export function returnedBy(rule: ReturnRule, reply: ReplyReport, price: TextPrice): Returned {
  const { tokens, reasoningTokens } = saidAgainBy(rule, reply, price);
  return { tokens: tokens + reply.loadedTokens, reasoningTokens };
}

function saidAgainBy(rule: ReturnRule, reply: ReplyReport, price: TextPrice): Returned {
  const { prior, fit } = price;
  const { outputTokens, content } = reply;
  const textTokens = content === null ? 0 : fit.slopeRatio * weighCounts(content.counts, prior.weights);
  const reasoningTokens = reasoningOf(reply, textTokens, exceedsText(reply, price));
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

/** Reasoning as it was reported; else the output's excess over the weight of its text, if there is any reasoning, shown or hidden. */
function reasoningOf({ outputTokens, reasoningTokens, content }: ReplyReport, textTokens: number, isHidden: boolean): number {
  if (outputTokens === null) return 0;
  if (reasoningTokens !== null && !isHidden) return Math.min(reasoningTokens, outputTokens);
  const hasReasoning = isHidden || (content !== null && content.reasoning !== "none");
  return hasReasoning ? Math.max(0, outputTokens - textTokens - REPLY_FRAME_TOKENS) : 0;
}

/** A reply is shorter than its text only if its count is wrong; half leaves room for an error of the weights. */
const UNTRUSTED_RATIO = 0.5;

/** True if the reported output is impossible: the visible text by itself weighs more than twice as much. */
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
 * the output; reasoning that the message does not hold, reported or beyond its text, cannot.
 */
export function ruleFor(losses: RuleLosses, reply: ReplyReport, rules: readonly ReturnRule[], price: TextPrice): ReturnRule {
  const reasoning = reply.content?.reasoning ?? "none";
  const isReported = (reply.reasoningTokens ?? 0) > 0 || exceedsText(reply, price);
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
