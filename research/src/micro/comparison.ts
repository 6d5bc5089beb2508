import type { Spread } from "./spread.ts";
import { timeRatio } from "./spread.ts";

/** Two ways to do something on the same input in the same run. */
export interface Comparison {
  /** What takes so many times as long … */
  readonly slow: string;
  /** … as this. */
  readonly fast: string;
  readonly runSlow: () => unknown;
  readonly runFast: () => unknown;
  /** What one side does and the other does not; `null` if they do the same. */
  readonly unlike: string | null;
}

/** Comparisons that share what they run on; it is made when the group is run and gone after it. */
export interface ComparisonGroup {
  readonly name: string;
  readonly make: () => Promise<readonly Comparison[]>;
}

/** How many times as long the one side takes as the other. Timings, so not the same from run to run. */
export interface MeasuredComparison {
  readonly group: string;
  readonly slow: string;
  readonly fast: string;
  readonly ratio: Spread;
  readonly unlike: string | null;
}

/** Measures a group, one comparison after the other. */
export async function measureGroup({ name, make }: ComparisonGroup): Promise<readonly MeasuredComparison[]> {
  const measured: MeasuredComparison[] = [];
  for (const { slow, fast, runSlow, runFast, unlike } of await make())
    measured.push({ group: name, slow, fast, ratio: await timeRatio(runSlow, runFast), unlike });
  return measured;
}
