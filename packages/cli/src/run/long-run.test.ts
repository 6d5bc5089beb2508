import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const STEPS = 2000;
const OUTPUT_CHARS = 40_000;
/** Every fiftieth output is of this size: the log of a build. */
const LARGE_EVERY = 50;
const LARGE_CHARS = 700_000;
const MAXIMUM_BYTES = 200_000_000;
/** The collector uses all memory that a machine has; a limit of its own shows the run's need: 30 MB are alive at the end. In megabytes. */
const HEAP_LIMIT = "--max-old-space-size=128";
/** Steps at the beginning and at the end whose work is compared. */
const COMPARED_STEPS = 100;

interface LongRun {
  readonly reason: string;
  readonly steps: number;
  readonly compactions: number;
  readonly peakBytes: number;
  /** Totals at each request. */
  readonly counts: { readonly [counter: string]: readonly number[] };
  /** The work of each compaction. */
  readonly works: readonly { readonly [counter: string]: number }[];
}

const folder = mkdtempSync(join(tmpdir(), "plimsoll-long-run-"));
let run: LongRun;

beforeAll(async () => {
  const program = join(folder, "long-run.mjs");
  const bundle = await rolldown({
    input: join(import.meta.dirname, "../../testing/long-run.ts"),
    platform: "node",
    resolve: { conditionNames: ["source", "import", "node"] },
  });
  await bundle.write({ file: program, format: "esm" });
  const args = [HEAP_LIMIT, program, folder, STEPS, OUTPUT_CHARS, LARGE_EVERY, LARGE_CHARS].map(String);
  const { stdout, stderr, status, signal } = spawnSync(process.execPath, args, { encoding: "utf8" });
  // A process that runs out of memory prints nothing.
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: "" });
  run = JSON.parse(stdout);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The spread of compactions that is allowed: a full window differs a little from time to time, as large outputs come every so often. Growth would show
 * as a multiple.
 */
const COMPACTION_SPREAD_RATIO = 1.25;

const COUNTERS = ["charactersScanned", "messagesVisited", "tokenizerCalls", "entriesFolded"];

describe(`a run of ${STEPS} steps with outputs of ${OUTPUT_CHARS} and ${LARGE_CHARS} characters`, () => {
  test("ends, compacts on its way, and stays under 200 MB", () => {
    const { reason, steps, compactions, peakBytes } = run;
    console.log(`most memory: ${Math.round(peakBytes / 1e6)} MB; compactions: ${compactions}`);
    expect({ reason, steps, isCompacted: compactions > 5 }).toEqual({ reason: "done", steps: STEPS + 1, isCompacted: true });
    expect(peakBytes).toBeLessThan(MAXIMUM_BYTES);
  });

  test.each(COUNTERS)("%s of the last hundred quiet steps are no more than those of the first", (counter) => {
    const perStep = quietSteps(run.counts, counter);
    const first = sumOf(perStep.slice(0, COMPARED_STEPS));
    const last = sumOf(perStep.slice(-COMPARED_STEPS));
    console.log(`${counter} of ${COMPARED_STEPS} quiet steps: ${first} at the beginning, ${last} at the end`);
    expect(last).toBeLessThanOrEqual(first);
  });

  test.each(["charactersScanned", "messagesVisited", "tokenizerCalls"])(
    "%s of the last ten compactions are about those of the first ten",
    (counter) => {
      const counted = run.works.map((work) => work[counter] ?? expect.fail(counter));
      const [first, last] = [Math.max(...counted.slice(0, 10)), Math.max(...counted.slice(-10))];
      console.log(`most ${counter} of ten compactions: ${first} at the beginning, ${last} at the end`);
      expect(last).toBeLessThanOrEqual(first * COMPACTION_SPREAD_RATIO);
    },
  );
});

/** Returns the counts of steps during which nothing was compacted. */
function quietSteps(counts: LongRun["counts"], counter: string): readonly number[] {
  const totals = counts[counter] ?? [];
  const compactions = counts.compactions ?? [];
  const steps = totals.slice(1).map((total, index) => total - (totals[index] ?? 0));
  return steps.filter((_, index) => compactions[index + 1] === compactions[index]);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
