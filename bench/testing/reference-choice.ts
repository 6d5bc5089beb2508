import type { Interval } from "../src/statistics.ts";

/**
 * A second reading of docs/evidence.md's rule, slow and obvious: every policy is held against every other, measure by measure. It shares no
 * code with `bench/src/report`, so that a test can hold one against the other. The bootstrap is an argument: what is judged is the rule.
 */
export interface JudgedPolicy {
  readonly name: string;
  readonly isCheat: boolean;
  /** One for each session that is compared, in the same order for every policy. */
  readonly sessions: readonly JudgedSession[];
}

/** The figures of a policy in one session. */
export interface JudgedSession {
  readonly session: string;
  readonly owner: string;
  /** Dollars with a prompt cache, by those of doing nothing. */
  readonly costRatio: number;
  readonly lostRequests: number;
  /** By measure what the policy, its own tail and doing nothing hold, in percent; `null` without such uses. */
  readonly shares: readonly JudgedShare[];
}

/** The share that is held by one measure, over all uses or over far ones. */
export interface JudgedShare {
  readonly isFar: boolean;
  readonly own: number | null;
  readonly tail: number | null;
  readonly none: number | null;
}

/** The loss that a policy's card names: a measure by which another policy, or the policy's own tail (`null`), holds more. */
export interface NamedLoss {
  readonly measure: number;
  readonly rival: string | null;
}

/** The rule's verdict on each policy that is no cheat, and the one that it names first. */
export interface ReferenceChoice {
  readonly named: string | null;
  readonly recommended: readonly string[];
  readonly losses: ReadonlyMap<string, readonly NamedLoss[]>;
}

/** The interval of the mean of paired differences, clustered by repository; `null` if too few owners are in it. */
export type IntervalOf = (differences: readonly { readonly session: string; readonly difference: number }[]) => Interval | null;

const MORE_COST = 1.05;
const POINT = 1;
const LEAST_WAY = 10;

/** The choice among policies that were replayed over one list of sessions. */
export function referenceChoice(judged: readonly JudgedPolicy[], intervalOf: IntervalOf): ReferenceChoice {
  const policies = judged.filter(({ isCheat }) => !isCheat);
  const losses = new Map(policies.map((policy) => [policy.name, lossesOf(policy, policies, intervalOf)]));
  const keeping = policies.filter(({ sessions }) => sessions.every(({ lostRequests }) => lostRequests === 0));
  const recommended = keeping.filter((policy) => losses.get(policy.name)?.length === 0 && isWorthItsCost(policy));
  return {
    named: kneeOf(recommended.length > 0 ? recommended : keeping),
    recommended: recommended.map(({ name }) => name),
    losses,
  };
}

/** Tells whether a policy holds a point more of something, if it is dearer than doing nothing. */
function isWorthItsCost(policy: JudgedPolicy): boolean {
  if (costOf(policy) <= 100) return true;
  for (const [measure] of policy.sessions[0]?.shares.entries() ?? []) {
    const more = policy.sessions.flatMap(({ shares }) => {
      const { own = null, none = null } = shares[measure] ?? {};
      return own === null || none === null ? [] : [own - none];
    });
    if ((mean(more) ?? 0) >= POINT) return true;
  }
  return false;
}

function lossesOf(policy: JudgedPolicy, policies: readonly JudgedPolicy[], intervalOf: IntervalOf): readonly NamedLoss[] {
  const losses: NamedLoss[] = [];
  for (const [measure] of policy.sessions[0]?.shares.entries() ?? []) {
    const own = policy.sessions.map(({ shares }) => shares[measure]?.own ?? null);
    const tail = policy.sessions.map(({ shares }) => shares[measure]?.tail ?? null);
    if (isBetter(policy, { theirs: tail, own }, intervalOf)) losses.push({ measure, rival: null });
    for (const rival of policies) {
      if (rival === policy || costOf(rival) > costOf(policy) * MORE_COST) continue;
      const theirs = rival.sessions.map(({ shares }) => shares[measure]?.own ?? null);
      if (isBetter(policy, { theirs, own }, intervalOf)) losses.push({ measure, rival: rival.name });
    }
  }
  return losses;
}

interface Compared {
  readonly theirs: readonly (number | null)[];
  readonly own: readonly (number | null)[];
}

/** Only sessions in which both have such uses are pairs. */
function isBetter({ sessions }: JudgedPolicy, { theirs, own }: Compared, intervalOf: IntervalOf): boolean {
  const pairs = sessions.flatMap(({ session, owner }, place) => {
    const one = theirs[place] ?? null;
    const other = own[place] ?? null;
    return one === null || other === null ? [] : [{ session, owner, difference: one - other }];
  });
  if (pairs.length === 0) return false;
  if (new Set(pairs.map(({ owner }) => owner)).size < 8) {
    return pairs.reduce((sum, { difference }) => sum + difference, 0) / pairs.length >= POINT;
  }
  const interval = intervalOf(pairs);
  return interval !== null && interval.from > 0;
}

/** The geometric mean of the sessions' ratios, in percent. */
function costOf({ sessions }: JudgedPolicy): number {
  return 100 * Math.exp(sessions.reduce((sum, { costRatio }) => sum + Math.log(costRatio), 0) / sessions.length);
}

/** The mean of the measures over all uses, each the mean of its sessions' shares; 0 if nothing is asked. */
function heldOf({ sessions }: JudgedPolicy): number {
  const measures = (sessions[0]?.shares ?? []).map(({ isFar }, measure) =>
    isFar ? null : mean(sessions.flatMap(({ shares }) => shares[measure]?.own ?? [])),
  );
  return mean(measures.flatMap((share) => share ?? [])) ?? 0;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

interface Point {
  readonly name: string;
  readonly cost: number;
  readonly held: number;
}

/**
 * The knee: of the policies that no other beats in cost or in the mean without losing in the other, the one whose mean is farthest ahead of its
 * cost, both as parts of the way from the cheapest to the dearest. The way of the mean has ten points at least.
 */
function kneeOf(policies: readonly JudgedPolicy[]): string | null {
  const points = policies.map((policy): Point => ({ name: policy.name, cost: costOf(policy), held: heldOf(policy) }));
  const front = points
    .filter((one) => !points.some((other) => isBeaten(one, other)))
    .sort((one, other) => one.cost - other.cost);
  const first = front.at(0);
  const last = front.at(-1);
  if (first === undefined || last === undefined) return null;
  const heldWay = Math.max(LEAST_WAY, last.held - first.held);
  const costWay = last.cost === first.cost ? 1 : last.cost - first.cost;
  const ahead = front.map(({ cost, held }) => (held - first.held) / heldWay - (cost - first.cost) / costWay);
  return front[ahead.indexOf(Math.max(...ahead))]?.name ?? null;
}

function isBeaten(one: Point, other: Point): boolean {
  const isAsGood = other.cost <= one.cost && other.held >= one.held;
  return isAsGood && (other.cost < one.cost || other.held > one.held);
}
