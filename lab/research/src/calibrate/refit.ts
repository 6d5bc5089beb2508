import { flooredRidge, ridge } from "@plimsoll/bench/extend";
import type { SessionObservations } from "./observations.ts";

/** Weights of the character classes, and how each session lies about them. */
export interface Refitted {
  readonly weights: readonly number[];
  readonly sessions: readonly RefittedSession[];
}

/** A session's own slope over the weights' sum, and its tokens a message. */
export interface RefittedSession {
  readonly name: string;
  readonly modelId: string;
  readonly slopeRatio: number;
  readonly messageTokens: number;
  readonly observations: number;
}

/**
 * The weights' starting point, and their target if little is seen: the behaviour of byte-pair encoders with English and code (a short word is a token
 * with its space, longer ones a quarter token a letter; a digit, a line and most marks half a token).
 */
const EXPECTED_WEIGHTS: readonly number[] = [
  0.9, 0.9, 0.9, 0.9, 0.06, 0.1, 0.25, 0.35, 0.6, 0.3, 0.02, 0.02, 0.5, 0.1, 0.5, 0.6, 0.6, 0.5, 0.5, 0.6, 0.6, 0.6, 0.7, 0.1,
  0.5, 0.8, 0.8, 0.3, 1, 2, 0.9, 0.6,
];

/**
 * No class weighs less than this share of where it started. Classes occur together, and a fit without a floor gives one of them the weight of
 * another: five came out at nothing, and a text of only such a class then counts as nothing until a report comes. Chosen.
 */
const LEAST_SHARE = 0.5;

/** Strength of that expectation: so many squared characters of the class, in observations of middle weight. Holds rare classes; chosen. */
const EXPECTATION_EVIDENCE = 4000;

/** Passes of weights against slopes, each reweighting outliers: figures move by less than 1% after the tenth. */
const PASSES = 15;

const LARGEST_MESSAGE_TOKENS = 60;
const SLOPE_BOUNDS = [0.5, 2] as const;

/** Rises smaller than this much text say more of the wire than of the text. */
const LEAST_CLASS_COUNT = 60;

/** An observation counts by 1 / (this + its expected size)²: errors of weights are relative, those of the wire are not. */
const SMALL_TOKENS = 60;

interface Row {
  readonly session: number;
  readonly x: readonly number[];
  readonly messages: number;
  readonly y: number;
}

/** Robust least squares over all sessions: one set of weights, one slope and one intercept a session, in turns. */
export function refit(sessions: readonly SessionObservations[]): Refitted {
  const rows: Row[] = sessions.flatMap(({ measured }, session) =>
    measured
      .filter(({ counts }) => sum(counts) >= LEAST_CLASS_COUNT)
      .map(({ counts, messages, tokens }) => ({ session, x: counts, messages, y: tokens })),
  );
  let weights = EXPECTED_WEIGHTS;
  let lines = sessions.map((): Line => ({ slope: 1, intercept: 8 }));
  for (let pass = 0; pass < PASSES; pass++) {
    const rowWeights = robustWeights(rows, weights, lines);
    lines = lines.map((line, session) => lineOf(rows, rowWeights, { session, weights, line }));
    const scale = geometricMean(lines.map(({ slope }) => slope));
    lines = lines.map(({ slope, intercept }) => ({ slope: slope / scale, intercept }));
    weights = weightsOf(rows, rowWeights, lines);
  }
  return {
    weights: weights.map((weight) => Math.round(weight * 100) / 100),
    sessions: sessions.flatMap(({ name, measured }, index) => {
      const [first] = measured;
      const line = lines[index];
      if (first === undefined || line === undefined) return [];
      const { slope: slopeRatio, intercept: messageTokens } = line;
      return [{ name, modelId: first.modelId, slopeRatio, messageTokens, observations: measured.length }];
    }),
  };
}

interface Line {
  readonly slope: number;
  readonly intercept: number;
}

function expectedOf({ x, messages, session }: Row, weights: readonly number[], lines: readonly Line[]): number {
  const { slope, intercept } = lines[session] ?? { slope: 1, intercept: 0 };
  return slope * dot(x, weights) + intercept * messages;
}

/** Cauchy weights on relative residuals, 3.5 times their median wide. */
function robustWeights(rows: readonly Row[], weights: readonly number[], lines: readonly Line[]): readonly number[] {
  const scales = rows.map((row) => 1 / (SMALL_TOKENS + expectedOf(row, weights, lines)));
  const residuals = rows.map((row, index) => Math.abs(row.y - expectedOf(row, weights, lines)) * (scales[index] ?? 0));
  const width = 3.5 * Math.max(0.003, medianOf(residuals));
  return residuals.map((residual, index) => (scales[index] ?? 0) ** 2 / (1 + (residual / width) ** 2));
}

function lineOf(
  rows: readonly Row[],
  rowWeights: readonly number[],
  { session, weights, line }: { session: number; weights: readonly number[]; line: Line },
): Line {
  const own = rows.flatMap((row, index) =>
    row.session === session ? [{ x: [dot(row.x, weights), row.messages], y: row.y, weight: rowWeights[index] ?? 0 }] : [],
  );
  if (own.length === 0) return line;
  const [slope = 1, intercept = 0] = ridge(own, [
    { value: 1, strength: 1 },
    { value: 10, strength: 1 },
  ]);
  return { slope: clamp(slope, ...SLOPE_BOUNDS), intercept: clamp(intercept, 0, LARGEST_MESSAGE_TOKENS) };
}

function weightsOf(rows: readonly Row[], rowWeights: readonly number[], lines: readonly Line[]): readonly number[] {
  const weighted = rows.map(({ x, messages, y, session }, index) => {
    const { slope, intercept } = lines[session] ?? { slope: 1, intercept: 0 };
    return { x: x.map((count) => count * slope), y: y - intercept * messages, weight: rowWeights[index] ?? 0 };
  });
  const evidence = EXPECTATION_EVIDENCE * medianOf(rowWeights);
  const expectations = EXPECTED_WEIGHTS.map((value, index) => {
    const seen = sum(weighted.map(({ x, weight }) => weight * (x[index] ?? 0) ** 2)) / Math.max(1, weighted.length);
    return { value, strength: seen > 0 ? evidence / seen : 1, least: LEAST_SHARE * value };
  });
  return flooredRidge(weighted, expectations);
}

function dot(a: readonly number[], b: readonly number[]): number {
  let total = 0;
  for (let index = 0; index < a.length; index++) total += (a[index] ?? 0) * (b[index] ?? 0);
  return total;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(sum(values.map(Math.log)) / Math.max(1, values.length));
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
