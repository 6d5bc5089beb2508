import type { Message, UsageEntry } from "@plimsoll/core";
import { addFeatures, type Features, featuresOf, HIDDEN_REPLY_FEATURE, imageTokensOf, NO_FEATURES } from "./features.ts";
import { ridge, type WeightedRow } from "./least-squares.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** Tokens a unit of each feature, for one model. */
export type Coefficients = Features;

/** Features of the messages of one session, each computed once. */
export type FeatureSource = (message: Message) => Features;

/** The features of a session's messages: replies know the usage of the call that produced them. */
export function featureSource(session: { readonly calls: readonly RecordedCall[] }): FeatureSource {
  let usages: ReadonlyMap<Message, UsageEntry> | null = null;
  const known = new WeakMap<Message, Features>();
  return (message) => {
    const seen = known.get(message);
    if (seen !== undefined) return seen;
    usages ??= new Map(session.calls.flatMap(({ reply, usage }) => (reply === null ? [] : [[reply, usage] as const])));
    const features = featuresOf(message, usages.get(message) ?? null);
    known.set(message, features);
    return features;
  };
}

/**
 * The expectation before a session's own reports speak: 0.3 tokens a character (recorded sessions have 0.23 to 0.44), 12 tokens a message (3 to 85),
 * hidden output that mostly returns. Strengths in observations: chosen, small compared with a session.
 */
const PRIORS = [
  { value: 0.3, strength: 3 },
  { value: 0.3, strength: 3 },
  { value: 0.3, strength: 3 },
  { value: 0.3, strength: 3 },
  { value: 0.8, strength: 3 },
  { value: 12, strength: 3 },
] as const;

/** Bounds of plausible coefficients, so that a strange session cannot price text at nothing or below. */
const LOWER_BOUNDS: Features = [0.1, 0.1, 0.1, 0, 0, 0];
const UPPER_BOUNDS: Features = [1, 1, 1, 1, 1.2, 120];

/** The prices of sessions without usage: the field's four characters a token, nothing hidden. */
export const UNMEASURED_COEFFICIENTS: Coefficients = [0.25, 0.25, 0.25, 0.25, 0, 0];

/** Passes of reweighting: the weights hardly move after the sixth. */
const PASSES = 10;

/**
 * Coefficients for each model id by robust least squares on the differences between consecutive reports of an epoch. Falling
 * prompts are no observation; outliers (hidden events) lose their weight pass by pass.
 */
export function fitCoefficients(
  calls: readonly RecordedCall[],
  featuresOfMessage: FeatureSource,
): ReadonlyMap<string, Coefficients> {
  const observations = groupByModel(differences(calls, featuresOfMessage));
  return new Map([...observations].map(([modelId, rows]) => [modelId, robustFit(rows)]));
}

/** Modelled tokens of features, before rounding. */
export function weigh(features: Features, coefficients: Coefficients): number {
  let tokens = 0;
  for (let index = 0; index < features.length; index++) tokens += (features[index] ?? 0) * (coefficients[index] ?? 0);
  return tokens;
}

/** The part of a message's modelled size that is hidden output (reasoning that is not on file). */
export function hiddenTokens(features: Features, coefficients: Coefficients): number {
  return features[HIDDEN_REPLY_FEATURE] * coefficients[HIDDEN_REPLY_FEATURE];
}

interface Difference {
  readonly modelId: string;
  readonly x: Features;
  readonly y: number;
}

function differences(calls: readonly RecordedCall[], featuresOfMessage: FeatureSource): readonly Difference[] {
  const rows: Difference[] = [];
  let anchorTokens: number | null = null;
  let x = NO_FEATURES;
  let imageTokens = 0;
  for (const call of calls) {
    if (call.epochStart !== null) anchorTokens = null;
    else {
      for (const message of call.newMessages) {
        x = addFeatures(x, featuresOfMessage(message));
        imageTokens += imageTokensOf(message);
      }
    }
    if (call.reportedTokens === null) continue;
    const y = anchorTokens === null ? 0 : call.reportedTokens - anchorTokens - imageTokens;
    if (y > 0 && x[5] > 0) rows.push({ modelId: call.modelId, x, y });
    anchorTokens = call.reportedTokens;
    x = NO_FEATURES;
    imageTokens = 0;
  }
  return rows;
}

function groupByModel(rows: readonly Difference[]): ReadonlyMap<string, readonly Difference[]> {
  const groups = new Map<string, Difference[]>();
  for (const row of rows) {
    const group = groups.get(row.modelId);
    if (group === undefined) groups.set(row.modelId, [row]);
    else group.push(row);
  }
  return groups;
}

function robustFit(rows: readonly Difference[]): Coefficients {
  let coefficients: Coefficients = bounded(PRIORS.map((prior) => prior.value));
  let spread = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < PASSES; pass++) {
    const weighted: WeightedRow[] = rows.map(({ x, y }) => ({ x, y, weight: rowWeight({ x, y }, coefficients, spread) }));
    coefficients = bounded(ridge(weighted, PRIORS));
    spread = medianOf(rows.map((row) => relativeResidual(row, coefficients)));
  }
  return coefficients;
}

/** Differences of this many tokens count in full; the error of larger ones is relative. */
const SMALL_DIFFERENCE_TOKENS = 200;

function relativeResidual({ x, y }: { x: Features; y: number }, coefficients: Coefficients): number {
  const expected = weigh(x, coefficients);
  return Math.abs(y - expected) / (SMALL_DIFFERENCE_TOKENS + expected);
}

/** Cauchy weights on relative residuals, with 2.4 × 1.4826 × the median as their width (95 % efficient on normal errors). */
function rowWeight(row: { x: Features; y: number }, coefficients: Coefficients, spread: number): number {
  const scale = 1 / (SMALL_DIFFERENCE_TOKENS + weigh(row.x, coefficients)) ** 2;
  const width = 2.4 * 1.4826 * Math.max(spread, 0.002);
  return scale / (1 + (relativeResidual(row, coefficients) / width) ** 2);
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function bounded(values: readonly number[]): Coefficients {
  const at = (index: 0 | 1 | 2 | 3 | 4 | 5) =>
    Math.min(UPPER_BOUNDS[index], Math.max(LOWER_BOUNDS[index], values[index] ?? PRIORS[index].value));
  return [at(0), at(1), at(2), at(3), at(4), at(5)];
}
