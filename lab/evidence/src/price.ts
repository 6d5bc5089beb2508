import { type ContentKind, OLDEST_AGE } from "./exposures.ts";
import type { Unit } from "./outcomes.ts";
import { numbered, type Resampled, resampled } from "./resample.ts";
import { KEPT_OBSERVATIONS, type RunRow } from "./run-row.ts";
import { stepAt } from "./trend.ts";

/** Ages on each side of a line that are compared (protocol). */
const SIDE = 3;

/** The age at which an observation is masked: the first that is behind the line. */
export const MASKED_AGE: number = KEPT_OBSERVATIONS + 1;

/** Lines at which nothing leaves: the same comparison must say nothing there. */
export const PLACEBO_AGES: readonly number[] = [9, 12, 15];

/** How often content is fetched again on both sides of a line. */
export interface LineFigure {
  readonly kind: ContentKind;
  /** The first age behind the line. */
  readonly age: number;
  readonly exposedBefore: number;
  readonly againBefore: number;
  readonly exposedBehind: number;
  readonly againBehind: number;
  /** Rate behind the line by the rate before it. A rate that only falls with age gives less than 1. */
  readonly ratio: Resampled;
  /** Fetches more, over the ages behind the line, of each content that reaches it. */
  readonly excess: Resampled;
}

/** By how much the rate steps at a line beyond its fall with age; at a placebo line, beyond the step at the mask too. */
export function atAge(
  rows: readonly RunRow[],
  { kind, age, unit, draws }: { kind: ContentKind; age: number; unit: Unit; draws: number },
): Resampled {
  const { of, count } = numbered(rows.map((row) => `${row.dataset} ${row[unit]}`));
  const own = Array.from({ length: count }, () => Array.from({ length: OLDEST_AGE }, (): [number, number] => [0, 0]));
  for (const [place, { exposures }] of rows.entries())
    for (const [at, [exposed, again]] of exposures[kind].entries()) {
      const cell = own[of[place] ?? 0]?.[at] ?? [0, 0];
      cell[0] += exposed;
      cell[1] += again;
    }
  return resampled(count, stepAt(own, age === MASKED_AGE ? [age] : [MASKED_AGE, age]), draws);
}

/** The ratio at the mask of runs with it by that of runs without. */
export function maskedByUnmasked(
  rows: readonly RunRow[],
  { kind, unit, draws }: { kind: ContentKind; unit: Unit; draws: number },
): Resampled {
  const { of, count } = numbered(rows.map((row) => `${row.dataset} ${row[unit]}`));
  const sides = rows.map(({ exposures }) => sidesOf(exposures[kind], MASKED_AGE));
  const figure = (weights: Float64Array): number | null => {
    const sums = { masked: [0, 0, 0, 0], unmasked: [0, 0, 0, 0] };
    for (const [place, { before, behind }] of sides.entries()) {
      const weight = weights[of[place] ?? 0] ?? 0;
      const sum = rows[place]?.isMasked === true ? sums.masked : sums.unmasked;
      for (const [at, each] of [...before, ...behind].entries()) sum[at] = (sum[at] ?? 0) + weight * each;
    }
    const ratio = ([exposed = 0, again = 0, exposedBehind = 0, againBehind = 0]: readonly number[]) =>
      againBehind / exposedBehind / (again / exposed);
    const found = ratio(sums.masked) / ratio(sums.unmasked);
    return Number.isFinite(found) ? found : null;
  };
  return resampled(count, figure, draws);
}

/** Sums of exposures and fetches on both sides of a line. */
interface Sides {
  readonly before: readonly [exposed: number, again: number];
  readonly behind: readonly [exposed: number, again: number];
}

/** The comparison at one line, over runs. */
export function atLine(
  rows: readonly RunRow[],
  { kind, age, unit, draws }: { kind: ContentKind; age: number; unit: Unit; draws: number },
): LineFigure {
  const { of, count } = numbered(rows.map((row) => `${row.dataset} ${row[unit]}`));
  const own = Array.from({ length: count }, () => new Float64Array(4));
  for (const [place, { exposures }] of rows.entries()) {
    const { before, behind } = sidesOf(exposures[kind], age);
    const sums = own[of[place] ?? 0];
    for (const [cell, value] of [...before, ...behind].entries())
      if (sums !== undefined) sums[cell] = (sums[cell] ?? 0) + value;
  }
  const rates = (weights: Float64Array) => {
    const [exposedBefore, againBefore, exposedBehind, againBehind] = weighed(own, weights);
    return { before: againBefore / exposedBefore, behind: againBehind / exposedBehind };
  };
  const [exposedBefore, againBefore, exposedBehind, againBehind] = weighed(own, new Float64Array(count).fill(1));
  return {
    kind,
    age,
    exposedBefore,
    againBefore,
    exposedBehind,
    againBehind,
    ratio: resampled(
      count,
      (weights) => {
        const { before, behind } = rates(weights);
        return before > 0 ? behind / before : null;
      },
      draws,
    ),
    excess: resampled(
      count,
      (weights) => {
        const { before, behind } = rates(weights);
        const more = SIDE * (behind - before);
        return Number.isFinite(more) ? more : null;
      },
      draws,
    ),
  };
}

function weighed(own: readonly Float64Array[], weights: Float64Array): readonly [number, number, number, number] {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (const [place, sums] of own.entries()) {
    const weight = weights[place] ?? 0;
    a += weight * (sums[0] ?? 0);
    b += weight * (sums[1] ?? 0);
    c += weight * (sums[2] ?? 0);
    d += weight * (sums[3] ?? 0);
  }
  return [a, b, c, d];
}

/** Sums over the ages on both sides of a line. Throws if there are too few ages. */
export function sidesOf(ages: readonly (readonly [exposed: number, again: number])[], age: number): Sides {
  if (age <= SIDE || age - 1 + SIDE > OLDEST_AGE) throw new Error(`no ${SIDE} ages on both sides of ${age}`);
  const sum = (from: number): readonly [number, number] => {
    const side = ages.slice(from - 1, from - 1 + SIDE);
    return [side.reduce((total, [exposed]) => total + exposed, 0), side.reduce((total, [, again]) => total + again, 0)];
  };
  return { before: sum(age - SIDE), behind: sum(age) };
}
