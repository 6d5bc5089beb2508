import type { Effort, Sides, Spread } from "./spread.ts";
import { timeRatio } from "./spread.ts";

/** Two ways to do something on the same input in the same run. */
export interface Comparison extends Sides {
  /** What takes so many times as long … */
  readonly slow: string;
  /** … as this. */
  readonly fast: string;
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

/** Measures a group, one comparison after the other, and tells of each before it is run; only those whose text has `row` in it. */
export async function measureGroup(
  { name, make }: ComparisonGroup,
  { effort, row, onProgress }: { readonly effort: Effort; readonly row: string; readonly onProgress: (text: string) => void },
): Promise<readonly MeasuredComparison[]> {
  onProgress(`${name}: making what it runs on`);
  const comparisons = (await make()).filter(({ slow }) => slow.includes(row));
  const measured: MeasuredComparison[] = [];
  for (const [index, comparison] of comparisons.entries()) {
    const { slow, fast, unlike } = comparison;
    onProgress(`${name} ${index + 1}/${comparisons.length}: ${slow}`);
    measured.push({ group: name, slow, fast, ratio: await timeRatio(comparison, effort), unlike });
  }
  return measured;
}
