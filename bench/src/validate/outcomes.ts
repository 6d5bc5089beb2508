import type { PreparedSession } from "../replay/prepared-session.ts";
import { clusteredEstimate, type Estimate, type InSession } from "../statistics.ts";
import { AREA, type Scored } from "./area.ts";
import type { PredictionCase } from "./predictions.ts";

/** A recorded run that was graded, with what the measures say of it. */
export interface GradedRun extends InSession {
  readonly agent: string;
  /** Model calls. */
  readonly calls: number;
  /** True below a full success: 1 by the grade that counts, less what rounding leaves of it. */
  readonly hasFailed: boolean;
  /** By the measure's name: the mean of what was missing where it asked, 0 to 1. Measures that asked nothing are not there. */
  readonly scores: Readonly<Record<string, number>>;
}

/** How much less than 1 is still a full success: τ-bench's own bound (`REWARD_SUCCESS_MIN`). */
const SUCCESS_ROUNDING = 1e-6;

/** Collects a session's measures with the grade of its run; `null` if the recording does not grade it. */
export function gradedRun(
  { transcript: { name, format, outcome } }: PreparedSession,
  { cases, calls, compactions }: { cases: readonly PredictionCase[]; calls: number; compactions: number },
): GradedRun | null {
  const grade = outcome?.grades[0];
  if (grade === undefined) return null;
  const sums = new Map<string, { sum: number; count: number }>();
  const add = (measure: string, score: number) => {
    const { sum, count } = sums.get(measure) ?? { sum: 0, count: 0 };
    sums.set(measure, { sum: sum + score, count: count + 1 });
  };
  for (const { outcome: asked, measure, score, happened } of cases) {
    const isEdit = asked === "the edit fails";
    if (score !== null) add(`${measure}, ${isEdit ? "at edits" : "after compactions"}`, score);
    if (isEdit && measure === "replaced texts") add("edits that fail", happened ? 1 : 0);
  }
  add("was compacted", compactions > 0 ? 1 : 0);
  const scores = Object.fromEntries([...sums].map(([measure, { sum, count }]) => [measure, sum / count]));
  return { session: name, agent: format, calls, hasFailed: grade.value < 1 - SUCCESS_ROUNDING, scores };
}

/** The prediction of failing runs by a measure. */
export interface OutcomePrediction {
  readonly measure: string;
  /** Graded runs that the measure says something of, and those of them that failed. */
  readonly runs: number;
  readonly failed: number;
  /** Area under the receiver operating characteristic; 0.5 predicts nothing. `value` is `null` if all or none failed. */
  readonly area: Estimate;
  /**
   * The same over pairs of runs of the same agent and about the same length: within thirds by calls. Long runs fail more often and miss
   * more, so a measure that predicts nothing beyond length has a half here. `null` without such a pair.
   */
  readonly areaAtEqualLength: number | null;
  /** Pairs of a failed and another run that it is over. */
  readonly pairs: number;
}

/** The length of a run as a measure: what the others must beat. */
const LENGTH = "length in calls";

/** Every measure against the outcomes of graded runs, the length first; empty if none is graded. */
export function outcomePredictions(runs: readonly GradedRun[]): readonly OutcomePrediction[] {
  if (runs.length === 0) return [];
  const measures = [...new Set(runs.flatMap(({ scores }) => Object.keys(scores)))];
  const byMeasure = measures.map((measure) => {
    const own = runs.flatMap(({ scores, ...run }) => {
      const score = scores[measure];
      return score === undefined ? [] : [{ ...run, score }];
    });
    return predictionOf(measure, own);
  });
  return [predictionOf(LENGTH, ranked(runs)), ...byMeasure];
}

type ScoredRun = Omit<GradedRun, "scores"> & { readonly score: number };

/** Runs by their length as a score: the place in their order, equal lengths at the same. */
function ranked(runs: readonly GradedRun[]): readonly ScoredRun[] {
  const lengths = [...new Set(runs.map(({ calls }) => calls))].sort((a, b) => a - b);
  const rank = new Map(lengths.map((calls, place) => [calls, place / Math.max(1, lengths.length - 1)]));
  return runs.map(({ scores: _, ...run }) => ({ ...run, score: rank.get(run.calls) ?? 0 }));
}

function predictionOf(measure: string, runs: readonly ScoredRun[]): OutcomePrediction {
  const cases = runs.map((run) => ({ ...run, happened: run.hasFailed }));
  let pairs = 0;
  let higher = 0;
  for (const group of groupsOfEqualLength(cases)) {
    const area = areaOf(group);
    const failed = group.filter(({ happened }) => happened).length;
    const own = failed * (group.length - failed);
    if (area === null) continue;
    pairs += own;
    higher += own * area;
  }
  return {
    measure,
    runs: cases.length,
    failed: cases.filter(({ happened }) => happened).length,
    area: clusteredEstimate(cases, AREA),
    areaAtEqualLength: pairs === 0 ? null : higher / pairs,
    pairs,
  };
}

function areaOf(cases: readonly Scored[]): number | null {
  const sums = new Float64Array(AREA.width);
  for (const each of cases) AREA.add(each, sums);
  return AREA.figure(sums);
}

/** How many groups by length; chosen: few runs are graded, and each group needs some that failed. */
const LENGTH_GROUPS = 3;

/** Runs of one agent in thirds by length; equal lengths are in one group. */
function groupsOfEqualLength<Run extends { readonly agent: string; readonly calls: number }>(
  runs: readonly Run[],
): readonly (readonly Run[])[] {
  const groups = new Map<string, Run[]>();
  for (const agent of new Set(runs.map((run) => run.agent))) {
    const own = runs.filter((run) => run.agent === agent);
    const sorted = own.map(({ calls }) => calls).sort((a, b) => a - b);
    const bounds = [1, 2].map((third) => sorted[Math.floor((third * sorted.length) / LENGTH_GROUPS)] ?? 0);
    for (const run of own) {
      const key = `${agent}\n${bounds.filter((bound) => run.calls >= bound).length}`;
      groups.set(key, [...(groups.get(key) ?? []), run]);
    }
  }
  return [...groups.values()];
}
