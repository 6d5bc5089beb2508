import { ridge } from "@plimsoll/bench/extend";
import { useFeatures } from "@plimsoll/core/extend";
import type { RecallObservation } from "./observations.ts";

/** Observations of one session. All sessions weigh the same, at any length. */
export interface ObservedSession {
  readonly observations: readonly RecallObservation[];
}

/** The weight of an edit's text against a passage: there are some five passages for each; chosen. */
const EDIT_WEIGHT = 3;

/** Needs that count of one unit at most: a unit that is needed at every call is kept anyway. */
const MOST_NEEDS = 20;

/** A session with fewer needs weighs less, so that one need does not decide; chosen. */
const FEWEST_NEEDS = 20;

/** The weight of the prior that a feature says nothing, as a share of the observations; chosen. */
const PRIOR_RATIO = 0.001;

/** Newton's steps; the weights no longer move after some eight. */
const STEPS = 25;

/** Weights of a Poisson regression of needs on the facts known at the cut, by iterated ridge regression. */
export function fittedWeights(sessions: readonly ObservedSession[]): readonly (readonly [string, number])[] {
  const rows = sessions.flatMap(({ observations }) => {
    const needs = observations.map(needsOf);
    const weight =
      1 /
      Math.max(
        FEWEST_NEEDS,
        needs.reduce((sum, count) => sum + count, 0),
      );
    return observations.map(({ facts }, at) => ({
      x: Object.values(useFeatures(facts)),
      y: needs[at] ?? 0,
      weight,
    }));
  });
  const meanWeight = rows.reduce((sum, { weight }) => sum + weight, 0) / Math.max(1, rows.length);
  // Most units are never needed: the weight of a unit's kind starts from there.
  const [first] = sessions.flatMap(({ observations }) => observations);
  const names = first === undefined ? [] : Object.keys(useFeatures(first.facts));
  const priors = names.map((name) => ({
    value: KINDS.has(name) ? SELDOM : 0,
    strength: PRIOR_RATIO * rows.length,
  }));
  let weights = priors.map(({ value }) => value);
  for (let step = 0; step < STEPS; step++) {
    const current = weights;
    weights = [
      ...ridge(
        rows.map(({ x, y, weight }) => {
          const log = Math.max(
            -20,
            Math.min(
              5,
              x.reduce((sum, value, at) => sum + value * (current[at] ?? 0), 0),
            ),
          );
          const mean = Math.exp(log);
          return { x, y: log + (y - mean) / mean, weight: (weight / meanWeight) * mean };
        }),
        priors,
      ),
    ];
  }
  return names.map((name, at) => [name, weights[at] ?? 0] as const);
}

/** The logarithm of one need in twenty. */
const SELDOM = -3;

const KINDS: ReadonlySet<string> = new Set(["isRead", "isOutput", "isFailed", "isWritten", "isSaid", "isPerson"]);

function needsOf({ passages, edits }: RecallObservation): number {
  return Math.min(MOST_NEEDS, passages) + EDIT_WEIGHT * Math.min(MOST_NEEDS, edits);
}
