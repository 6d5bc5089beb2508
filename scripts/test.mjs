import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installed } from "./installed.mjs";
import { longTests } from "./long-tests.mjs";
import { commandFile, root, runNode } from "./tool.mjs";

installed("all");

/**
 * The checks in their order. The three still ones all run and print only when they fail; the tests run when those passed, without the long ones. `--long` runs only
 * the long ones, after a search for unused exports. Other arguments are passed on to vitest; named files always run.
 */
const checks = [
  { name: "types", args: [join(root, "scripts/types.mjs")] },
  { name: "lint", args: [commandFile("@biomejs/biome", "biome"), "check", "--error-on-warnings", "--colors=off", "."] },
  { name: "arrows", args: [join(root, "scripts/arrows/main.mjs")] },
];

/** @param {string} name @param {number} code @param {number} startMs */
function report(name, code, startMs) {
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${name.padEnd(7)} ${code === 0 ? "ok    " : "FAILED"} ${seconds.padStart(6)} s`);
}

/** @type {string[]} */
const failed = [];

const given = process.argv.slice(2);
const isLong = given.includes("--long");

const unused = [{ name: "unused", args: [commandFile("knip", "knip"), "--include", "exports,types"] }];

for (const { name, args } of isLong ? unused : checks) {
  const startMs = performance.now();
  const { code, output } = await runNode(args, { output: "hold" });
  if (code !== 0) {
    process.stdout.write(output);
    failed.push(name);
  }
  report(name, code, startMs);
}

if (failed.length === 0) {
  const startMs = performance.now();
  const passedOn = given.filter((argument) => argument !== "--long");
  const isNamed = passedOn.some((argument) => !argument.startsWith("-"));
  const left = isLong || isNamed ? [] : longTests.flatMap((file) => ["--exclude", file]);
  const args = ["run", ...(isLong ? longTests : left), ...passedOn];
  const { code } = await runNode([commandFile("vitest", "vitest"), ...args], { output: "show" });
  if (code !== 0) failed.push(isLong ? "long" : "tests");
  report(isLong ? "long" : "tests", code, startMs);
} else {
  console.log(`tests   not run: first mend ${failed.join(", ")}`);
}

const stagesFile = process.env.PLIMSOLL_STAGES_JSON;
if (stagesFile !== undefined) writeFileSync(stagesFile, JSON.stringify({ failed }));
process.exitCode = failed.length === 0 ? 0 : 1;
