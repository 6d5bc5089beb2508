import { BASELINE_POLICY, hasActed } from "../metrics/relative.ts";
import { asUnits, type ComparedSession, vectorOf } from "../metrics/vector.ts";
import { brokenPolicies } from "../replay/part-failures.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import {
  clusteredEstimate,
  type Estimate,
  geometricMeanOver,
  type InSession,
  inLineages,
  ratioOf,
  unitOf,
} from "../statistics.ts";
import { withoutApart } from "./apart.ts";
import { windowLabel } from "./labels.ts";

/** The figures of one session under one policy, or of all sessions with one beginning as one. Cost is that of prompt tokens if a model has no price. */
export interface SessionOutcome extends ComparedSession {
  /** False if the policy neither compacted, nor tried to, nor changed the tokens that were sent. */
  readonly hasActed: boolean;
  readonly lostRequests: number;
  readonly compactions: number;
}

/**
 * The figures of policies in a window, in dollars with a prompt cache. They are compared over one list of sessions: those that doing nothing outgrows, in which every policy has to
 * act. What a policy does in sessions that fit without it is shown and decides nothing. If no session is outgrown, they are compared over all that any
 * of them touched.
 */
export interface WindowOutcomes {
  readonly windowLabel: string;
  /** The sessions that are compared, the first of each lineage, and why. */
  readonly sessions: readonly string[];
  /** The same sessions with their lineages. */
  readonly units: readonly InSession[];
  readonly basis: "outgrown" | "touched";
  /** By policy what the compared sessions came to; only policies that were replayed in each of them, in the order of the report. */
  readonly byPolicy: ReadonlyMap<string, readonly SessionOutcome[]>;
  /** Policies of which a part failed whenever it was tried. */
  readonly broken: ReadonlySet<string>;
  /** By policy what all sessions came to in which it acted. */
  readonly whereActed: ReadonlyMap<string, readonly SessionOutcome[]>;
  /** True if a price was missing, so that prompt tokens stand for cost. */
  readonly hasEstimatedCost: boolean;
}

/** Which policies are compared, in which window. */
interface Comparison {
  readonly windowLabel: string;
  readonly acting: readonly string[];
  /** Policies that are shown beside them, over the same sessions; none if left out. */
  readonly beside?: readonly string[];
}

/** Compares policies in one window over the same sessions: those too large for it without compaction; if none is, those that any policy changed. */
export function windowOutcomes(whole: BenchReport, { windowLabel: label, acting, beside = [] }: Comparison): WindowOutcomes {
  const report = withoutApart(whole);
  const rows = report.rows.filter((row) => row.metrics !== null && windowLabel(row.window) === label);
  const baseline = new Map(rows.flatMap((row) => (row.policy === BASELINE_POLICY ? [[row.session, row] as const] : [])));
  const everywhere = [...acting, ...beside].map((policy) => {
    const own = new Map(rows.flatMap((row) => (row.policy === policy ? [[row.session, row] as const] : [])));
    const known = report.sessions.flatMap((described) => {
      const { session } = described;
      return outcomeOf(own.get(session), baseline.get(session)).map((outcome) => ({ ...outcome, ...unitOf(described) }));
    });
    return [policy, known] as const;
  });
  const acted = everywhere.map(([policy, known]) => [policy, known.filter(({ hasActed: has }) => has)] as const);
  const touched = new Set(acted.slice(0, acting.length).flatMap(([, known]) => known.map(({ session }) => session)));
  const whereActed = new Map(acted.map(([policy, known]) => [policy, unitsOf(known)]));
  const isOutgrown = (session: string) => (baseline.get(session)?.metrics?.safety.overflowingRequests ?? 0) > 0;
  const basis = [...baseline.keys()].some(isOutgrown) ? "outgrown" : "touched";
  const isCompared = basis === "outgrown" ? isOutgrown : (session: string) => touched.has(session);
  const compared = report.sessions.filter(({ session }) => baseline.has(session) && isCompared(session));
  const units = inLineages(compared).map(([first]) => unitOf(first));
  const sessions = units.map(({ session }) => session);
  const byPolicy = new Map(
    everywhere.flatMap(([policy, known]) => {
      const outcomes = known.filter(({ session }) => isCompared(session));
      return outcomes.length === compared.length && outcomes.length > 0 ? [[policy, unitsOf(outcomes)] as const] : [];
    }),
  );
  const hasEstimatedCost = compared.some(({ session }) => (baseline.get(session)?.metrics?.cost.withCacheUsd ?? null) === null);
  return { windowLabel: label, sessions, units, basis, byPolicy, broken: brokenPolicies(rows), whereActed, hasEstimatedCost };
}

function unitsOf(outcomes: readonly SessionOutcome[]): readonly SessionOutcome[] {
  return asUnits(outcomes, (own) => ({
    hasActed: own.some(({ hasActed: has }) => has),
    lostRequests: own.reduce((sum, { lostRequests }) => sum + lostRequests, 0),
    compactions: own.reduce((sum, { compactions }) => sum + compactions, 0),
  }));
}

/** The same comparison among some of the policies, over the same sessions. */
export function amongPolicies(outcomes: WindowOutcomes, policies: ReadonlySet<string>): WindowOutcomes {
  const byPolicy = new Map([...outcomes.byPolicy].filter(([policy]) => policies.has(policy)));
  return { ...outcomes, byPolicy };
}

function outcomeOf(row: ReplayRow | undefined, baseline: ReplayRow | undefined): readonly SessionOutcome[] {
  const [own, base] = [row?.metrics ?? null, baseline?.metrics ?? null];
  if (row === undefined || own === null || base === null) return [];
  const [usd, baseUsd] = [own.cost.withCacheUsd ?? 0, base.cost.withCacheUsd ?? 0];
  return [
    {
      session: row.session,
      costRatio: usd > 0 && baseUsd > 0 ? usd / baseUsd : own.economy.promptTokens / Math.max(1, base.economy.promptTokens),
      vector: vectorOf(own, base),
      hasActed: hasActed({ session: row.session, metrics: own }, { session: row.session, metrics: base }),
      lostRequests: own.safety.unrecoveredRequests,
      compactions: own.economy.compactions,
    },
  ];
}

/** Estimates a policy's cost in percent of the cost without compaction: the geometric mean over sessions, with its interval. */
export function costEstimate(outcomes: readonly SessionOutcome[]): Estimate {
  return clusteredEstimate(
    outcomes,
    geometricMeanOver(({ costRatio }) => 100 * costRatio),
  );
}

/** Less is rounding. */
const LEAST_COST_RATIO = 0.001;

/** The share of sessions that cost more than doing nothing; `null` without a session. */
export function dearerRatio(outcomes: readonly SessionOutcome[]): number | null {
  return ratioOf(outcomes.filter(({ costRatio }) => 1 - costRatio <= -LEAST_COST_RATIO).length, outcomes.length);
}
