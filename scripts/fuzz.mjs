import { parseArgs } from "node:util";
import { commandFile, runNode } from "./tool.mjs";

/**
 * Plays generated sessions on the engine until the time is up or the cases are played, and prints cases, compactions and seed. A
 * violation prints the session and its path, and the exit code is not zero. `--seed` and `--path` together show a failure again.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    cases: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    path: { type: "string" },
  },
});

for (const name of /** @type {const} */ (["seconds", "cases", "seed"]))
  if (!/^\d+$/.test(values[name])) throw new Error(`--${name} is a whole number, not ${values[name]}`);

process.env.PLIMSOLL_FUZZ_SECONDS = values.seconds;
process.env.PLIMSOLL_FUZZ_CASES = values.cases;
process.env.PLIMSOLL_FUZZ_SEED = values.seed;
if (values.path !== undefined) process.env.PLIMSOLL_FUZZ_PATH = values.path;

console.log(`seed ${values.seed}: at most ${values.seconds} s and ${values.cases} sessions`);
const { code } = await runNode(
  [
    commandFile("vitest", "vitest"),
    "run",
    "packages/core/src/engine/engine.property.test.ts",
    "--testNamePattern",
    "the engine's rules hold",
    "--disable-console-intercept",
    "--reporter",
    "dot",
  ],
  { output: "show" },
);
process.exitCode = code;
