import { paretoFront } from "../tune/pareto.ts";
import { ratioOf } from "./figures.ts";
import type { SessionOutcome, WindowOutcomes } from "./session-outcomes.ts";

/** A policy over all compared sessions. Cost and gain are percent. */
export interface PlacedPolicy {
  readonly policy: string;
  /** Of doing nothing: the geometric mean over sessions. */
  readonly cost: number;
  /** Source evidence at use, pooled over all uses. */
  readonly gain: number;
  /** The same over far uses; `null` without one. */
  readonly farGain: number | null;
  readonly lostRequests: number;
  readonly compactions: number;
}

/** The policies that no other beats, and the one to use. */
export interface PolicyChoice {
  readonly placed: readonly PlacedPolicy[];
  /** Without a lost request, and beaten by no other in both cost and evidence; cheapest first. */
  readonly front: readonly PlacedPolicy[];
  /** The bend of the front; `null` where every policy lost a request. */
  readonly pick: PlacedPolicy | null;
}

/** Places the policies over some of the sessions (by index; a session may come several times) and chooses. */
export function choosePolicy({ byPolicy }: Pick<WindowOutcomes, "byPolicy">, indexes: readonly number[]): PolicyChoice {
  const placed = [...byPolicy].map(([policy, outcomes]) =>
    placedPolicy(
      policy,
      indexes.flatMap((index) => outcomes[index] ?? []),
    ),
  );
  const front = paretoFront(placed.filter(({ lostRequests }) => lostRequests === 0));
  return { placed, front, pick: bendOf(front) };
}

function placedPolicy(policy: string, outcomes: readonly SessionOutcome[]): PlacedPolicy {
  const sum = (figure: (outcome: SessionOutcome) => number) => outcomes.reduce((total, outcome) => total + figure(outcome), 0);
  const uses = sum((outcome) => outcome.uses);
  const farRatio = ratioOf(
    sum(({ farSourceEvidenced }) => farSourceEvidenced),
    sum(({ farUses }) => farUses),
  );
  return {
    policy,
    cost: 100 * Math.exp(sum(({ costRatio }) => Math.log(costRatio)) / Math.max(1, outcomes.length)),
    gain: uses === 0 ? 100 : (100 * sum(({ sourceEvidenced }) => sourceEvidenced)) / uses,
    farGain: farRatio === null ? null : 100 * farRatio,
    lostRequests: sum(({ lostRequests }) => lostRequests),
    compactions: sum(({ compactions }) => compactions),
  };
}

/** Evidence is stretched over at least so many points, so that a fraction of a point is not worth much cost (chosen). */
const LEAST_SPAN_PERCENT = 10;

/**
 * The bend of the front: with cost and evidence both stretched from its cheapest to its dearest policy, the one whose evidence
 * is farthest ahead of its cost. The cheapest where there is no bend.
 */
function bendOf(front: readonly PlacedPolicy[]): PlacedPolicy | null {
  const [first, last] = [front[0], front.at(-1)];
  if (first === undefined || last === undefined) return null;
  const gainSpan = Math.max(last.gain - first.gain, LEAST_SPAN_PERCENT);
  const lead = ({ cost, gain }: PlacedPolicy) =>
    (gain - first.gain) / gainSpan - (cost - first.cost) / (last.cost - first.cost || 1);
  return front.reduce((best, each) => (lead(each) > lead(best) ? each : best), first);
}
