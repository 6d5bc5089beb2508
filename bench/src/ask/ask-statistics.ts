import { clusteredEstimate, type InSession, type Interval, ratioOf } from "../statistics.ts";

/** A share with the interval in which it is likely to lie. */
export interface Share {
  readonly agreed: number;
  readonly of: number;
  /** Wilson's, 95 %, as if the calls were independent of each other; `null` of nothing. */
  readonly interval: Interval | null;
}

/** How much more often one of two answers to the same calls agrees. */
export interface Difference {
  readonly calls: number;
  /** Calls at which the one agrees and the other does not, and the other way round. */
  readonly gained: number;
  readonly lost: number;
  /** (gained − lost) / calls; `null` of nothing. */
  readonly ratio: number | null;
  /** Paired bootstrap over repositories; `null` if there are too few owners (docs/evidence.md). */
  readonly interval: Interval | null;
}

/** A call's answers in two contexts, each as whether it agrees. */
export interface AnsweredPair extends InSession {
  readonly own: boolean;
  readonly other: boolean;
}

/** The share of those that agree. */
export function shareOf(agreements: readonly boolean[]): Share {
  const agreed = agreements.filter((agrees) => agrees).length;
  return { agreed, of: agreements.length, interval: wilsonInterval(agreed, agreements.length) };
}

/** The middle 95 % of a normal distribution. */
const Z = 1.959964;

/** The 95 % interval of a share by E. B. Wilson (1927), which holds for small counts and shares near 0 and 1, too. */
export function wilsonInterval(agreed: number, of: number): Interval | null {
  if (of === 0) return null;
  const share = agreed / of;
  const spread = (Z * Z) / of;
  const middle = (share + spread / 2) / (1 + spread);
  const half = (Z * Math.sqrt((share * (1 - share)) / of + spread / (4 * of))) / (1 + spread);
  return { from: Math.max(0, middle - half), through: Math.min(1, middle + half) };
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
  return {
    calls: pairs.length,
    gained: pairs.filter(({ own, other }) => own && !other).length,
    lost: pairs.filter(({ own, other }) => other && !own).length,
    ratio: value,
    interval,
  };
}
