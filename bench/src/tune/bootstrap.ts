import { pooledScore, type SessionScore } from "./score.ts";

/** How sure a difference between two policies is, over resampled sessions. */
export interface Sureness {
  readonly sessions: number;
  /** Middle nine tenths of the cost of the one as a share of the other's. */
  readonly costRatioFrom: number;
  readonly costRatioThrough: number;
  /** The same of the difference in source evidence, in points (0–1). */
  readonly gainFrom: number;
  readonly gainThrough: number;
  /** Share of resamples in which the one is cheaper. */
  readonly cheaperShare: number;
}

/** Fewer sessions say nothing about sessions that were not seen (chosen). */
export const FEWEST_SESSIONS = 8;
const RESAMPLES = 1_000;
const TAIL_RATIO = 0.05;

/** Resamples sessions with replacement, the same sessions for both policies. Deterministic: the generator starts the same each time. */
export function bootstrap(own: readonly SessionScore[], other: readonly SessionScore[]): Sureness {
  const otherBySession = new Map(other.map((score) => [score.session, score]));
  const pairs = own.flatMap((score) => {
    const pair = otherBySession.get(score.session);
    return pair === undefined ? [] : [[score, pair] as const];
  });
  const random = generator();
  const costs: number[] = [];
  const gains: number[] = [];
  for (let sample = 0; sample < RESAMPLES && pairs.length > 0; sample++) {
    const drawn = pairs.flatMap(() => pairs.slice(Math.floor(random() * pairs.length)).slice(0, 1));
    const [first, second] = [pooledScore(drawn.map(([score]) => score)), pooledScore(drawn.map(([, score]) => score))];
    costs.push(first.cost / second.cost);
    gains.push(first.gain - second.gain);
  }
  const [costRatioFrom, costRatioThrough] = middle(costs);
  const [gainFrom, gainThrough] = middle(gains);
  const cheaperShare = costs.filter((ratio) => ratio < 1).length / Math.max(1, costs.length);
  return { sessions: pairs.length, costRatioFrom, costRatioThrough, gainFrom, gainThrough, cheaperShare };
}

function middle(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const tail = Math.floor(sorted.length * TAIL_RATIO);
  return [sorted[tail] ?? 0, sorted[sorted.length - 1 - tail] ?? 0];
}

/** A linear congruential generator (Numerical Recipes' constants), 0 up to 1. */
function generator(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
