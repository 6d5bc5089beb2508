import { BASELINE_POLICY } from "../metrics/has-acted.ts";
import { originOf } from "../origin.ts";
import { createRandom } from "../statistics.ts";
import { type Choice, choose } from "./choose.ts";
import type { Compared } from "./compare.ts";
import { type Standing, standingOver } from "./standing.ts";
import { type Sureness, surenessOf } from "./sureness.ts";

/** An answer for a window, among policies of one kind: the policy to use, and how sure that is. */
export interface WindowAnswer {
  /** Like is compared with like: whether the policies pay for a model's summaries; `null` if none of the run does. */
  readonly summaries: "by a model" | "without a model" | null;
  /** The policies that are compared here, the plainest first. */
  readonly placed: readonly Standing[];
  readonly choice: Choice;
  readonly sureness: AnswerSureness | null;
}

interface AnswerSureness extends Sureness {
  readonly again: number;
}

/** Chooses among the acting policies of a window, of equals the first: two answers if some of them pay for a model's summaries and some do not. */
export function answersAmong(
  { standings, isOutgrown }: Pick<Compared, "standings" | "isOutgrown">,
  acting: ReadonlySet<string>,
  asking: ReadonlySet<string>,
): readonly WindowAnswer[] {
  const all = [...acting].flatMap((policy) => standings.get(policy) ?? []);
  const groups = (["without a model", "by a model"] as const)
    .map((summaries) => ({
      summaries,
      placed: all.filter(({ policy }) => asking.has(policy) === (summaries === "by a model")),
    }))
    .filter(({ placed }) => placed.length > 0);
  const compared = asking.size === 0 || groups.length === 0 ? [{ summaries: null, placed: all }] : groups;
  const nothing = isOutgrown ? undefined : standings.get(BASELINE_POLICY);
  return compared.map((group) => {
    const choice = choose(group.placed, { nothing, withIntervals: true });
    const sureness = choice.pick === null ? null : answerSureness(group.placed, choice.pick, nothing);
    return { ...group, choice, sureness };
  });
}

/** Chosen: shares are then sure to two points. */
const RESAMPLES = 500;

/**
 * Chooses again, by differences without intervals, over projects drawn with replacement, or sessions if there are few projects. `null` with too few. Deterministic.
 */
function answerSureness(placed: readonly Standing[], pick: Standing, nothing?: Standing): AnswerSureness | null {
  const sureness = surenessOf(pick, null);
  if (sureness === null) return null;
  const clusters = new Map<string, number[]>();
  for (const [index, { file, project }] of pick.units.entries()) {
    const cluster = sureness.drawn === "sessions" ? file : originOf(file, project).repository;
    clusters.set(cluster, [...(clusters.get(cluster) ?? []), index]);
  }
  const random = createRandom();
  const all = [...clusters.values()];
  let often = 0;
  for (let sample = 0; sample < RESAMPLES; sample++) {
    const drawn = all.flatMap(() => all[Math.floor(random() * all.length)] ?? []);
    const unitsOf = ({ units }: Standing) => drawn.flatMap((index) => units[index] ?? []);
    const over = (each: Standing) => standingOver(each.policy, unitsOf(each), each.isBroken);
    const again = choose(placed.map(over), { nothing: nothing && over(nothing), isPickOnly: true });
    if (again.pick?.policy === pick.policy) often += 1;
  }
  return { ...sureness, again: often / RESAMPLES };
}
