import { BASELINE_POLICY } from "../metrics/has-acted.ts";
import type { BenchReport } from "../results.ts";
import { type InSession, inLineages, unitOf } from "../statistics.ts";
import { isOwnRule } from "../sweep/grid.ts";
import { withoutApart } from "./apart.ts";
import { type Standing, standingOf, standingsIn } from "./standing.ts";
import { windowLabel } from "./window-label.ts";

/**
 * Policies compared in one window over one list of sessions: those that outgrow the window without compaction, in which every policy has to act. A policy's work
 * in sessions that fit without it decides nothing. If no session is outgrown, they are compared over all that any of them touched.
 */
export interface Compared {
  readonly windowLabel: string;
  readonly units: readonly InSession[];
  /** By policy, in the order of the report; only policies that were replayed in each of the sessions. */
  readonly standings: ReadonlyMap<string, Standing>;
  /** The same over the other sessions, which nobody has to compact; empty if none is outgrown. */
  readonly fitting: ReadonlyMap<string, Standing>;
  /** False if no session outgrows the window. */
  readonly isOutgrown: boolean;
  /** True if a price was missing, so that prompt tokens replace cost. */
  readonly hasEstimatedCost: boolean;
}

/** Names the policies of a report that may compact, those without keep rules of a person's own first. */
export function actingIn({ policies }: Pick<BenchReport, "policies">): ReadonlySet<string> {
  const rules = ({ policy }: BenchReport["policies"][number]) => policy.keep.filter(isOwnRule).length;
  const plainestFirst = policies.toSorted((a, b) => rules(a) - rules(b));
  return new Set(plainestFirst.flatMap(({ name, policy }) => (policy.enabled ? [name] : [])));
}

/** Compares all policies of a report in one window. Sessions that only policies touched which may not compact are not compared. */
export function comparedIn(whole: BenchReport, label: string): Compared {
  const report = withoutApart(whole);
  const acting = actingIn(report);
  const rows = report.rows.filter((row) => row.metrics !== null && windowLabel(row.window) === label);
  const nothing = new Map(rows.flatMap((row) => (row.policy === BASELINE_POLICY ? [[row.session, row] as const] : [])));
  const { bySession, broken } = standingsIn({ sessions: report.sessions, rows });
  const touched = new Set(
    [...bySession].flatMap(([policy, own]) =>
      acting.has(policy) ? own.flatMap(({ session, hasActed }) => (hasActed ? [session] : [])) : [],
    ),
  );
  const isOutgrown = (session: string) => (nothing.get(session)?.metrics?.safety.overflowingRequests ?? 0) > 0;
  const isCompared = [...nothing.keys()].some(isOutgrown) ? isOutgrown : (session: string) => touched.has(session);
  const played = report.sessions.filter(({ session }) => nothing.has(session));
  const compared = played.filter(({ session }) => isCompared(session));
  const standingsWhere = (isIn: (session: string) => boolean, count: number) =>
    new Map(
      report.policies.flatMap(({ name }) => {
        const own = (bySession.get(name) ?? []).filter(({ session }) => isIn(session));
        return own.length === 0 || own.length < count ? [] : [[name, standingOf(name, own, broken)] as const];
      }),
    );
  return {
    isOutgrown: isCompared === isOutgrown,
    windowLabel: label,
    units: inLineages(compared).map(([first]) => unitOf(first)),
    standings: standingsWhere(isCompared, compared.length),
    fitting: standingsWhere((session) => isCompared === isOutgrown && !isOutgrown(session), played.length - compared.length),
    hasEstimatedCost: compared.some(({ session }) => (nothing.get(session)?.metrics?.cost.withCacheUsd ?? null) === null),
  };
}
