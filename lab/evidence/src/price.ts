import { type ContentKind, type Exposures, OLDEST_AGE } from "./exposures.ts";
import type { Unit } from "./outcomes.ts";
import { numbered, type Resampled, resampled, type Weighted } from "./resample.ts";
import { KEPT_OBSERVATIONS, type RunRow } from "./run-row.ts";

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

/** The first age of the regression: at age 1 what was fetched still stands before the agent's eyes (protocol). */
const FIRST_AGE = 2;

/** Newton's steps at most; a regression that has not settled by then has no figure. */
const MOST_STEPS = 40;

/** A step of the rate by more than this factor's logarithm means that one side had no fetch: no figure. */
const MOST_LOG_STEP = 6;

/** Exposures and fetches at each age, of one cluster. */
type AgeCounts = Exposures[keyof Exposures];

/**
 * By which factor the rate of fetching again steps at an age, beyond what the logarithm of age and the other steps explain: Poisson regression by
 * Newton's method on sums over weighted clusters. The last of `steps` is the figure.
 */
export function stepAt(clusters: readonly AgeCounts[], steps: readonly number[]): Weighted {
  return (weights) => {
    const cells = (clusters[0] ?? []).flatMap((_, place) => {
      const age = place + 1;
      let [exposed, again] = [0, 0];
      for (const [number, counts] of clusters.entries()) {
        const weight = weights[number] ?? 0;
        exposed += weight * (counts[place]?.[0] ?? 0);
        again += weight * (counts[place]?.[1] ?? 0);
      }
      const columns = [1, Math.log(age), ...steps.map((step) => (age >= step ? 1 : 0))];
      return age < FIRST_AGE || exposed === 0 ? [] : [{ exposed, again, columns }];
    });
    const found = poisson(cells, steps.length + 2)?.at(-1);
    return found === undefined || Math.abs(found) > MOST_LOG_STEP ? null : Math.exp(found);
  };
}

interface Cell {
  readonly exposed: number;
  readonly again: number;
  readonly columns: readonly number[];
}

/** Coefficients of a Poisson regression with exposures; `null` if it does not settle. */
function poisson(cells: readonly Cell[], width: number): readonly number[] | null {
  const again = cells.reduce((sum, cell) => sum + cell.again, 0);
  const exposed = cells.reduce((sum, cell) => sum + cell.exposed, 0);
  if (again === 0) return null;
  let found = Array.from({ length: width }, (_, at) => (at === 0 ? Math.log(again / exposed) : 0));
  for (let step = 0; step < MOST_STEPS; step++) {
    const gradient = new Array<number>(width).fill(0);
    const curve = Array.from({ length: width }, () => new Array<number>(width).fill(0));
    for (const { columns, ...cell } of cells) {
      const mean = cell.exposed * Math.exp(columns.reduce((sum, each, at) => sum + each * (found[at] ?? 0), 0));
      for (const [row, one] of columns.entries()) {
        gradient[row] = (gradient[row] ?? 0) + one * (cell.again - mean);
        const line = curve[row] ?? [];
        for (const [column, other] of columns.entries()) line[column] = (line[column] ?? 0) + one * other * mean;
      }
    }
    const change = solved(curve, gradient);
    if (change === null || change.some((each) => !Number.isFinite(each))) return null;
    found = found.map((each, at) => each + (change[at] ?? 0));
    if (change.every((each) => Math.abs(each) < 1e-8)) return found;
  }
  return null;
}

/** Solves a small system by elimination with pivots; `null` if it has no one solution. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] | null {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  for (const at of rows.keys()) {
    const best = rows.slice(at).reduce((most, row) => (Math.abs(row[at] ?? 0) > Math.abs(most[at] ?? 0) ? row : most));
    const pivot = best[at] ?? 0;
    if (Math.abs(pivot) < 1e-12) return null;
    rows.splice(rows.indexOf(best), 1);
    rows.splice(
      at,
      0,
      best.map((each) => each / pivot),
    );
    for (const [other, row] of rows.entries())
      if (other !== at) rows[other] = row.map((each, column) => each - (row[at] ?? 0) * (rows[at]?.[column] ?? 0));
  }
  return rows.map((row) => row.at(-1) ?? 0);
}
