import { quantileOf } from "@plimsoll/bench/extend";
import type { Prediction } from "./prediction.ts";
import type { MadeBy } from "./stretches.ts";

/** One recorded compaction beside what was predicted of it. */
export interface Case {
  readonly agent: string;
  readonly version: string;
  readonly file: string;
  readonly madeBy: MadeBy;
  readonly callsBefore: number;
  readonly beforeTokens: number | null;
  readonly afterTokens: number;
  /** Where the likeness acts; `null` if it does not before the history ends. */
  readonly predicted: Prediction | null;
  /** The rest that the agent leaves according to the likeness, without the summary; `null` if it says nothing beyond its policy. */
  readonly leftTokens: number | null;
}

/** A case with its errors. */
export interface Scored extends Case {
  /** Calls by which the likeness acts too late (above zero) or too early; `null` if it does not act. */
  readonly callsOff: number | null;
  /** Share by which the newest prompt before the compaction differs; `null` if one is not known. */
  readonly sizeOffRatio: number | null;
  /** Share by which what the policy leaves in the replay differs. */
  readonly policyOffRatio: number | null;
  /** Share by which what is left by description, with a summary of usual size, differs; the policy's if nothing is described. */
  readonly leftOffRatio: number | null;
}

/** The goal: calls, and share of what was left. From the project's goal. */
export const GOAL_CALLS = 2;
export const GOAL_RATIO = 0.1;

/**
 * Scores the cases. The usual summary of an agent, with whatever else is never described, is the median of what other sessions of it (of all agents, if
 * there is none) left above the description: a session's own figures are not used for it.
 */
export function scored(cases: readonly Case[]): readonly Scored[] {
  return cases.map((each) => {
    const { predicted, leftTokens, afterTokens } = each;
    const policyOffRatio = predicted === null ? null : predicted.afterTokens / afterTokens - 1;
    const usual = usualRest(cases, each);
    return {
      ...each,
      callsOff: predicted === null ? null : predicted.callsBefore - each.callsBefore,
      sizeOffRatio: predicted === null || each.beforeTokens === null ? null : predicted.beforeTokens / each.beforeTokens - 1,
      policyOffRatio,
      leftOffRatio: leftTokens === null || usual === null ? policyOffRatio : (leftTokens + usual) / afterTokens - 1,
    };
  });
}

function usualRest(cases: readonly Case[], { agent, file }: Case): number | null {
  const apart = cases.filter((each) => each.file !== file && each.madeBy === "automatic");
  const alike = apart.filter((each) => each.agent === agent);
  const others = alike.length > 0 ? alike : apart;
  const rests = others.flatMap(({ afterTokens, leftTokens }) => (leftTokens === null ? [] : [afterTokens - leftTokens]));
  return rests.length === 0 ? null : quantileOf(rests, 0.5);
}

/** How many of some cases met the goals. */
export interface Met {
  readonly count: number;
  readonly calls: number;
  readonly policy: number;
  readonly left: number;
}

/** The cases that met the goals. */
export function metOf(cases: readonly Scored[]): Met {
  const within = (ratio: number | null) => ratio !== null && Math.abs(ratio) <= GOAL_RATIO;
  return {
    count: cases.length,
    calls: cases.filter(({ callsOff }) => callsOff !== null && Math.abs(callsOff) <= GOAL_CALLS).length,
    policy: cases.filter(({ policyOffRatio }) => within(policyOffRatio)).length,
    left: cases.filter(({ leftOffRatio }) => within(leftOffRatio)).length,
  };
}
