import type { CostMetrics } from "../metrics/cost-recorder.ts";
import { BASELINE_POLICY, hasActed } from "../metrics/relative.ts";
import { type VectorShare, vectorOf } from "../metrics/vector.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { windowLabel } from "./labels.ts";

/** What one session came to under one policy. */
export interface SessionOutcome {
  readonly session: string;
  /** Cost as a share of doing nothing; of its prompt tokens if a model has no price. */
  readonly costRatio: number;
  /** What it held, in the order of the vector. */
  readonly vector: readonly VectorShare[];
  readonly lostRequests: number;
  readonly compactions: number;
}

/** The sessions that at least one acting policy touched in a window, so that all policies are compared over the same ones. */
export interface WindowOutcomes {
  readonly windowLabel: string;
  readonly sessions: readonly string[];
  /** By policy; only policies that were replayed in every session, in the order of the report. */
  readonly byPolicy: ReadonlyMap<string, readonly SessionOutcome[]>;
  /** True if a price was missing, so that prompt tokens stand for cost. */
  readonly hasEstimatedCost: boolean;
}

/** Which prompt cache costs are reckoned with: as the provider has it, one that never expires, or none. */
export type CacheKind = "with" | "lasting" | "without";

/** Which policies are compared, in which window, at which cost. */
export interface Comparison {
  readonly windowLabel: string;
  readonly acting: readonly string[];
  readonly cache: CacheKind;
}

/** What the policies came to in a window. */
export function windowOutcomes(report: BenchReport, { windowLabel: label, acting, cache }: Comparison): WindowOutcomes {
  const rows = report.rows.filter((row) => row.metrics !== null && windowLabel(row.window) === label);
  const baseline = new Map(rows.flatMap((row) => (row.policy === BASELINE_POLICY ? [[row.session, row] as const] : [])));
  const touched = new Set(
    rows.flatMap((row) => (acting.includes(row.policy) && hasActedIn(row, baseline.get(row.session)) ? [row.session] : [])),
  );
  const sessions = report.sessions.flatMap(({ session }) => (touched.has(session) && baseline.has(session) ? [session] : []));
  const byPolicy = new Map(
    acting.flatMap((policy) => {
      const own = new Map(rows.flatMap((row) => (row.policy === policy ? [[row.session, row] as const] : [])));
      const outcomes = sessions.flatMap((session) => outcomeOf(cache, own.get(session), baseline.get(session)));
      return outcomes.length === sessions.length && outcomes.length > 0 ? [[policy, outcomes] as const] : [];
    }),
  );
  const hasEstimatedCost = sessions.some((session) => (baseline.get(session)?.metrics?.cost.withCacheUsd ?? null) === null);
  return { windowLabel: label, sessions, byPolicy, hasEstimatedCost };
}

function hasActedIn({ session, metrics }: ReplayRow, baseline: ReplayRow | undefined): boolean {
  if (metrics === null) return false;
  const base = baseline?.metrics ?? null;
  return hasActed({ session, metrics }, base === null ? undefined : { session, metrics: base });
}

function outcomeOf(cache: CacheKind, row: ReplayRow | undefined, baseline: ReplayRow | undefined): readonly SessionOutcome[] {
  const [own, base] = [row?.metrics ?? null, baseline?.metrics ?? null];
  if (row === undefined || own === null || base === null) return [];
  const [usd, baseUsd] = [usdOf(own.cost, cache) ?? 0, usdOf(base.cost, cache) ?? 0];
  return [
    {
      session: row.session,
      costRatio: usd > 0 && baseUsd > 0 ? usd / baseUsd : own.economy.promptTokens / Math.max(1, base.economy.promptTokens),
      vector: vectorOf(own),
      lostRequests: own.safety.unrecoveredRequests,
      compactions: own.economy.compactions,
    },
  ];
}

function usdOf(cost: CostMetrics, cache: CacheKind): number | null {
  if (cache === "with") return cost.withCacheUsd;
  return cache === "lasting" ? cost.lastingCacheUsd : cost.withoutCacheUsd;
}
