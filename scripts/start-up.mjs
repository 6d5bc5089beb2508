import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { buildPackages } from "./build.mjs";
import { root } from "./tool.mjs";

/** What is started: node alone, and the bundled command with what a person asks for first. */
const PROGRAM = join(root, "packages/cli/bin/plimsoll.js");
const LINES = [
  { name: "node -e 0", args: ["-e", "0"] },
  { name: "plimsoll --version", args: [PROGRAM, "--version"] },
  { name: "plimsoll --help", args: [PROGRAM, "--help"] },
  { name: "plimsoll bench --help", args: [PROGRAM, "bench", "--help"] },
  { name: "plimsoll policy list", args: [PROGRAM, "policy", "list"] },
];

/** So many starts of each, in turn, so that what else the machine does falls on all alike (chosen). */
const ROUNDS = 15;

/** Processor time of one run, user and system, in milliseconds, as the shell tells it. @param {readonly string[]} args */
function cpuMs(args) {
  const timed = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$0" "$@" >/dev/null 2>&1', process.execPath, ...args], {
    encoding: "utf8",
  });
  const seconds = timed.stderr.trim().split(/\s+/).map(Number);
  return seconds.reduce((sum, each) => sum + each, 0) * 1_000;
}

/** @param {readonly number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

process.exitCode = await buildPackages();
if (process.exitCode === 0) {
  /** @type {Map<string, number[]>} */
  const times = new Map(LINES.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) for (const { name, args } of LINES) times.get(name)?.push(cpuMs(args));
  const [first] = [...times.values()].map(median);
  console.log(`| started | CPU, median of ${ROUNDS} | of node alone |\n|---|---|---|`);
  for (const [name, own] of times) {
    console.log(`| \`${name}\` | ${median(own).toFixed(0)} ms | ${(median(own) / (first ?? Number.NaN)).toFixed(1)} × |`);
  }
}
