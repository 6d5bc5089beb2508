import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { windowLabel } from "./labels.ts";

/** A session in which a policy did worse than doing nothing did, in a window that doing nothing stayed within. */
export interface LosingCase {
  readonly session: string;
  readonly policy: string;
  readonly windowLabel: string;
  /** Cost with a prompt cache as a share of doing nothing. */
  readonly costRatio: number;
}

/**
 * Cases in which a policy cost more than doing nothing, the worst first. If doing nothing overflowed there is nothing to compare:
 * the session would have ended.
 */
export function losingCases(report: BenchReport): readonly LosingCase[] {
  const keyOf = ({ session, window }: ReplayRow) => `${windowLabel(window)}\n${session}`;
  const baseline = new Map(report.rows.flatMap((row) => (row.policy === BASELINE_POLICY ? [[keyOf(row), row] as const] : [])));
  return report.rows
    .flatMap((row): readonly LosingCase[] => {
      const nothing = baseline.get(keyOf(row))?.metrics;
      const [own, base] = [row.metrics?.cost.withCacheUsd ?? 0, nothing?.cost.withCacheUsd ?? 0];
      if (nothing?.safety.overflowingRequests !== 0 || base <= 0 || own <= base * (1 + LEAST_EXCESS_RATIO)) return [];
      return [{ session: row.session, policy: row.policy, windowLabel: windowLabel(row.window), costRatio: own / base }];
    })
    .toSorted((a, b) => b.costRatio - a.costRatio);
}

/** Less is rounding. */
const LEAST_EXCESS_RATIO = 0.001;
