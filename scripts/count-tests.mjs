import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Prints one line with the counts of test runs, read from the folders that they left: `count-tests EXIT-CODE FOLDER…`. A check that failed before the
 * tests, a test file that could not be loaded, and a run that failed without saying where count as one failure each.
 */
const [code = "0", ...folders] = process.argv.slice(2);
const exitCode = Number(code);

/** @param {string} file @returns {any} */
const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null);

const runs = folders.map((folder) => ({
  tests: readJson(join(folder, "vitest.json")),
  stages: readJson(join(folder, "stages.json")),
}));

/** @type {{ status: string, assertionResults: { status: string }[] }[]} */
const files = runs.flatMap(({ tests }) => tests?.testResults ?? []);
const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
const brokenFileCount = files.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.every((result) => result.status !== "failed"),
).length;

const passedCount = statuses.filter((status) => status === "passed").length;
const failedTestCount = statuses.filter((status) => status === "failed").length;
const skippedCount = statuses.length - passedCount - failedTestCount;
const failedStageCount = runs.reduce((sum, { tests, stages }) => sum + (tests === null ? (stages?.failed.length ?? 1) : 0), 0);
const knownFailureCount = failedTestCount + brokenFileCount + failedStageCount;
const failedCount = exitCode === 0 ? knownFailureCount : Math.max(1, knownFailureCount);

console.log(`${passedCount} passed, ${failedCount} failed${skippedCount === 0 ? "" : `, ${skippedCount} skipped`}`);
