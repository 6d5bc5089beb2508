import type { Exposures } from "./exposures.ts";
import type { Weighted } from "./resample.ts";

/** The first age of the regression: at age 1 what was fetched still stands before the agent's eyes (protocol). */
const FIRST_AGE = 2;

/** Newton's steps at most; a regression that has not settled by then has no figure. */
const MOST_STEPS = 40;

/** A step of the rate by more than this factor's logarithm means that one side had no fetch: no figure. */
const MOST_LOG_STEP = 6;

/** Exposures and fetches at each age, of one cluster. */
export type AgeCounts = Exposures[keyof Exposures];

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
