import { asUnits, type ComparedSession, LEAST_POINTS, meanShares, VECTOR, vectorMean, vectorOf } from "../metrics/vector.ts";
import { brokenPolicies } from "../replay/part-failures.ts";
import type { ReplayRow } from "../results.ts";
import { clusteredEstimate, geometricMeanOver, type Interval } from "../statistics.ts";
import type { FiledRow } from "./split.ts";

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
export function scoresByPolicy(rows: readonly FiledRow[]): ReadonlyMap<string, readonly SessionScore[]> {
  const costOf = ({ metrics }: ReplayRow): number => metrics?.cost.withCacheUsd ?? metrics?.economy.promptTokens ?? 0;
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

/** How sure a difference between two policies is. */
export interface Sureness {
  /** Cost of the one as a share of the other's: interval over repositories of the geometric mean of the sessions. */
  readonly costRatio: Interval;
}

/** The one against the other over the sessions that both have; `null` from too few owners for an interval. */
export function surenessOf(own: readonly SessionScore[], other: readonly SessionScore[]): Sureness | null {
  const otherBySession = new Map(other.map((score) => [score.session, score]));
  const pairs = own.flatMap(({ session, file, costRatio }) => {
    const pair = otherBySession.get(session);
    return pair === undefined ? [] : [{ session, lineage: file, ratio: costRatio / pair.costRatio }];
  });
  const { interval } = clusteredEstimate(
    pairs,
    geometricMeanOver(({ ratio }) => ratio),
  );
  return interval === null ? null : { costRatio: interval };
}
