import type { BenchOptions, Task } from "tinybench";
import { Bench } from "tinybench";

/** The middle, the smallest and the largest of some figures from one run. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The spread of the figures, of which there is at least one. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { median: at(Math.floor(sorted.length / 2)), least: at(0), most: at(sorted.length - 1) };
}

/** What is timed. */
export interface Sides {
  readonly runSlow: () => unknown;
  readonly runFast: () => unknown;
  /** Puts back what a run of the slow side changed, outside of its time; left out if it changes nothing. */
  readonly restore?: () => unknown;
}

/** How much a comparison is run. */
export interface Effort {
  readonly rounds: number;
  /** How long each side runs, once at least, before the first round: what nobody has compiled yet is no measure. */
  readonly firstMs: number;
  /** How long each side of a round runs, after one run that is not timed; the sides take turns, so that a slow moment meets both. */
  readonly roundMs: number;
  /** Each side runs this often at least, however long it takes. */
  readonly leastRuns: number;
}

/** Enough for three digits. */
export const WHOLE_EFFORT: Effort = { rounds: 7, firstMs: 0, roundMs: 60, leastRuns: 3 };

/** For a first look: the order of magnitude, within a minute. */
export const QUICK_EFFORT: Effort = { rounds: 3, firstMs: 100, roundMs: 5, leastRuns: 3 };

/** How many times as long the slow side takes as the fast one: the ratio of their medians, round by round. */
export async function timeRatio(sides: Sides, { rounds, firstMs, roundMs, leastRuns }: Effort): Promise<Spread> {
  await roundRatio(sides, { time: firstMs, iterations: 1, warmup: false });
  const warming = { warmup: true, warmupTime: roundMs / 3, warmupIterations: 1 };
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++)
    ratios.push(await roundRatio(sides, { time: roundMs, iterations: leastRuns, ...warming }));
  return spreadOf(ratios);
}

async function roundRatio({ runSlow, runFast, restore }: Sides, options: BenchOptions): Promise<number> {
  const bench = new Bench(options);
  bench.add("slow", runSlow, restore === undefined ? {} : { afterEach: () => void restore() }).add("fast", runFast);
  const [one, other] = await bench.run();
  return medianMs(one) / medianMs(other);
}

function medianMs(task: Task | undefined): number {
  const result = task?.result;
  if (result?.state !== "completed") throw new Error(`the ${task?.name ?? "missing"} side did not run to its end`);
  return result.latency.p50;
}
