import { existsSync, readFileSync } from "node:fs";

/**
 * Prints one line with the counts of the last test run, read from the files it left. A check that failed before the tests, a test
 * file that could not be loaded, and a run that failed without saying where count as one failure each.
 */
const exitCode = Number(process.argv[2] ?? "0");

/** @param {string | undefined} file @returns {any} */
const readJson = (file) => (file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null);

const tests = readJson(process.env.PLIMSOLL_TEST_JSON);
const stages = readJson(process.env.PLIMSOLL_STAGES_JSON);

/** @type {{ status: string, assertionResults: { status: string }[] }[]} */
const files = tests?.testResults ?? [];
const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
const brokenFileCount = files.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.every((result) => result.status !== "failed"),
).length;

const passedCount = statuses.filter((status) => status === "passed").length;
const failedTestCount = statuses.filter((status) => status === "failed").length;
const skippedCount = statuses.length - passedCount - failedTestCount;
const failedStageCount = tests === null ? (stages?.failed.length ?? 0) : 0;
const knownFailureCount = failedTestCount + brokenFileCount + failedStageCount;
const failedCount = exitCode === 0 ? knownFailureCount : Math.max(1, knownFailureCount);

console.log(`${passedCount} passed, ${failedCount} failed${skippedCount === 0 ? "" : `, ${skippedCount} skipped`}`);
