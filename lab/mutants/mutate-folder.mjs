import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { root } from "../../scripts/tool.mjs";

/** Below this a folder's tests are not good enough. */
const LEAST_SCORE_PERCENT = 85;

/** The outcome of a folder. @typedef {{ readonly tried: number, readonly caught: number, readonly seconds: number }} FolderOutcome */

/**
 * Mutates a folder in a copy of the workspace's core, and shows progress and survivors. Mutants known from the last time, for sources and tests that have
 * not changed since, are not tried again, unless `isAnew`. The exit code is not zero if too few are caught.
 * @param {import("./folders.mjs").MutatedFolder} folder
 * @param {{ readonly isAnew: boolean, readonly files: string }} options `files` are names without their ending, split by commas, or `*`
 * @returns {Promise<FolderOutcome>}
 */
export async function mutateFolder({ name, sources, tests }, { isAnew, files }) {
  const startMs = performance.now();
  const cache = join(root, "node_modules/.cache/plimsoll-mutants");
  mkdirSync(cache, { recursive: true });
  const chosen = files === "*" ? sources : sources.flatMap((glob) => (glob.startsWith("!") ? glob : named(glob, files)));
  process.env.PLIMSOLL_MUTANTS_TESTS = tests.map(below).join(" ");
  const results = await new Stryker({
    mutate: [...chosen.map(below), "!**/*.test.ts"],
    plugins: [
      "@stryker-mutator/vitest-runner",
      join(import.meta.dirname, "unnoticeable.mjs"),
      join(import.meta.dirname, "survivors.mjs"),
    ],
    ignorers: ["unnoticeable"],
    testRunner: "vitest",
    vitest: { configFile: "lab/mutants/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    // A busy machine must not make a mutant look caught; most endless loops are noticed by their count.
    timeoutMS: 60_000,
    concurrency: 1,
    // TypeScript 7 has no JavaScript API with which Stryker could read one.
    tsconfigFile: "none",
    disableTypeChecks: false,
    ignorePatterns: ["/{.ci,bench,docs,extension,fixtures,research}", "/packages/{cli,providers,tools}", "dist"],
    // Outside the workspace, so that no other tool finds the copy.
    tempDirName: join(tmpdir(), `plimsoll-mutants-${process.pid}`),
    incremental: true,
    incrementalFile: join(cache, `${name}.json`),
    force: isAnew,
    reporters: [process.stdout.isTTY ? "progress" : "progress-append-only", "survivors", "clear-text"],
    clearTextReporter: { allowColor: process.stdout.isTTY, logTests: false, reportTests: false },
    thresholds: { high: LEAST_SCORE_PERCENT, low: LEAST_SCORE_PERCENT, break: LEAST_SCORE_PERCENT },
  }).runMutationTest();
  const tried = results.filter(({ status }) => status !== "Ignored");
  const caught = tried.filter(({ status }) => status === "Killed" || status === "Timeout");
  return { tried: tried.length, caught: caught.length, seconds: (performance.now() - startMs) / 1000 };
}

/**
 * @param {string} glob whose folder is taken
 * @param {string} files
 */
function named(glob, files) {
  return files.split(",").map((file) => `${posix.dirname(glob)}/${file}.ts`);
}

/** @param {string} glob below packages/core/src, perhaps with `!` in front */
function below(glob) {
  return glob.startsWith("!") ? `!packages/core/src/${glob.slice(1)}` : `packages/core/src/${glob}`;
}
