import { PRESETS } from "@plimsoll/core";
import { LEAST_POINTS, SAME_COST_RATIO, VECTOR } from "../metrics/vector.ts";
import { type InSession, type Interval, intervalOverOwners, meanOf, meanOver, ownersOf, unitOf } from "../statistics.ts";
import { signedPoints } from "./comparison-columns.ts";
import type { WindowComparison } from "./comparisons.ts";
import { formatNumberOf, formatPercent } from "./figures.ts";
import { capitalised } from "./labels.ts";
import { escaped, markdownTable } from "./markdown-table.ts";
import { unmarkedName } from "./model-summaries.ts";
import { CHEATS, placedPolicy } from "./policy-choice.ts";
import type { SessionOutcome } from "./session-outcomes.ts";

/** The presets that are no likeness of another system: nothing of about their cost should hold more. */
const OURS: ReadonlySet<string> = new Set(PRESETS.map(({ name }) => name).filter((name) => name.startsWith("plimsoll")));

/** The section's name for the plain tail of a preset's own size, which costs no more (docs/evidence.md). */
const OWN_TAIL = "its own tail";

/** A measure on which another policy of at most 5 % more cost holds more, or the preset's own tail. Costs are percent of doing nothing, points below zero. */
export interface Beaten {
  readonly policy: string;
  readonly cost: number;
  readonly measure: string;
  readonly than: string;
  /** `null` for the preset's own tail. */
  readonly thanCost: number | null;
  readonly points: number;
  /** Sessions in which both have such needs, and their owners. */
  readonly sessions: number;
  readonly owners: number;
  /** 95 %, whole owners drawn; `null` from fewer than eight. */
  readonly interval: Interval | null;
}

/** Where one of our presets is beaten by a point or more, or by less that an interval shows; for each measure by whom it is beaten most. The largest first. */
export function beatenMeasures(byPolicy: ReadonlyMap<string, readonly SessionOutcome[]>): readonly Beaten[] {
  const placed = [...byPolicy].map(([policy, outcomes]) => ({ policy, outcomes, cost: placedPolicy(policy, outcomes).cost }));
  return placed
    .filter(({ policy }) => OURS.has(unmarkedName(policy)))
    .flatMap((own) => {
      const near = placed.filter(
        ({ policy, cost }) => policy !== own.policy && !CHEATS.has(policy) && cost <= own.cost * SAME_COST_RATIO,
      );
      return VECTOR.flatMap(({ name: measure }, place) => {
        const rivals = [
          {
            than: OWN_TAIL,
            thanCost: null,
            pairs: pairsOf(own.outcomes, (index) => own.outcomes[index]?.vector[place]?.tail, place),
          },
          ...near.map(({ policy, cost, outcomes }) => {
            const pairs = pairsOf(own.outcomes, (index) => outcomes[index]?.vector[place]?.own, place);
            return { than: policy, thanCost: cost, pairs };
          }),
        ];
        const found = rivals.flatMap(({ than, thanCost, pairs }): readonly Beaten[] => {
          const points = meanOf(pairs.map((each) => each.points)) ?? 0;
          if (points >= 0) return [];
          const owners = ownersOf(pairs).size;
          const interval = intervalOf(pairs);
          if (points > -LEAST_POINTS && (interval === null || interval.through >= 0)) return [];
          const { policy, cost } = own;
          return [{ policy, cost, measure, than, thanCost, points, sessions: pairs.length, owners, interval }];
        });
        return found.toSorted((a, b) => a.points - b.points).slice(0, 1);
      });
    })
    .toSorted((a, b) => a.points - b.points);
}

interface Pair extends InSession {
  readonly points: number;
}

function intervalOf(pairs: readonly Pair[]): Interval | null {
  return intervalOverOwners(
    pairs,
    meanOver((each) => each.points),
  );
}

/** Sessions in which both have such needs, with the points of the one over the other. */
function pairsOf(
  own: readonly SessionOutcome[],
  theirsAt: (index: number) => number | null | undefined,
  place: number,
): readonly Pair[] {
  return own.flatMap((outcome, index) => {
    const [share, theirs] = [outcome.vector[place]?.own ?? null, theirsAt(index) ?? null];
    return share === null || theirs === null ? [] : [{ ...unitOf(outcome), points: share - theirs }];
  });
}

/** Where our presets are beaten at about their cost, before anything else; nothing for a report without one of them. */
export function dominancePart(comparisons: readonly WindowComparison[]): readonly string[] {
  const shown = comparisons.filter(({ outcomes }) =>
    [...outcomes.byPolicy.keys()].some((name) => OURS.has(unmarkedName(name))),
  );
  if (shown.length === 0) return [];
  return [
    "### Beaten at about the same cost",
    "Measures on which a policy of at most 5 % more cost, or a plain tail of its own size, holds more than one of our presets: a point or more, or less that the interval shows. For each measure the one that holds most more, whether a model writes its summaries or not; in brackets 95 % intervals, whole owners drawn 10,000 times, from eight owners on.",
    ...shown.flatMap(({ windowLabel, outcomes, policies }) => {
      const beaten = beatenMeasures(outcomes.byPolicy);
      const known = beaten.filter(({ interval }) => interval !== null);
      const clear = known.filter(({ interval }) => interval !== null && interval.through < 0).length;
      const sure = known.length === 0 ? "" : `, of ${clear} the interval lies below zero`;
      const said = `**${capitalised(windowLabel)}**, ${formatNumberOf(policies[0]?.owners ?? 0, "owner")}: ${formatNumberOf(beaten.length, "such measure")}${sure}.`;
      return beaten.length === 0 ? [said] : [said, beatenTable(beaten)];
    }),
  ];
}

function beatenTable(beaten: readonly Beaten[]): string {
  return markdownTable({
    head: ["preset", "measure", "points", "than", "sessions (owners)", "cost, % of none", "its cost"],
    rows: beaten.map(({ policy, cost, measure, than, thanCost, points, sessions, owners, interval }) => [
      escaped(policy),
      measure,
      `${signedPoints(points)}${interval === null ? "" : ` [${signedPoints(interval.from)}, ${signedPoints(interval.through)}]`}`,
      escaped(than),
      `${sessions} (${owners})`,
      formatPercent(cost),
      thanCost === null ? "no more" : formatPercent(thanCost),
    ]),
  });
}
