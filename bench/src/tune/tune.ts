import type { Policy } from "@plimsoll/core";
import { NONE_POLICY } from "@plimsoll/core";
import { paretoFront } from "../report/pareto.ts";
import type { ReplayRow } from "../results.ts";
import { gridOf, type SweepSetting, type SweptPolicy } from "../sweep/grid.ts";
import { bootstrap, FEWEST_SESSIONS, type Sureness } from "./bootstrap.ts";
import { coarseAxes, refinedAxes } from "./knobs.ts";
import { type CacheKind, type PolicyScore, pooledScore, type SessionScore, scoresByPolicy } from "./score.ts";

/** Replays policies over all sessions in one window; the tuner knows nothing of files. */
export type ReplayPolicies = (policies: readonly Policy[]) => Promise<readonly ReplayRow[]>;

/** A setting with what it came to on the sessions that it was chosen on, and on those that it was not. */
export interface TunedPolicy {
  readonly policy: Policy;
  readonly settings: readonly SweepSetting[];
  readonly train: PolicyScore;
  readonly test: PolicyScore;
}

/** What the tuner found for one policy and one kind of cache. */
export interface TuneResult {
  readonly base: string;
  readonly cache: CacheKind;
  readonly trainSessions: number;
  readonly testSessions: number;
  /** The policy as it was. */
  readonly current: TunedPolicy;
  /** Settings without an overflow on the training sessions that no other beats in both, cheapest first. */
  readonly front: readonly TunedPolicy[];
  /** The cheapest of the front that keeps as much as the current one; `null` where every setting overflowed. */
  readonly best: TunedPolicy | null;
  /** The best against the current one over all sessions; `null` without one, or with fewer than 8 sessions. */
  readonly sureness: Sureness | null;
}

/** Sessions that are chosen on and those that are tested on. With one session both are that one. */
export interface Split {
  readonly train: ReadonlySet<string>;
  readonly test: ReadonlySet<string>;
}

/** Every second session is tested on, in the order of their size, so that both halves have small and large ones. */
export function splitSessions(rows: readonly ReplayRow[]): Split {
  const calls = new Map(
    rows.flatMap(({ session, policy, metrics }) =>
      policy === NONE_POLICY.name && metrics !== null ? [[session, metrics.safety.calls]] : [],
    ),
  );
  const bySize = [...calls.keys()].toSorted((a, b) => (calls.get(b) ?? 0) - (calls.get(a) ?? 0) || (a < b ? -1 : 1));
  const train = bySize.filter((_, place) => place % 2 === 0);
  const test = bySize.filter((_, place) => place % 2 === 1);
  return { train: new Set(train), test: new Set(test.length === 0 ? train : test) };
}

/**
 * Looks for better settings of each policy: a coarse grid, then a finer one around the best of it, chosen on one half of the sessions and
 * tested on the other. Policies are tuned one after the other; the result has one entry for each and each kind of cache.
 */
export async function tune(policies: readonly Policy[], replay: ReplayPolicies): Promise<readonly TuneResult[]> {
  const baseline = await replay([NONE_POLICY]);
  const split = splitSessions(baseline);
  const results: TuneResult[] = [];
  for (const base of policies) {
    const axes = coarseAxes(base);
    if (axes.length === 0) continue;
    const coarse = gridOf(base, axes);
    const rows = [...baseline, ...(await replay([base, ...coarse.map(({ policy }) => policy)]))];
    const tried = [...coarse];
    for (const cache of CACHES) {
      const best = choose({ base, split, cache }, coarse, rows).best;
      if (best === null) continue;
      const known = new Set(tried.map(({ policy }) => policy.name));
      const fine = gridOf(base, refinedAxes(axes, best.settings)).filter(({ policy }) => !known.has(policy.name));
      rows.push(...(await replay(fine.map(({ policy }) => policy))));
      tried.push(...fine);
    }
    for (const cache of CACHES) results.push(choose({ base, split, cache }, tried, rows));
  }
  return results;
}

const CACHES: readonly CacheKind[] = ["expiring", "lasting"];

interface Choice {
  readonly base: Policy;
  readonly split: Split;
  readonly cache: CacheKind;
}

function choose({ base, split, cache }: Choice, tried: readonly SweptPolicy[], rows: readonly ReplayRow[]): TuneResult {
  const scores = scoresByPolicy(rows, cache);
  const scored = (policy: Policy, settings: readonly SweepSetting[]): TunedPolicy => {
    const sessions = scores.get(policy.name) ?? [];
    const over = (wanted: ReadonlySet<string>) => pooledScore(sessions.filter(({ session }) => wanted.has(session)));
    return { policy, settings, train: over(split.train), test: over(split.test) };
  };
  const current = scored(base, []);
  const safe = tried.map(({ policy, settings }) => scored(policy, settings)).filter(({ train }) => train.overflows === 0);
  const front = paretoFront(safe.map((tuned) => ({ ...tuned, cost: tuned.train.cost, gain: tuned.train.gain })));
  const best = front.find(({ gain }) => gain >= current.train.gain) ?? front.at(-1) ?? null;
  const sessions = (policy: Policy): readonly SessionScore[] => scores.get(policy.name) ?? [];
  const sureness = best === null ? null : bootstrap(sessions(best.policy), sessions(base));
  return {
    base: base.name,
    cache,
    trainSessions: split.train.size,
    testSessions: split.test.size,
    current,
    front,
    best,
    sureness: sureness !== null && sureness.sessions >= FEWEST_SESSIONS ? sureness : null,
  };
}
