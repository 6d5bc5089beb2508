import type { ModelPrior } from "../model-prior.ts";

/** A line through what was measured: tokens = slope × weighed + intercept × messages, with how sure it is of both. */
export interface Regression {
  readonly slopeRatio: number;
  readonly messageTokens: number;
  /** Covariance of slope and intercept: [slope, both, intercept]. */
  readonly covariance: readonly [number, number, number];
}

/** One measurement: what some messages came to, and what they were reported as. */
export interface Measurement {
  readonly weighed: number;
  readonly messages: number;
  readonly tokens: number;
}

/**
 * How far a model is from its prior, as standard deviations: 17 % of the slope and 8 tokens a message (spread of the recorded
 * sessions about their families' figures).
 */
const PRIOR_SLOPE_DEVIATION = 0.17;
const PRIOR_MESSAGE_DEVIATION = 8;

/** Noise of one measurement: 8 tokens and 6 % of it (the class weights' error on single messages of recorded sessions). */
const NOISE_TOKENS = 8;
const NOISE_RATIO = 0.06;

/** What the texts of a session change between measurements, as variances: 2 % of the slope, 0.2 tokens a message; chosen. */
const SLOPE_DRIFT = 0.0004;
const MESSAGE_DRIFT = 0.05;

/** A surprise counts as at most so many deviations, and beyond four times that not at all: it is no measurement of text. */
const LARGEST_DEVIATIONS = 3;
const NOT_TEXT_RATIO = 4;

const SLOPE_BOUNDS = [0.4, 3] as const;
const MESSAGE_BOUNDS = [0, 150] as const;

/** The regression before any measurement. */
export function regressionFrom({ slopeRatio, messageTokens }: ModelPrior): Regression {
  return withPriorDoubt({ slopeRatio, messageTokens });
}

/** A line as sure of itself as a prior is. */
export function withPriorDoubt({ slopeRatio, messageTokens }: Pick<Regression, "slopeRatio" | "messageTokens">): Regression {
  return { slopeRatio, messageTokens, covariance: [PRIOR_SLOPE_DEVIATION ** 2, 0, PRIOR_MESSAGE_DEVIATION ** 2] };
}

/** What the regression expects of messages. */
export function expectedOf(fit: Regression, weighed: number, messages: number): number {
  return fit.slopeRatio * weighed + fit.messageTokens * messages;
}

/** Standard deviation of a measurement around what is expected, in tokens. */
export function deviationOf(fit: Regression, weighed: number, messages: number): number {
  const [slope, both, intercept] = fit.covariance;
  const expected = expectedOf(fit, weighed, messages);
  const known = slope * weighed * weighed + 2 * both * weighed * messages + intercept * messages * messages;
  return Math.sqrt(Math.max(0, known) + (NOISE_TOKENS + NOISE_RATIO * expected) ** 2);
}

/** The regression after one more measurement (a Kalman step): surprises are bounded, and what cannot be text teaches nothing. */
export function learn(fit: Regression, { weighed, messages, tokens }: Measurement): Regression {
  if (messages <= 0 || weighed <= 0) return fit;
  const drifted: Regression = {
    ...fit,
    covariance: [fit.covariance[0] + SLOPE_DRIFT * fit.slopeRatio ** 2, fit.covariance[1], fit.covariance[2] + MESSAGE_DRIFT],
  };
  const deviation = deviationOf(drifted, weighed, messages);
  const limit = LARGEST_DEVIATIONS * deviation;
  const surprise = tokens - expectedOf(drifted, weighed, messages);
  if (Math.abs(surprise) > NOT_TEXT_RATIO * limit) return fit;
  const bounded = clamp(surprise, -limit, limit);
  const [slope, both, intercept] = drifted.covariance;
  const towardSlope = slope * weighed + both * messages;
  const towardMessages = both * weighed + intercept * messages;
  const variance = deviation * deviation;
  return {
    slopeRatio: clamp(fit.slopeRatio + (towardSlope / variance) * bounded, ...SLOPE_BOUNDS),
    messageTokens: clamp(fit.messageTokens + (towardMessages / variance) * bounded, ...MESSAGE_BOUNDS),
    covariance: [
      slope - (towardSlope * towardSlope) / variance,
      both - (towardSlope * towardMessages) / variance,
      intercept - (towardMessages * towardMessages) / variance,
    ],
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
