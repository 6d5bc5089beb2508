import { asUnits, type ComparedSession, LEAST_POINTS, meanShares, VECTOR, vectorMean, vectorOf } from "../metrics/vector.ts";
import type { Origin } from "../origin.ts";
import { brokenPolicies } from "../replay/part-failures.ts";
import type { ReplayRow } from "../results.ts";
import { clusteredEstimate, geometricMeanOver, type Interval } from "../statistics.ts";
import type { FiledRow } from "./split.ts";

/** Which prompt cache costs are reckoned with. */
export type CacheKind = "expiring" | "lasting";

/** One session, or lineage, under one policy: what counts for the tuner. */
export interface SessionScore extends ComparedSession {
  /** The file that it is from, or that its lineage began in. */
  readonly file: string;
  /** US dollars of its replay; prompt tokens where its models have no price. */
  readonly cost: number;
  readonly overflows: number;
  /** Set if a part of the policy failed whenever it was tried. */
  readonly isBroken?: true;
}

/** One policy over several sessions. */
export interface PolicyScore {
  /** Geometric mean of the sessions' costs as shares of doing nothing. */
  readonly cost: number;
  /** By measure of the vector the mean of the sessions' shares, in percent. */
  readonly shares: readonly (number | null)[];
  /** Means of the measures over all needs and over far ones, in percent; `null` without a need. */
  readonly gain: number | null;
  readonly farGain: number | null;
  readonly overflows: number;
  /** Set if a part of the policy failed whenever it was tried: it is never chosen. */
  readonly isBroken?: true;
}

/** A measure on which a setting holds less than the current one. */
export interface MeasureLoss {
  readonly measure: string;
  readonly points: number;
}

/** The sessions' scores by policy; sessions without a price are scored by prompt tokens. Those that `none` was not replayed in are left out. */
export function scoresByPolicy(rows: readonly FiledRow[], cache: CacheKind): ReadonlyMap<string, readonly SessionScore[]> {
  const costOf = ({ metrics }: ReplayRow): number =>
    (cache === "expiring" ? metrics?.cost.withCacheUsd : metrics?.cost.lastingCacheUsd) ?? metrics?.economy.promptTokens ?? 0;
  const baseline = new Map(rows.flatMap(({ row }) => (row.policy === "none" ? [[row.session, row] as const] : [])));
  const broken = brokenPolicies(rows.map(({ row }) => row));
  const scores = new Map<string, SessionScore[]>();
  for (const { file, lineage, row } of rows) {
    const base = baseline.get(row.session);
    if (row.metrics === null || base === undefined || base.metrics === null || costOf(base) <= 0) continue;
    const score = {
      session: row.session,
      ...(lineage === undefined ? {} : { lineage }),
      file,
      cost: costOf(row),
      costRatio: costOf(row) / costOf(base),
      vector: vectorOf(row.metrics, base.metrics),
      overflows: row.metrics.safety.overflowingRequests,
      ...(broken.has(row.policy) ? { isBroken: true as const } : {}),
    };
    const known = scores.get(row.policy);
    if (known === undefined) scores.set(row.policy, [score]);
    else known.push(score);
  }
  return new Map([...scores].map(([policy, own]) => [policy, asUnits(own, joined)]));
}

function joined(sessions: readonly SessionScore[]): Partial<SessionScore> {
  const sum = (figure: (session: SessionScore) => number) => sessions.reduce((total, session) => total + figure(session), 0);
  return {
    cost: sum(({ cost }) => cost),
    overflows: sum(({ overflows }) => overflows),
    ...(sessions.some(({ isBroken }) => isBroken) ? { isBroken: true as const } : {}),
  };
}

/** Puts sessions together. */
export function pooledScore(sessions: readonly SessionScore[]): PolicyScore {
  const sum = (figure: (session: SessionScore) => number) => sessions.reduce((total, session) => total + figure(session), 0);
  const shares = meanShares(sessions.map(({ vector }) => vector)).map(({ own }) => own);
  return {
    cost: Math.exp(sum(({ costRatio }) => Math.log(Math.max(costRatio, Number.MIN_VALUE))) / Math.max(1, sessions.length)),
    shares,
    gain: vectorMean(shares, "all"),
    farGain: vectorMean(shares, "far"),
    overflows: sum(({ overflows }) => overflows),
    ...(sessions.some(({ isBroken }) => isBroken) ? { isBroken: true as const } : {}),
  };
}

/** The measures on which the one holds less than the other by a point at least, the most first. */
export function lossesAgainst(own: PolicyScore, other: PolicyScore): readonly MeasureLoss[] {
  const losses = VECTOR.flatMap(({ name }, place): readonly MeasureLoss[] => {
    const [share, theirs] = [own.shares[place] ?? null, other.shares[place] ?? null];
    if (share === null || theirs === null || theirs - share < LEAST_POINTS) return [];
    return [{ measure: name, points: theirs - share }];
  });
  return losses.toSorted((a, b) => b.points - a.points);
}

/** How sure a difference between two policies is: intervals over repositories. */
export interface Sureness {
  readonly sessions: number;
  /** Cost of the one as a share of the other's: geometric mean of the sessions. */
  readonly costRatio: Interval;
  /** Difference in the vector's mean over all needs, in points. */
  readonly gain: Interval;
}

/**
 * The one against the other over the sessions that both have; `null` from too few owners for an interval. What stays together when sessions are
 * drawn anew is their repository unless something else is given.
 */
export function surenessOf(
  own: readonly SessionScore[],
  other: readonly SessionScore[],
  clusterOf?: (session: string) => Origin,
): Sureness | null {
  const otherBySession = new Map(other.map((score) => [score.session, score]));
  const pairs = own.flatMap((score) => {
    const pair = otherBySession.get(score.session);
    return pair === undefined ? [] : [{ session: score.session, lineage: score.file, own: score, other: pair }];
  });
  const cost = clusteredEstimate(
    pairs,
    geometricMeanOver(({ own: mine, other: theirs }) => mine.costRatio / theirs.costRatio),
    clusterOf,
  );
  const gain = clusteredEstimate(
    pairs,
    {
      width: 2 * VECTOR.length,
      add(pair, sums) {
        for (const place of VECTOR.keys()) {
          const [share, theirs] = [pair.own.vector[place]?.own ?? null, pair.other.vector[place]?.own ?? null];
          if (share === null || theirs === null) continue;
          sums[2 * place] = (sums[2 * place] ?? 0) + share - theirs;
          sums[2 * place + 1] = (sums[2 * place + 1] ?? 0) + 1;
        }
      },
      figure: (sums) =>
        vectorMean(
          VECTOR.map((_, place) => {
            const [points = 0, count = 0] = sums.subarray(2 * place);
            return count === 0 ? null : points / count;
          }),
          "all",
        ),
    },
    clusterOf,
  );
  if (cost.interval === null || gain.interval === null) return null;
  return { sessions: pairs.length, costRatio: cost.interval, gain: gain.interval };
}
