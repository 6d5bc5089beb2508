import { ALL_EXCERPTS, LAST_HUMAN_ONLY } from "../peers/cheats.ts";
import { clusteredEstimate, FEWEST_OWNERS, meanKnown, meanOver, unitOf } from "../statistics.ts";
import { SAME_COST_RATIO, type Standing } from "./standing.ts";
import { VECTOR } from "./vector.ts";

/** Fewer points are no difference if there is no interval (docs/evidence.md). */
const LEAST_POINTS = 1;

/** A measure on which a policy is worse than another one. */
export interface WorseMeasure {
  readonly measure: string;
  /** The other policy's name; `null` for the plain tail of the policy's own size. */
  readonly than: string | null;
  readonly points: number;
  /** Whether it is worse on one half of the sessions, not over all. */
  readonly onHalf?: true;
  /** The needs of the sessions in which both have some. */
  readonly cases: number;
}

/** The policies that no other beats, and the one to use. */
export interface Choice {
  /** By policy the measures on which it is worse, the largest difference first. */
  readonly worse: ReadonlyMap<string, readonly WorseMeasure[]>;
  /** Fit to be chosen, and beaten by no other in both cost and the vector's mean; cheapest first. */
  readonly front: readonly Standing[];
  readonly recommended: readonly Standing[];
  /** The policy to use, or among policies the nearest; `null` if there is none. */
  readonly pick: Standing | null;
}

/** Names of the control policies that cheat: the bench never chooses them, nor judges others by them (docs/evidence.md). */
export const CHEATS: ReadonlySet<string> = new Set([LAST_HUMAN_ONLY, ALL_EXCERPTS].map(({ policy }) => policy.name));

/** How a choice is made. */
export interface ChoiceOptions {
  /** The present setting: others are judged only against it. Left out, policies are judged against each other. */
  readonly current?: Standing;
  /** Without compaction, if that lost no request: a policy that keeps less is not recommended. */
  readonly nothing?: Standing | undefined;
  /** True to find the pick alone, by differences: `worse` stays empty. */
  readonly isPickOnly?: boolean;
  /** True to judge differences by intervals over repositories, if there are enough of them; it costs a bootstrap a pair. */
  readonly withIntervals?: boolean;
}

/**
 * Chooses (docs/evidence.md, "The rule"). Among policies: without a lost request, and worse on no measure than any policy of at most 5% more cost or
 * its own tail; none that costs more than no compaction and holds no more of anything; of those the knee of cost against kept share, or if there is
 * none the knee of all. Among settings: a twentieth cheaper than now, worse on no measure, with no more requests that are too large; of those the
 * cheapest.
 */
export function choose(
  standings: readonly Standing[],
  { current, nothing, withIntervals = false, isPickOnly = false }: ChoiceOptions = {},
): Choice {
  const isRivalOf = (own: Standing) => (other: Standing) =>
    other.policy !== own.policy && isJudge(other) && other.costPercent <= own.costPercent * SAME_COST_RATIO;
  const rivalsOf = (own: Standing) => (current === undefined ? [null, ...standings.filter(isRivalOf(own))] : [current]);
  const judged = isPickOnly ? [] : standings;
  const worse = new Map(judged.map((own) => [own.policy, worseThan(own, rivalsOf(own), withIntervals ? null : LEAST_POINTS)]));
  const isUnbeaten = (own: Standing) => worse.get(own.policy)?.length === 0 || (isPickOnly && isAhead(own, rivalsOf(own)));
  const isAble = ({ lostRequests, tooLarge }: Standing) =>
    current === undefined ? lostRequests === 0 : tooLarge <= current.tooLarge;
  const able = standings.filter((each) => isJudge(each) && isAble(each));
  const front = paretoFront(able);
  const pays = (own: Standing) => (current === undefined ? isWorthwhile(own) : isCheaper(own, current));
  const keepsAll = (own: Standing) => nothing === undefined || isAhead(own, [nothing]);
  const recommended = able
    .filter((own) => pays(own) && keepsAll(own) && isUnbeaten(own))
    .toSorted((a, b) => a.costPercent - b.costPercent || (b.gain ?? 0) - (a.gain ?? 0));
  const knee = () => kneeOf(recommended.length > 0 ? paretoFront(recommended) : front);
  return { worse, front, recommended, pick: current === undefined ? knee() : (recommended[0] ?? null) };
}

/** The measures on which a setting holds less than the current one by a point at least, or by so many points, the most first. */
export function lossesAgainst(own: Standing, current: Standing, leastPoints: number = LEAST_POINTS): readonly WorseMeasure[] {
  return worseThan(own, [current], leastPoints);
}

/** True for a setting that is a twentieth cheaper than the current one. */
export function isCheaper(own: Standing, current: Standing): boolean {
  return own.costPercent * SAME_COST_RATIO <= current.costPercent;
}

/** A stand-in for a failed part is no user's policy, and cheats always win. */
export function isJudge({ policy, isBroken }: Standing): boolean {
  return !CHEATS.has(policy) && !isBroken;
}

/** False for a policy that costs more than doing nothing and holds no more of any measure. */
function isWorthwhile({ costPercent, units }: Standing): boolean {
  const ahead = (place: number) =>
    meanKnown(units, ({ vector }) => {
      const { own = null, none = null } = vector[place] ?? {};
      return own === null || none === null ? null : own - none;
    });
  return costPercent <= 100 || VECTOR.some((_, place) => (ahead(place) ?? 0) >= LEAST_POINTS);
}

/** True if no rival holds a point more of any measure. */
function isAhead(own: Standing, rivals: readonly (Standing | null)[]): boolean {
  return !VECTOR.some((_, place) => rivals.some((rival) => meanDifference(rival, own, place) >= LEAST_POINTS));
}

/** By measure, the rival that is most ahead, by so many points or (`null`) by intervals; `null` among the rivals is the tail of the policy's own size. */
function worseThan(own: Standing, rivals: readonly (Standing | null)[], leastPoints: number | null): readonly WorseMeasure[] {
  const found = VECTOR.flatMap(({ name: measure }, place): readonly WorseMeasure[] => {
    const others = rivals.map((rival) => ({ rival, points: meanDifference(rival, own, place) }));
    const first = others
      .filter(({ points }) => points > 0)
      .toSorted((a, b) => b.points - a.points)
      .find(({ rival, points }) => (leastPoints === null ? isBetter(rival, own, place) : points >= leastPoints));
    if (first === undefined) return [];
    const { rival, points } = first;
    const uses = own.units.map(({ vector }, session) =>
      pointsAhead(rival, own, { session, measure: place }) === null ? 0 : (vector[place]?.uses ?? 0),
    );
    const cases = Math.round(uses.reduce((sum, each) => sum + each, 0));
    return [{ measure, than: rival?.policy ?? null, points, cases }];
  });
  return found.toSorted((a, b) => b.points - a.points);
}

/** Points by which the rival (`null`: the own tail) holds more of a measure in a session; `null` if one of them has no such needs. */
function pointsAhead(
  rival: Standing | null,
  { units }: Standing,
  at: { readonly session: number; readonly measure: number },
): number | null {
  const own = units[at.session]?.vector[at.measure];
  const share = own?.own ?? null;
  const theirs = (rival === null ? own?.tail : rival.units[at.session]?.vector[at.measure]?.own) ?? null;
  return theirs === null || share === null ? null : theirs - share;
}

/** The mean over the sessions in which both have such needs; 0 without one. */
function meanDifference(rival: Standing | null, own: Standing, measure: number): number {
  return meanKnown(own.units, (_, session) => pointsAhead(rival, own, { session, measure })) ?? 0;
}

/** True if the interval of the paired difference lies above zero; with too few owners for one the difference itself is taken. */
function isBetter(rival: Standing | null, own: Standing, measure: number): boolean {
  const pairs = own.units.flatMap((unit, place) => {
    const points = pointsAhead(rival, own, { session: place, measure });
    return points === null ? [] : [{ ...unitOf(unit), points }];
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
function kneeOf(front: readonly Standing[]): Standing | null {
  const [first, last] = [front[0], front.at(-1)];
  if (first === undefined || last === undefined) return null;
  const gainSpan = Math.max((last.gain ?? 0) - (first.gain ?? 0), LEAST_SPAN_PERCENT);
  const costSpan = last.costPercent - first.costPercent || 1;
  const lead = ({ costPercent, gain }: Standing) =>
    ((gain ?? 0) - (first.gain ?? 0)) / gainSpan - (costPercent - first.costPercent) / costSpan;
  return front.reduce((ahead, each) => (lead(each) > lead(ahead) ? each : ahead), first);
}

/** Those that no other beats in one of cost and gain without losing in the other, cheapest first; of equals the first. */
function paretoFront(standings: readonly Standing[]): readonly Standing[] {
  const cheapestFirst = standings.toSorted((a, b) => a.costPercent - b.costPercent || (b.gain ?? 0) - (a.gain ?? 0));
  let best = Number.NEGATIVE_INFINITY;
  return cheapestFirst.filter(({ gain }) => {
    if ((gain ?? 0) <= best) return false;
    best = gain ?? 0;
    return true;
  });
}
