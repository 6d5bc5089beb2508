import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { commandFile } from "../tool.mjs";
import { copyCore } from "./core-copy.mjs";
import { mutateFolder } from "./folder.mjs";
import { mutants } from "./mutants.mjs";

/**
 * Puts each wrong line into a copy of core, runs the tests that must notice it, and takes it out again. The exit code is not zero
 * if a mutant survives, if its line is no longer there, or if a test fails without any. Arguments choose mutants by words
 * of their file or of what they break.
 *
 * With `--folder` every operator of a folder or file of core is put wrong instead, one at a time or with `--pairs` two, and the tests
 * beside it run on each: `--folder packages/core/src/tokens/ledger --kinds sign,direction,extremum`.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: "string" },
    tests: { type: "string", default: "" },
    kinds: { type: "string", default: "" },
    pairs: { type: "boolean", default: false },
    most: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
  },
});
const startMs = performance.now();
const failedCount = values.folder === undefined ? await tryListed() : await tryFolder(values.folder);
process.exitCode = failedCount === 0 ? 0 : 1;

/** @param {string} place @returns {Promise<number>} how many no test noticed */
async function tryFolder(place) {
  const listOf = (/** @type {string} */ words) => words.split(",").filter((word) => word !== "");
  const { tried, survivors } = await mutateFolder({
    place,
    tests: listOf(values.tests),
    kinds: listOf(values.kinds),
    pairs: values.pairs,
    most: Number(values.most),
    seed: Number(values.seed),
  });
  console.log(`${tried - survivors.length} of ${tried} mutants caught in ${seconds()} s`);
  return survivors.length;
}

function seconds() {
  return ((performance.now() - startMs) / 1000).toFixed(0);
}

/** @returns {Promise<number>} how many were not caught */
async function tryListed() {
  const chosen = mutants.filter(({ file, breaks }) => positionals.every((word) => `${file} ${breaks}`.includes(word)));
  const { folder, core } = copyCore();
  let failedCount = 0;
  try {
    const whole = await runTests(folder, [...new Set(chosen.flatMap(({ tests }) => tests))]);
    if (!whole.passed) {
      process.stdout.write(whole.output);
      throw new Error("the tests fail without any mutant");
    }
    for (const mutant of chosen) {
      const file = join(core, "src", mutant.file);
      const text = readFileSync(file, "utf8");
      const wrong = mutated(mutant, text);
      if (wrong !== null) writeFileSync(file, wrong);
      const { passed } = wrong === null ? { passed: true } : await runTests(folder, mutant.tests);
      writeFileSync(file, text);
      const came = wrong === null ? "NOT FOUND" : passed ? "SURVIVED" : "caught";
      if (came !== "caught") failedCount += 1;
      console.log(`${came.padEnd(9)} ${mutant.file}: ${mutant.breaks}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${chosen.length - failedCount} of ${chosen.length} mutants caught in ${seconds()} s`);
  return failedCount;
}

/**
 * Runs tests of the copy; true if all of them pass.
 * @param {string} copy
 * @param {readonly string[]} tests
 * @returns {Promise<{ readonly passed: boolean, readonly output: string }>}
 */
function runTests(copy, tests) {
  const files = tests.map((test) => `packages/core/src/${test}`);
  const args = [commandFile("vitest", "vitest"), "run", "--root", copy, "--bail", "1", "--reporter", "dot", ...files];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: copy,
      env: { ...process.env, NO_COLOR: "1" },
      // A mutant that never ends is noticed as well.
      timeout: 120_000,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ passed: code === 0, output }));
  });
}

/**
 * The file with the wrong line in it; null if the right one does not stand there exactly once.
 * @param {import("./mutants.mjs").Mutant} mutant
 * @param {string} text
 */
function mutated({ find, replace }, text) {
  const [before, after, ...more] = text.split(find);
  return before === undefined || after === undefined || more.length > 0 ? null : `${before}${replace}${after}`;
}
