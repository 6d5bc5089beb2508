import { grouped, type Weighted } from "./resample.ts";

/** A run with what a measure says of it. Runs are compared within their stratum. */
export interface ScoredRun {
  readonly score: number;
  readonly hasFailed: boolean;
  readonly stratum: string;
  /** Number of the cluster that is drawn whole. */
  readonly cluster: number;
}

/** Pairs of a failed and another run of one stratum, and how many of them the measure orders right (equal scores: a half). */
export interface Pairs {
  readonly pairs: number;
  readonly right: number;
}

/**
 * The area under the receiver operating characteristic over pairs within strata, as a function of the clusters' weights (Mann and Whitney, 1947).
 * Sorts once; each call is linear in the runs.
 */
export function pairsWithin(runs: readonly ScoredRun[]): (weights: Float64Array) => Pairs {
  const sorted = runs.toSorted((a, b) => a.score - b.score);
  const strata = grouped(sorted, ({ stratum }) => stratum);
  return (weights) => {
    let [pairs, right] = [0, 0];
    for (const own of strata.values()) {
      let [others, failed, tiedOthers, tiedFailed] = [0, 0, 0, 0];
      let score = Number.NaN;
      const settle = () => {
        right += tiedFailed * (others + tiedOthers / 2);
        others += tiedOthers;
        failed += tiedFailed;
        [tiedOthers, tiedFailed] = [0, 0];
      };
      for (const run of own) {
        if (run.score !== score) settle();
        score = run.score;
        const weight = weights[run.cluster] ?? 0;
        if (run.hasFailed) tiedFailed += weight;
        else tiedOthers += weight;
      }
      settle();
      pairs += failed * others;
    }
    return { pairs, right };
  };
}

/** The area alone; `null` without a pair. */
export function areaWithin(runs: readonly ScoredRun[]): Weighted {
  const pairsOf = pairsWithin(runs);
  return (weights) => {
    const { pairs, right } = pairsOf(weights);
    return pairs === 0 ? null : right / pairs;
  };
}
