import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { commandFile, root } from "../tool.mjs";
import { mutants } from "./mutants.mjs";

/**
 * Puts each wrong line into a copy of core, runs the tests that must notice it, and takes it out again. The exit code is not zero
 * where a mutant survives, where its line is no longer there, or where a test fails without any. Arguments choose mutants by words
 * of their file or of what they break.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const chosen = mutants.filter(({ file, breaks }) => positionals.every((word) => `${file} ${breaks}`.includes(word)));

/** A mutant that never ends is noticed as well. */
const TIMEOUT_MS = 120_000;

const copy = mkdtempSync(join(tmpdir(), "plimsoll-mutants-"));
const core = join(copy, "packages/core");
mkdirSync(core, { recursive: true });
for (const name of ["src", "package.json", "tsconfig.json"])
  cpSync(join(root, "packages/core", name), join(core, name), { recursive: true });
for (const name of ["tsconfig.base.json", "vitest.config.ts", "package.json"]) cpSync(join(root, name), join(copy, name));
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");
symlinkSync(join(root, "packages/core/node_modules"), join(core, "node_modules"), "junction");

/**
 * Runs tests of the copy; true where all of them pass.
 * @param {readonly string[]} tests
 * @returns {Promise<{ readonly passed: boolean, readonly output: string }>}
 */
function runTests(tests) {
  const files = tests.map((test) => `packages/core/src/${test}`);
  const args = [commandFile("vitest", "vitest"), "run", "--root", copy, "--bail", "1", "--reporter", "dot", ...files];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: copy,
      env: { ...process.env, NO_COLOR: "1" },
      timeout: TIMEOUT_MS,
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
 * The file with the wrong line in it; null where the right one does not stand there exactly once.
 * @param {import("./mutants.mjs").Mutant} mutant
 * @param {string} text
 */
function mutated({ find, replace }, text) {
  const [before, after, ...more] = text.split(find);
  return before === undefined || after === undefined || more.length > 0 ? null : `${before}${replace}${after}`;
}

let failedCount = 0;
const startMs = performance.now();
try {
  const whole = await runTests([...new Set(chosen.flatMap(({ tests }) => tests))]);
  if (!whole.passed) {
    process.stdout.write(whole.output);
    throw new Error("the tests fail without any mutant");
  }
  for (const mutant of chosen) {
    const file = join(core, "src", mutant.file);
    const text = readFileSync(file, "utf8");
    const wrong = mutated(mutant, text);
    if (wrong !== null) writeFileSync(file, wrong);
    const { passed } = wrong === null ? { passed: true } : await runTests(mutant.tests);
    writeFileSync(file, text);
    const came = wrong === null ? "NOT FOUND" : passed ? "SURVIVED" : "caught";
    if (came !== "caught") failedCount += 1;
    console.log(`${came.padEnd(9)} ${mutant.file}: ${mutant.breaks}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
console.log(`${chosen.length - failedCount} of ${chosen.length} mutants caught in ${seconds} s`);
process.exitCode = failedCount === 0 ? 0 : 1;
