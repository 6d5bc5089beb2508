/** One row: `y` explained by `x`, counted `weight` times. */
export interface WeightedRow {
  readonly x: readonly number[];
  readonly y: number;
  readonly weight: number;
}

/** A coefficient's expected value, and the weight of that expectation in average observations. */
export interface CoefficientPrior {
  readonly value: number;
  readonly strength: number;
}

/** A coefficient that is never below a value, with any rows. */
export interface FlooredPrior extends CoefficientPrior {
  readonly least: number;
}

/**
 * Coefficients that minimise Σ weight × (y − x·c)² + Σ strength × evidence × (c − prior)², where a feature's evidence is its
 * mean weighted square a row; a feature that never occurs stays at its prior. Normal equations, solved directly.
 */
export function ridge(rows: readonly WeightedRow[], priors: readonly CoefficientPrior[]): readonly number[] {
  const { matrix, right } = normalEquations(rows, priors);
  return solve(matrix, right);
}

/** Sweeps over the coefficients: thirty-two of them move by less than 1e-6 long before. */
const SWEEPS = 500;

/**
 * The minimum of {@link ridge} with every coefficient at or above its floor: each in turn takes its best value while the others stay, until none moves.
 * The sum is convex and the bounds are single, so this ends at the one minimum.
 */
export function flooredRidge(rows: readonly WeightedRow[], priors: readonly FlooredPrior[]): readonly number[] {
  const { matrix, right } = normalEquations(rows, priors);
  const solution = priors.map(({ value, least }) => Math.max(value, least));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0;
    for (const [i, { least }] of priors.entries()) {
      const row = matrix[i] ?? [];
      const others = row.reduce((sum, value, j) => (j === i ? sum : sum + value * (solution[j] ?? 0)), 0);
      const best = Math.max(least, ((right[i] ?? 0) - others) / (row[i] ?? 1));
      moved = Math.max(moved, Math.abs(best - (solution[i] ?? 0)));
      solution[i] = best;
    }
    if (moved < 1e-9) break;
  }
  return solution;
}

function normalEquations(
  rows: readonly WeightedRow[],
  priors: readonly CoefficientPrior[],
): { readonly matrix: number[][]; readonly right: number[] } {
  const size = priors.length;
  const matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  const right = new Array<number>(size).fill(0);
  const add = (i: number, j: number, amount: number) => {
    const row = matrix[i];
    if (row !== undefined) row[j] = (row[j] ?? 0) + amount;
  };
  for (const { x, y, weight } of rows) {
    for (let i = 0; i < size; i++) {
      const xi = x[i] ?? 0;
      if (xi === 0) continue;
      right[i] = (right[i] ?? 0) + weight * xi * y;
      for (let j = 0; j < size; j++) add(i, j, weight * xi * (x[j] ?? 0));
    }
  }
  for (const [i, prior] of priors.entries()) {
    const meanEvidence = (matrix[i]?.[i] ?? 0) / Math.max(1, rows.length);
    const strength = prior.strength * (meanEvidence > 0 ? meanEvidence : 1);
    add(i, i, strength);
    right[i] = (right[i] ?? 0) + strength * prior.value;
  }
  return { matrix, right };
}

/** Solves a symmetric positive definite system by elimination; the matrix is consumed. */
function solve(matrix: number[][], right: number[]): readonly number[] {
  const size = right.length;
  const at = (i: number, j: number) => matrix[i]?.[j] ?? 0;
  for (let pivot = 0; pivot < size; pivot++) {
    for (let row = pivot + 1; row < size; row++) {
      const factor = at(row, pivot) / at(pivot, pivot);
      if (factor === 0) continue;
      const target = matrix[row] ?? [];
      for (let column = pivot; column < size; column++) target[column] = at(row, column) - factor * at(pivot, column);
      right[row] = (right[row] ?? 0) - factor * (right[pivot] ?? 0);
    }
  }
  const solution = new Array<number>(size).fill(0);
  for (let row = size - 1; row >= 0; row--) {
    let sum = right[row] ?? 0;
    for (let column = row + 1; column < size; column++) sum -= at(row, column) * (solution[column] ?? 0);
    solution[row] = sum / at(row, row);
  }
  return solution;
}
