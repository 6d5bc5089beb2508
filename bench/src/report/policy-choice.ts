import { LEAST_POINTS, meanShares, SAME_COST_RATIO, VECTOR, vectorMean } from "../metrics/vector.ts";
import { ALL_EXCERPTS, LAST_HUMAN_ONLY } from "../peers/cheats.ts";
import { clusteredEstimate, FEWEST_OWNERS, meanOf, meanOver, unitOf } from "../statistics.ts";
import { paretoFront } from "../tune/pareto.ts";
import type { SessionOutcome, WindowOutcomes } from "./session-outcomes.ts";

/** A policy over all compared sessions. Cost and shares are percent. */
export interface PlacedPolicy {
  readonly policy: string;
  /** Of doing nothing: the geometric mean over sessions. */
  readonly cost: number;
  /** The mean of the vector over all needs; `null` without one. */
  readonly gain: number | null;
  /** The same over far needs; `null` without one. */
  readonly farGain: number | null;
  /** By measure: the mean of the sessions' shares, and that of the plain tail of the same size. */
  readonly shares: readonly { readonly own: number | null; readonly tail: number | null }[];
  /** By measure the policy of at most 5 % more cost, or the tail, that holds clearly more; the largest difference first. */
  readonly worse: readonly WorseMeasure[];
  readonly lostRequests: number;
  readonly compactions: number;
}

/** A measure on which a policy is worse than another one of about its cost. */
interface WorseMeasure {
  readonly measure: string;
  /** The other policy's name; `null` for the plain tail of the policy's own size. */
  readonly than: string | null;
  readonly points: number;
}

/** The policies that no other beats, and the one to use. */
export interface PolicyChoice {
  readonly placed: readonly PlacedPolicy[];
  /** Without a lost request, and beaten by no other in both cost and the vector's mean; cheapest first. */
  readonly front: readonly PlacedPolicy[];
  /**
   * Without a lost request, and worse on no measure than any policy of at most 5 % more cost or its own tail; none that costs more than doing nothing and holds
   * no more of anything. Cheapest first.
   */
  readonly recommended: readonly PlacedPolicy[];
  /** The knee of the recommended; of the front if none is. `null` if every policy lost a request, or if only cheats and policies with a part that always failed did not. */
  readonly pick: PlacedPolicy | null;
}

/** Names of the control policies that are made to cheat: they are never chosen, and no other is judged by them (docs/evidence.md). */
export const CHEATS: ReadonlySet<string> = new Set([LAST_HUMAN_ONLY, ALL_EXCERPTS].map(({ policy }) => policy.name));

/** How a choice is made. */
export interface ChoiceOptions {
  /** True to judge differences by intervals over repositories, if there are enough of them; it costs a bootstrap a pair. */
  readonly withIntervals?: boolean;
}

/** Places the policies over some of the sessions (by index; a session may come several times) and chooses (docs/evidence.md, "The rule"). */
export function choosePolicy(
  { byPolicy, broken = new Set() }: Pick<WindowOutcomes, "byPolicy"> & Partial<Pick<WindowOutcomes, "broken">>,
  indexes: readonly number[],
  { withIntervals = false }: ChoiceOptions = {},
): PolicyChoice {
  // What stands in the place of a part that failed is no policy that anybody wrote.
  const isJudge = (policy: string) => !CHEATS.has(policy) && !broken.has(policy);
  const drawn = [...byPolicy].map(([policy, outcomes]) => ({
    policy,
    outcomes: indexes.flatMap((index) => outcomes[index] ?? []),
  }));
  const sized = drawn.map(({ policy, outcomes }) => ({ ...placedPolicy(policy, outcomes), outcomes }));
  const placed = sized.map(({ outcomes, ...own }) => {
    const rivals = sized.filter(
      ({ policy, cost }) => policy !== own.policy && isJudge(policy) && cost <= own.cost * SAME_COST_RATIO,
    );
    return { ...own, worse: worseThan({ ...own, outcomes }, rivals, withIntervals) };
  });
  const able = placed.filter(({ lostRequests, policy }) => lostRequests === 0 && isJudge(policy));
  const front = paretoFront(able);
  const pays = new Set(sized.filter(isWorthwhile).map(({ policy }) => policy));
  const recommended = able
    .filter(({ policy, worse }) => worse.length === 0 && pays.has(policy))
    .toSorted((a, b) => a.cost - b.cost);
  return { placed, front, recommended, pick: kneeOf(recommended.length > 0 ? paretoFront(recommended) : front) };
}

/** False for what costs more than doing nothing and holds no more of any measure. */
function isWorthwhile({ cost, outcomes }: Drawn): boolean {
  const ahead = (place: number) =>
    meanOf(
      outcomes.flatMap(({ vector }) => {
        const { own = null, none = null } = vector[place] ?? {};
        return own === null || none === null ? [] : [own - none];
      }),
    );
  return cost <= 100 || VECTOR.some((_, place) => (ahead(place) ?? 0) >= LEAST_POINTS);
}

interface Drawn extends Omit<PlacedPolicy, "worse"> {
  readonly outcomes: readonly SessionOutcome[];
}

/** A policy over the outcomes of some sessions. */
export function placedPolicy(policy: string, outcomes: readonly SessionOutcome[]): Omit<PlacedPolicy, "worse"> {
  const sum = (figure: (outcome: SessionOutcome) => number) => outcomes.reduce((total, outcome) => total + figure(outcome), 0);
  const shares = meanShares(outcomes.map(({ vector }) => vector));
  const own = shares.map((share) => share.own);
  return {
    policy,
    cost: 100 * Math.exp(sum(({ costRatio }) => Math.log(costRatio)) / Math.max(1, outcomes.length)),
    gain: vectorMean(own, "all"),
    farGain: vectorMean(own, "far"),
    shares,
    lostRequests: sum(({ lostRequests }) => lostRequests),
    compactions: sum(({ compactions }) => compactions),
  };
}

/** By measure, whoever is most ahead: a rival of about the same cost, or the tail of the policy's own size. */
function worseThan(own: Drawn, rivals: readonly Drawn[], withIntervals: boolean): readonly WorseMeasure[] {
  const found = VECTOR.flatMap(({ name: measure }, place): readonly WorseMeasure[] => {
    const others = [null, ...rivals].map((rival) => ({ rival, points: meanDifference(rival, own, place) }));
    const first = others
      .filter(({ points }) => points > 0)
      .toSorted((a, b) => b.points - a.points)
      .find(({ rival, points }) => (withIntervals ? isBetter(rival, own, place) : points >= LEAST_POINTS));
    return first === undefined ? [] : [{ measure, than: first.rival?.policy ?? null, points: first.points }];
  });
  return found.toSorted((a, b) => b.points - a.points);
}

/** Points by which the rival (`null`: the own tail) holds more of a measure in a session; `null` if one of them has no such needs. */
function pointsAhead(
  rival: Drawn | null,
  { outcomes }: Drawn,
  at: { readonly session: number; readonly measure: number },
): number | null {
  const own = outcomes[at.session]?.vector[at.measure];
  const share = own?.own ?? null;
  const theirs = (rival === null ? own?.tail : rival.outcomes[at.session]?.vector[at.measure]?.own) ?? null;
  return theirs === null || share === null ? null : theirs - share;
}

/** The mean over the sessions in which both have such needs; 0 without one. Makes no list: a resampled choice asks for it often. */
function meanDifference(rival: Drawn | null, own: Drawn, measure: number): number {
  let sum = 0;
  let count = 0;
  for (let session = 0; session < own.outcomes.length; session++) {
    const points = pointsAhead(rival, own, { session, measure });
    if (points === null) continue;
    sum += points;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** True if the interval of the paired difference lies above zero; with too few owners for one the difference itself is taken. */
function isBetter(rival: Drawn | null, own: Drawn, measure: number): boolean {
  const pairs = own.outcomes.flatMap((outcome, place) => {
    const points = pointsAhead(rival, own, { session: place, measure });
    return points === null ? [] : [{ ...unitOf(outcome), points }];
  });
  const { value, interval, owners } = clusteredEstimate(
    pairs,
    meanOver(({ points }) => points),
  );
  return owners < FEWEST_OWNERS ? (value ?? 0) >= LEAST_POINTS : interval !== null && interval.from > 0;
}

/** The vector's mean is stretched over at least so many points, so that a fraction of a point is not worth much cost (chosen). */
const LEAST_SPAN_PERCENT = 10;

/**
 * The knee of a front: with cost and the vector's mean both stretched from its cheapest to its dearest policy, the one whose mean is
 * farthest ahead of its cost. The cheapest if there is no knee.
 */
function kneeOf(front: readonly PlacedPolicy[]): PlacedPolicy | null {
  const [first, last] = [front[0], front.at(-1)];
  if (first === undefined || last === undefined) return null;
  const gainSpan = Math.max((last.gain ?? 0) - (first.gain ?? 0), LEAST_SPAN_PERCENT);
  const lead = ({ cost, gain }: PlacedPolicy) =>
    ((gain ?? 0) - (first.gain ?? 0)) / gainSpan - (cost - first.cost) / (last.cost - first.cost || 1);
  return front.reduce((ahead, each) => (lead(each) > lead(ahead) ? each : ahead), first);
}
