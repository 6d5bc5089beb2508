import type { ModelPrior, ModelPriors } from "../measure.ts";
import { type ContentSum, weighCounts } from "./content.ts";

/**
 * Which part of a reply is in the next prompt: all that was reported; that without its reasoning; or, if reports cannot be
 * trusted, the visible text by its own weight, without or with readable reasoning.
 */
export type ReturnRule = "output" | "visible" | "text" | "text-and-reasoning";

/** How far each rule was off lately, from 0 (right) up. */
export type RuleLosses = Readonly<Record<ReturnRule, number>>;

/** Nothing is known of any rule. */
export const NO_LOSSES: RuleLosses = { output: 0, visible: 0, text: 0, "text-and-reasoning": 0 };

export const RETURN_RULES: readonly ReturnRule[] = ["output", "visible", "text", "text-and-reasoning"];

/** The rules that need no output count. */
export const TEXT_RULES: readonly ReturnRule[] = ["text", "text-and-reasoning"];

/** One value a rule, each made of the same. */
export function everyRule<T, From>(of: (rule: ReturnRule, from: From) => T, from: From): { readonly [rule in ReturnRule]: T } {
  return {
    output: of("output", from),
    visible: of("visible", from),
    text: of("text", from),
    "text-and-reasoning": of("text-and-reasoning", from),
  };
}

/** A line through what was measured: tokens = slope × weighed + intercept × messages, with how sure it is of both. */
export interface Regression {
  readonly slopeRatio: number;
  readonly messageTokens: number;
  /** Covariance of slope and intercept: [slope, both, intercept]. */
  readonly covariance: readonly [number, number, number];
}

/** One measurement: the weight and number of some messages, and the tokens that were reported for them. */
export interface Measurement {
  readonly weighed: number;
  readonly messages: number;
  readonly tokens: number;
}

/** The knowledge that a session has of one model: the price of text, the part of a reply that returns, the part that vanishes at a turn. */
export interface ModelFit {
  readonly regression: Regression;
  /** The same line, had each rule been in force all along: a wrong rule must not hide in the price of text. */
  readonly lines: { readonly [rule in ReturnRule]: Regression };
  readonly ruleLosses: RuleLosses;
  /** How far "the turn's reasoning stays" and "goes" were off lately. */
  readonly turnLosses: { readonly stays: number; readonly goes: number };
  /** Share of late replies whose output count cannot be. */
  readonly untrustedRatio: number;
  /** Share of late replies with far more output than text and no reasoning to explain it; 1 until the model has shown otherwise. */
  readonly hiddenRatio: number;
}

/** A model as far as its prior and its own reports describe it. */
export interface KnownModel {
  readonly prior: ModelPrior;
  readonly fit: ModelFit;
}

/** The model of the next request, and those that counted so far. */
export interface Model extends KnownModel {
  /** The factor from the newest report to this model's tokens; 1 if it is its own. */
  readonly switchRatio: number;
  /** The models of the newest report and of the ledger's first; this model itself if it made them, or if there are none. */
  readonly reported: KnownModel;
  readonly firstReported: KnownModel;
}

/**
 * How far a model is from its prior, as standard deviations: 12 % of the slope and 15 tokens a message. Chosen by the held-out figures,
 * as are noise and drift below (docs/evidence.md, 2026-11-23).
 */
const PRIOR_SLOPE_DEVIATION = 0.12;
const PRIOR_MESSAGE_DEVIATION = 15;

/** Noise of one measurement: 8 tokens and 5 % of it (the class weights' error on single messages is 4 to 6 %). */
const NOISE_TOKENS = 8;
const NOISE_RATIO = 0.05;

/** How much the texts of a session change between measurements, as variances: 1 % of the slope, 0.2 tokens a message; chosen. */
const SLOPE_DRIFT = 0.0001;
const MESSAGE_DRIFT = 0.05;

/** A surprise counts as at most so many deviations, and beyond four times that not at all: it is no measurement of text. */
const LARGEST_DEVIATIONS = 3;
const NOT_TEXT_RATIO = 4;

const SLOPE_BOUNDS = [0.4, 3] as const;
const MESSAGE_BOUNDS = [0, 150] as const;

/** A line with the uncertainty of a prior: nothing was measured of it yet. */
export function regressionFrom({ slopeRatio, messageTokens }: Pick<Regression, "slopeRatio" | "messageTokens">): Regression {
  return { slopeRatio, messageTokens, covariance: [PRIOR_SLOPE_DEVIATION ** 2, 0, PRIOR_MESSAGE_DEVIATION ** 2] };
}

/** Expected tokens of messages with this weight. */
export function expectedOf(fit: Regression, weighed: number, messages: number): number {
  return fit.slopeRatio * weighed + fit.messageTokens * messages;
}

/** Standard deviation of a measurement from what is expected, in tokens. */
export function deviationOf(fit: Regression, weighed: number, messages: number): number {
  const [slope, both, intercept] = fit.covariance;
  const expected = expectedOf(fit, weighed, messages);
  const known = slope * weighed * weighed + 2 * both * weighed * messages + intercept * messages * messages;
  return Math.sqrt(Math.max(0, known) + (NOISE_TOKENS + NOISE_RATIO * expected) ** 2);
}

/** The line after one more measurement (a Kalman step): surprises are bounded, and what cannot be text teaches nothing. */
export function learn(fit: Regression, { weighed, messages, tokens }: Measurement): Regression {
  if (messages <= 0 || weighed <= 0) return fit;
  const drifted: Regression = {
    slopeRatio: fit.slopeRatio,
    messageTokens: fit.messageTokens,
    covariance: [fit.covariance[0] + SLOPE_DRIFT * fit.slopeRatio ** 2, fit.covariance[1], fit.covariance[2] + MESSAGE_DRIFT],
  };
  const deviation = deviationOf(drifted, weighed, messages);
  const limit = LARGEST_DEVIATIONS * deviation;
  const surprise = tokens - expectedOf(drifted, weighed, messages);
  if (Math.abs(surprise) > NOT_TEXT_RATIO * limit) return fit;
  const bounded = clamp(surprise, [-limit, limit]);
  const [slope, both, intercept] = drifted.covariance;
  const towardSlope = slope * weighed + both * messages;
  const towardMessages = both * weighed + intercept * messages;
  const variance = deviation * deviation;
  return {
    slopeRatio: clamp(fit.slopeRatio + (towardSlope / variance) * bounded, SLOPE_BOUNDS),
    messageTokens: clamp(fit.messageTokens + (towardMessages / variance) * bounded, MESSAGE_BOUNDS),
    covariance: [
      slope - (towardSlope * towardSlope) / variance,
      both - (towardSlope * towardMessages) / variance,
      intercept - (towardMessages * towardMessages) / variance,
    ],
  };
}

function clamp(value: number, [least, most]: readonly [number, number]): number {
  return Math.min(most, Math.max(least, value));
}

/** A wrong prior is overruled by the first turn that shows it: chosen, half of what one wrong guess costs. */
const PRIOR_TURN_LOSS = 0.5;

/** True if a turn of this session has shown whether its reasoning stays: until then the losses are the prior's. */
export function isTurnShown({ turnLosses }: ModelFit): boolean {
  return Math.abs(turnLosses.stays - turnLosses.goes) > PRIOR_TURN_LOSS;
}

/** Share of wrong output counts that is assumed at first: until four replies were right, one that cannot be is not believed. Chosen. */
const ASSUMED_UNTRUSTED_RATIO = 0.2;

/** Makes the fit of a model before its first report; `textRatio` is the price of the session's texts over the prior so far. */
export function fitFrom(prior: ModelPrior, textRatio: number): ModelFit {
  const regression = regressionFrom({ slopeRatio: prior.slopeRatio * textRatio, messageTokens: prior.messageTokens });
  return {
    regression,
    lines: everyRule((_, line) => line, regression),
    ruleLosses: NO_LOSSES,
    turnLosses: {
      stays: prior.reasoningAtTurn === "goes" ? PRIOR_TURN_LOSS : 0,
      goes: prior.reasoningAtTurn === "stays" ? PRIOR_TURN_LOSS : 0,
    },
    untrustedRatio: ASSUMED_UNTRUSTED_RATIO,
    hiddenRatio: 1,
  };
}

/** Turns the fit of one model into the prior of another that measures alike: its own reports overrule it as soon as a prior. */
export function asPrior(fit: ModelFit): ModelFit {
  return {
    ...fit,
    regression: regressionFrom(fit.regression),
    lines: everyRule((rule, lines) => regressionFrom(lines[rule]), fit.lines),
  };
}

/** The model with another fit. */
export function withFit({ prior, switchRatio, reported, firstReported }: Model, fit: ModelFit): Model {
  return { prior, fit, switchRatio, reported, firstReported };
}

/** The models that reported so far, as a ledger knows them. */
export interface ReportedModels {
  readonly reportedModelId: string | null;
  readonly fits: { readonly [modelId: string]: ModelFit };
  readonly firstReport: { readonly modelId: string } | null;
  readonly view: ContentSum;
}

/** The model by what a ledger has learned of it. */
export function modelOf(ledger: ReportedModels, modelId: string | null, priors: ModelPriors): Model {
  const known = knownOf(ledger, modelId, priors);
  const { reportedModelId, firstReport, view } = ledger;
  const isOwn = reportedModelId === null || reportedModelId === modelId;
  const reported = isOwn ? known : knownOf(ledger, reportedModelId, priors);
  const firstModelId = firstReport === null ? null : firstReport.modelId;
  const isFirst = firstModelId === null || firstModelId === modelId;
  const switchRatio =
    reported === known || view.messages === 0 ? 1 : contentTokens(view, known) / contentTokens(view, reported);
  const { prior, fit } = known;
  return { prior, fit, switchRatio, reported, firstReported: isFirst ? known : knownOf(ledger, firstModelId, priors) };
}

function knownOf({ fits, reportedModelId }: ReportedModels, modelId: string | null, priors: ModelPriors): KnownModel {
  const prior = priors(modelId ?? "");
  const own = modelId === null ? undefined : fits[modelId];
  if (own !== undefined) return { prior, fit: own };
  const before = reportedModelId === null ? undefined : fits[reportedModelId];
  if (before === undefined) return { prior, fit: fitFrom(prior, 1) };
  const priorBefore = priors(reportedModelId ?? "");
  if (priorBefore === prior) return { prior, fit: asPrior(before) };
  return { prior, fit: fitFrom(prior, clamp(before.regression.slopeRatio / priorBefore.slopeRatio, TEXT_RATIO_BOUNDS)) };
}

/** If a session's texts cost more or less than one model's prior says, they do so with the next model too, within these bounds; chosen. */
const TEXT_RATIO_BOUNDS = [0.8, 1.25] as const;

/** Turns the pooled measure's tokens into this model's: its slope, for texts that are not messages. */
export function slopeOf({ prior, fit }: KnownModel): number {
  return fit.regression.slopeRatio * prior.pooledRatio;
}

/** Expected tokens of some messages. */
export function contentTokens(sum: ContentSum, { prior, fit }: KnownModel): number {
  return expectedOf(fit.regression, weighCounts(sum.counts, prior.weights), sum.messages) + sum.fixedTokens;
}
