import { brokenPolicies } from "../drive/part-failures.ts";
import { BASELINE_POLICY, hasActed } from "../metrics/has-acted.ts";
import { addTo } from "../needs/statements.ts";
import type { SessionDescription } from "../open/session-description.ts";
import type { ReplayRow } from "../results.ts";
import { geometricMeanOf, type InSession, inLineages, meanKnown, summed, sumOf, unitOf } from "../statistics.ts";
import { CLEARED } from "../transcript.ts";
import { meanShares, VECTOR, type VectorShare, vectorMean, vectorOf } from "./vector.ts";

/** A policy that costs this much more is still one of about the same cost (docs/evidence.md). */
export const SAME_COST_RATIO = 1.05;

/** Above this share of the cost without compaction a session counts as one that costs more. Chosen: a person sees no smaller difference. */
export const COSTS_MORE_RATIO = 1.02;

/** Rows to judge, and the sessions that they are of. A report is one. */
export interface JudgedRun {
  readonly sessions: readonly Pick<SessionDescription, "session" | "file" | "lineage" | "project">[];
  readonly rows: readonly ReplayRow[];
}

/** One session under one policy, beside the same session without compaction; all sessions with one beginning (a lineage) are one. */
export interface SessionStanding extends InSession {
  /** The file that it is from, or the first session of its lineage: halves and samples take it whole. */
  readonly file: string;
  /** Dollars by those of never compacting; prompt tokens by prompt tokens if a model has no price. */
  readonly costRatio: number;
  /** The same if each text that was missing when it was first needed were read again, by one more call at the session's mean price: an upper bound. */
  readonly rereadRatio: number;
  /** US dollars of its replay; `null` if a model has no price. */
  readonly usd: number | null;
  readonly vector: readonly VectorShare[];
  /** False if the policy neither compacted, nor tried to, nor changed the tokens that were sent. */
  readonly hasActed: boolean;
  readonly lostRequests: number;
  readonly tooLarge: number;
  readonly compactions: number;
}

/** One policy over the compared sessions: its cost, its kept share, and its failures. Cost and shares are percent. */
export interface Standing {
  readonly policy: string;
  readonly units: readonly SessionStanding[];
  /** Of never compacting: the geometric mean over sessions. */
  readonly costPercent: number;
  /** The same if each text that was missing when it was first needed were read again: an upper bound. */
  readonly rereadPercent: number;
  /** Sessions that cost over 2% more than never compacting. */
  readonly costMoreIn: number;
  /** US dollars of all sessions, to be shown beside the cost; they decide nothing. `null` if a model has no price. */
  readonly usd: number | null;
  /** The mean of the vector over all needs; `null` without one. */
  readonly gain: number | null;
  /** The same over far needs; `null` without one. */
  readonly farGain: number | null;
  /** By measure: the mean of the sessions' shares, and that of the plain tail of the same size. */
  readonly shares: readonly Pick<VectorShare, "own" | "tail">[];
  readonly lostRequests: number;
  readonly tooLarge: number;
  readonly compactions: number;
  /** True if a part of the policy failed whenever it was tried, or a keep rule ever did: it is never chosen. */
  readonly isBroken: boolean;
}

/** Every policy's standing in each session of a run, before lineages are put together. */
export interface RunStandings {
  /** By policy; sessions that `none` was not replayed in are left out. */
  readonly bySession: ReadonlyMap<string, readonly SessionStanding[]>;
  readonly broken: ReadonlySet<string>;
}

/** Holds each row of a run, which is of one window, against the row of `none` in its session. */
export function standingsIn({ sessions, rows }: JudgedRun): RunStandings {
  const played = rows.filter(({ metrics }) => metrics !== null);
  const described = new Map(sessions.map((each, place) => [each.session, { each, place }]));
  const nothing = new Map(played.flatMap((row) => (row.policy === BASELINE_POLICY ? [[row.session, row] as const] : [])));
  const bySession = new Map<string, SessionStanding[]>();
  const placeOf = ({ session }: ReplayRow) => described.get(session)?.place ?? 0;
  for (const row of played.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const about = described.get(row.session)?.each ?? { session: row.session, file: row.session };
    const standing = sessionStanding(about, row, nothing.get(row.session));
    if (standing !== null) addTo(bySession, row.policy, standing);
  }
  return { bySession, broken: brokenPolicies(played) };
}

function sessionStanding(
  { file, ...described }: JudgedRun["sessions"][number],
  { session, metrics: own, compactions }: ReplayRow,
  nothing: ReplayRow | undefined,
): SessionStanding | null {
  const base = nothing?.metrics ?? null;
  if (own === null || base === null) return null;
  const [usd, baseUsd] = [own.cost.withCacheUsd, base.cost.withCacheUsd ?? 0];
  const ratio =
    (usd ?? 0) > 0 && baseUsd > 0 ? (usd ?? 0) / baseUsd : own.economy.promptTokens / Math.max(1, base.economy.promptTokens);
  const { firstMisses, safety } = own;
  const missed = firstMisses.edits.first + firstMisses.passages.first;
  // A session without requests has no logarithm.
  const costRatio = Math.max(ratio, Number.MIN_VALUE);
  return {
    ...unitOf(described),
    file: described.lineage ?? file,
    costRatio,
    rereadRatio: costRatio * (1 + missed / Math.max(1, safety.calls)),
    usd,
    vector: vectorOf(own, base),
    hasActed: hasActed({ session, metrics: own }, { session, metrics: base }),
    lostRequests: own.safety.unrecoveredRequests,
    tooLarge: own.safety.overflowingRequests,
    compactions: own.economy.compactions - compactions.filter(isCleared).length,
  };
}

/** True for a recorded compaction that only cleared old results. */
export const isCleared = ({ steps: [first = ""] }: ReplayRow["compactions"][number]): boolean => first.startsWith(CLEARED);

const NONE: Pick<Standing, "lostRequests" | "tooLarge" | "compactions"> = { lostRequests: 0, tooLarge: 0, compactions: 0 };

/** Puts a policy's sessions together, each lineage once. */
export function standingOf(policy: string, sessions: readonly SessionStanding[], broken?: ReadonlySet<string>): Standing {
  return standingOver(policy, inLineages(sessions).map(unitFrom), broken?.has(policy) ?? false);
}

/** The same over sessions that are one a lineage already: one may come several times, in a sample. */
export function standingOver(policy: string, units: readonly SessionStanding[], isBroken: boolean): Standing {
  const shares = meanShares(units.map(({ vector }) => vector));
  const own = shares.map((share) => share.own);
  return {
    policy,
    units,
    costPercent: 100 * (geometricMeanOf(units.map(({ costRatio }) => costRatio)) ?? 1),
    rereadPercent: 100 * (geometricMeanOf(units.map(({ rereadRatio }) => rereadRatio)) ?? 1),
    costMoreIn: units.filter(({ costRatio }) => costRatio > COSTS_MORE_RATIO).length,
    usd: usdOf(units),
    gain: vectorMean(own, "all"),
    farGain: vectorMean(own, "far"),
    shares,
    ...summed(NONE, units),
    isBroken,
  };
}

/** The sessions of a lineage as one, by their means: all forks together count once. */
function unitFrom(own: readonly [SessionStanding, ...SessionStanding[]]): SessionStanding {
  if (own.length === 1) return own[0];
  return {
    ...own[0],
    costRatio: geometricMeanOf(own.map(({ costRatio }) => costRatio)) ?? 1,
    rereadRatio: geometricMeanOf(own.map(({ rereadRatio }) => rereadRatio)) ?? 1,
    usd: usdOf(own),
    vector: VECTOR.map((_, measure): VectorShare => {
      const mean = (kind: "own" | "tail" | "none" | "uses") => meanKnown(own, (each) => each.vector[measure]?.[kind] ?? null);
      return { own: mean("own"), tail: mean("tail"), none: mean("none"), uses: mean("uses") ?? 0 };
    }),
    hasActed: own.some((each) => each.hasActed),
    ...summed(NONE, own),
  };
}

function usdOf(sessions: readonly SessionStanding[]): number | null {
  return sessions.some(({ usd }) => usd === null) ? null : sumOf(sessions, ({ usd }) => usd ?? 0);
}
