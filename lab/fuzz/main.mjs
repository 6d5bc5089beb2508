import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { commandFile, runNode } from "../../scripts/tool.mjs";
import { optionsOf, refuse } from "../options.mjs";
import { fuzzEngine } from "./engine.mjs";

const USAGE = `pnpm fuzz: plays generated sessions on the engine, then conversations at once on the drop-ins, and prints cases, compactions and seeds.
A violation prints the session and its path, or the conversations' seed, and the exit code is not zero.

  --only engine|conversations  one of both
  --seconds N                  until the time is up (60)
  --cases N                    or so many sessions of the engine are played (1000000)
  --jobs N                     processes of the engine (1)
  --seed N                     a run again; a new one unless given
  --path P                     with --seed: shows an engine's failure again, made smaller
  --with FILE                  a module whose default export adds kinds, and peers whose policies name them`;

const { values } = optionsOf(USAGE, {
  options: {
    seconds: { type: "string", default: "60" },
    cases: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    path: { type: "string" },
    jobs: { type: "string", default: "1" },
    only: { type: "string" },
    with: { type: "string" },
  },
});

for (const name of /** @type {const} */ (["seconds", "cases", "seed", "jobs"]))
  if (!/^\d+$/.test(values[name])) refuse(`--${name} is a whole number, not ${values[name]}`);
const { only = values.path === undefined && values.with === undefined ? "both" : "engine" } = values;
if (!["engine", "conversations", "both"].includes(only)) refuse(`--only is engine or conversations, not ${only}`);

/** Share of the time for conversations at once; chosen: a round takes half a minute on a busy machine. */
const CONVERSATIONS_RATIO = 0.25;
/** Steps of each conversation in a round; chosen: enough for compactions in each. */
const CONVERSATION_STEPS = "50";

const seconds = Number(values.seconds);
const seed = Number(values.seed);
const engineSeconds = only === "both" ? Math.ceil(seconds * (1 - CONVERSATIONS_RATIO)) : seconds;

/**
 * Runs the properties of a test file whose names match, and passes their output through.
 * @param {string} file
 * @param {string} names
 * @returns {Promise<number>} the exit code
 */
async function play(file, names) {
  const args = ["run", file, "--testNamePattern", names, "--disable-console-intercept", "--reporter", "dot"];
  return (await runNode([commandFile("vitest", "vitest"), ...args], { output: "show" })).code;
}

/** @returns {Promise<number>} */
async function playEngine() {
  const sessions = values.path === undefined ? Number(values.cases) : 1;
  console.log(`engine, seed ${seed}: at most ${engineSeconds} s and ${sessions} sessions`);
  const added = values.with === undefined ? null : pathToFileURL(resolve(values.with)).href;
  return await fuzzEngine({
    seed,
    sessions,
    seconds: engineSeconds,
    jobs: Number(values.jobs),
    path: values.path ?? null,
    added,
  });
}

/**
 * Rounds of conversations at once, each with the next seed, until the time is up; one at least.
 * @param {number} untilMs
 * @returns {Promise<number>}
 */
async function playConversations(untilMs) {
  process.env.PLIMSOLL_APART_STEPS = CONVERSATION_STEPS;
  let rounds = 0;
  do {
    const roundSeed = seed + rounds;
    process.env.PLIMSOLL_APART_SEED = String(roundSeed);
    console.log(`conversations at once, seed ${roundSeed}: ${CONVERSATION_STEPS} steps on each drop-in`);
    const code = await play("packages/providers/src/drop-in/conversations.property.test.ts", "conversations at once");
    if (code !== 0) {
      console.log(
        `conversations at once failed with seed ${roundSeed}: pnpm fuzz --only conversations --seed ${roundSeed} --seconds 0`,
      );
      return code;
    }
    rounds += 1;
  } while (Date.now() < untilMs);
  console.log(`conversations at once: ${rounds} rounds from seed ${seed}, none failed`);
  return 0;
}

const startMs = Date.now();
const engineCode = only === "conversations" ? 0 : await playEngine();
const conversationsCode = only === "engine" ? 0 : await playConversations(startMs + seconds * 1000);
process.exitCode = engineCode || conversationsCode;
