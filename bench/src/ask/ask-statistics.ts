import { clusteredEstimate, type InSession, type Interval, ratioOf } from "../statistics.ts";

/** A share of calls. */
export interface Share {
  readonly agreed: number;
  readonly of: number;
}

/** How much more often one of two contexts' answers to the same calls agrees. */
export interface Difference {
  readonly calls: number;
  /** Calls at which the one agrees and the other does not, and the other way round. */
  readonly gained: number;
  readonly lost: number;
  /** (gained − lost) / calls; `null` of nothing. */
  readonly ratio: number | null;
  /** Paired bootstrap over repositories; `null` if there are too few owners (docs/evidence.md). */
  readonly interval: Interval | null;
  /** The smallest difference that such a sample shows in 80 % of runs; `null` of nothing. See {@link detectableRatio}. */
  readonly detectableRatio: number | null;
}

/** A call's answers in two contexts, each as whether it agrees; and in the first context asked again, `null` if that is missing. */
export interface AnsweredPair extends InSession {
  readonly own: boolean;
  readonly other: boolean;
  readonly again: boolean | null;
}

/** A difference of this many standard errors is found in 80 % of samples, and one of so many is rare by chance (5 %, two-sided). */
const FOUND_ERRORS = 2.8;
const CHANCE_ERRORS = 1.96;

/** Share of answers, from 0 to 1, that change if the same is asked again; assumed until it is measured (chosen). */
export const USUAL_CHANGED_RATIO = 0.2;

/** A sample that would miss a larger difference than this says nothing if it shows none (chosen: what would change a choice of policy). */
const MOST_DETECTABLE_RATIO = 0.1;

/**
 * The smallest difference in agreement, as a ratio (0.1 is ten points), that so many calls show in 80 % of runs (5 %, two-sided), if a share `changedRatio` (0 to 1) of answers
 * changes when the same is asked again: equally good contexts differ as often as that. `null` for 0 calls.
 */
export function detectableRatio(calls: number, changedRatio: number): number | null {
  return calls === 0 ? null : FOUND_ERRORS * Math.sqrt(changedRatio / calls);
}

/**
 * Tells what a difference says: the answers `differ` if the interval is without 0 and the difference above what asking again gives by chance; `alike` if a
 * difference that matters would have shown; else there is `not-enough-data`.
 */
export function verdictOf({ ratio, interval, detectableRatio }: Difference): "differ" | "alike" | "not-enough-data" {
  if (ratio === null || interval === null || detectableRatio === null) return "not-enough-data";
  const isClear = interval.from > 0 || interval.through < 0;
  if (isClear && Math.abs(ratio) > (CHANCE_ERRORS / FOUND_ERRORS) * detectableRatio) return "differ";
  return detectableRatio > MOST_DETECTABLE_RATIO ? "not-enough-data" : "alike";
}

/** The share of those that agree. */
export function shareOf(agreements: readonly boolean[]): Share {
  return { agreed: agreements.filter((agrees) => agrees).length, of: agreements.length };
}

/** The difference of paired answers. */
export function differenceOf(pairs: readonly AnsweredPair[]): Difference {
  const { value, interval } = clusteredEstimate(pairs, {
    width: 2,
    add: ({ own, other }, sums) => {
      sums[0] = (sums[0] ?? 0) + Number(own) - Number(other);
      sums[1] = (sums[1] ?? 0) + 1;
    },
    figure: ([sum, calls]) => ratioOf(sum, calls),
  });
  const asked = pairs.filter(({ again }) => again !== null);
  const changed = asked.filter(({ own, again }) => own !== again);
  return {
    calls: pairs.length,
    gained: pairs.filter(({ own, other }) => own && !other).length,
    lost: pairs.filter(({ own, other }) => other && !own).length,
    ratio: value,
    interval,
    // Laplace's estimate: a few calls that did not change don't show that none does.
    detectableRatio: detectableRatio(pairs.length, (changed.length + 1) / (asked.length + 2)),
  };
}
