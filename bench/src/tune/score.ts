import type { ReplayRow } from "../results.ts";
import { clusteredEstimate, type Interval, ratioOf } from "../statistics.ts";
import type { FiledRow } from "./split.ts";

/** Which prompt cache costs are reckoned with. */
export type CacheKind = "expiring" | "lasting";

/** One session under one policy: what counts for the tuner. */
export interface SessionScore {
  readonly session: string;
  /** Cost as a share of what doing nothing costs. */
  readonly costRatio: number;
  readonly uses: number;
  readonly sourceEvidenced: number;
  readonly overflows: number;
}

/** One policy over several sessions. Cost is the geometric mean, evidence pooled over all uses. */
export interface PolicyScore {
  readonly cost: number;
  readonly gain: number;
  readonly overflows: number;
}

/** The sessions' scores by policy; sessions without a price are scored by prompt tokens. Those that `none` was not replayed in are left out. */
export function scoresByPolicy(rows: readonly FiledRow[], cache: CacheKind): ReadonlyMap<string, readonly SessionScore[]> {
  const costOf = ({ metrics }: ReplayRow): number =>
    (cache === "expiring" ? metrics?.cost.withCacheUsd : metrics?.cost.lastingCacheUsd) ?? metrics?.economy.promptTokens ?? 0;
  const baseline = new Map(rows.flatMap(({ row }) => (row.policy === "none" ? [[row.session, costOf(row)] as const] : [])));
  const scores = new Map<string, SessionScore[]>();
  for (const { row } of rows) {
    const base = baseline.get(row.session) ?? 0;
    if (row.metrics === null || base <= 0) continue;
    const { uses, sourceEvidenced } = row.metrics.retention.all;
    const overflows = row.metrics.safety.overflowingRequests;
    const score = { session: row.session, costRatio: costOf(row) / base, uses, sourceEvidenced, overflows };
    const known = scores.get(row.policy);
    if (known === undefined) scores.set(row.policy, [score]);
    else known.push(score);
  }
  return scores;
}

/** Puts sessions together; a session that comes several times (a resample) counts several times. */
export function pooledScore(sessions: readonly SessionScore[]): PolicyScore {
  const logs = sessions.reduce((sum, { costRatio }) => sum + Math.log(Math.max(costRatio, Number.MIN_VALUE)), 0);
  const uses = sessions.reduce((sum, session) => sum + session.uses, 0);
  return {
    cost: Math.exp(logs / Math.max(1, sessions.length)),
    gain: uses === 0 ? 1 : sessions.reduce((sum, session) => sum + session.sourceEvidenced, 0) / uses,
    overflows: sessions.reduce((sum, session) => sum + session.overflows, 0),
  };
}

/** How sure a difference between two policies is: intervals over repositories. */
export interface Sureness {
  readonly sessions: number;
  /** Cost of the one as a share of the other's: geometric mean of the sessions. */
  readonly costRatio: Interval;
  /** Difference in source evidence, pooled over all uses (0–1). */
  readonly gain: Interval;
}

/** The one against the other over the sessions that both have; `null` from too few owners for an interval. */
export function surenessOf(own: readonly SessionScore[], other: readonly SessionScore[]): Sureness | null {
  const otherBySession = new Map(other.map((score) => [score.session, score]));
  const pairs = own.flatMap((score) => {
    const pair = otherBySession.get(score.session);
    return pair === undefined ? [] : [{ session: score.session, own: score, other: pair }];
  });
  const cost = clusteredEstimate(pairs, {
    width: 2,
    add(pair, sums) {
      sums[0] = (sums[0] ?? 0) + Math.log(pair.own.costRatio / pair.other.costRatio);
      sums[1] = (sums[1] ?? 0) + 1;
    },
    figure: ([logs = 0, count = 0]) => (count === 0 ? null : Math.exp(logs / count)),
  });
  const gain = clusteredEstimate(pairs, {
    width: 4,
    add(pair, sums) {
      for (const [place, { uses, sourceEvidenced }] of [pair.own, pair.other].entries()) {
        sums[2 * place] = (sums[2 * place] ?? 0) + sourceEvidenced;
        sums[2 * place + 1] = (sums[2 * place + 1] ?? 0) + uses;
      }
    },
    figure: ([held, uses, otherHeld, otherUses]) => (ratioOf(held, uses) ?? 1) - (ratioOf(otherHeld, otherUses) ?? 1),
  });
  if (cost.interval === null || gain.interval === null) return null;
  return { sessions: pairs.length, costRatio: cost.interval, gain: gain.interval };
}
