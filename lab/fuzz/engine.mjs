import { fork } from "node:child_process";
import { join } from "node:path";
import { root } from "../../scripts/tool.mjs";

/** Generated sessions that a process is sent at once; each such chunk has a seed of its own. Chosen: some seconds. */
const CHUNK_SESSIONS = 100;

/** Chosen: a reader sees that it goes on. */
const PROGRESS_MS = 5000;

/** @typedef {import("../../packages/core/testing/play-chunk.ts").Chunk} Chunk */
/** @typedef {import("../../packages/core/testing/play-chunk.ts").PlayedChunk} PlayedChunk */
/**
 * @typedef {object} Fuzz
 * @property {number} seed of the first chunk; each other has the next one, whichever process plays it
 * @property {number} sessions at most
 * @property {number} seconds at most
 * @property {number} jobs processes
 * @property {string | null} path of one failure to show again, made smaller
 * @property {string | null} added address of a module that adds kinds
 */

/**
 * Plays generated sessions on the engine in processes of their own, and prints how far it is. Ends at the first session that breaks a rule.
 * @param {Fuzz} fuzz
 * @returns {Promise<number>} the exit code
 */
export async function fuzzEngine(fuzz) {
  const startMs = Date.now();
  const untilMs = startMs + fuzz.seconds * 1000;
  const total = { handedOut: 0, chunks: 0, sessions: 0, compactions: 0 };
  /** @type {PlayedChunk | null} */
  let failed = null;

  /** @returns {Chunk | null} */
  const next = () => {
    const sessions = Math.min(CHUNK_SESSIONS, fuzz.sessions - total.handedOut);
    const atMostMs = untilMs - Date.now();
    if (failed !== null || sessions <= 0 || atMostMs <= 0) return null;
    total.handedOut += sessions;
    total.chunks += 1;
    return { seed: fuzz.seed + total.chunks - 1, sessions, path: fuzz.path, atMostMs };
  };
  /** @param {PlayedChunk} played */
  const add = (played) => {
    total.sessions += played.sessions;
    total.compactions += played.compactions;
    if (played.failure !== null) failed ??= played;
  };
  const told = () => {
    const seconds = (Date.now() - startMs) / 1000;
    return `${total.sessions} sessions, ${total.compactions} compactions, ${(total.sessions / seconds).toFixed(1)} a second`;
  };
  const progress = setInterval(() => {
    const bySessionsS = ((fuzz.sessions - total.sessions) * (Date.now() - startMs)) / 1000 / Math.max(1, total.sessions);
    const leftS = Math.round(Math.min(bySessionsS, (untilMs - Date.now()) / 1000));
    console.log(`engine: ${told()}, at most ${Math.max(0, leftS)} s left`);
  }, PROGRESS_MS);
  try {
    await Promise.all(Array.from({ length: fuzz.jobs }, () => play(fuzz.added, next, add)));
  } finally {
    clearInterval(progress);
  }
  const last = fuzz.seed + total.chunks - 1;
  console.log(`engine: ${told()}, ${fuzz.jobs} processes, seeds ${fuzz.seed} to ${last} of ${CHUNK_SESSIONS} sessions each`);
  return failed === null ? 0 : shown(failed);
}

/**
 * @param {PlayedChunk} played
 * @returns {number}
 */
function shown({ seed, failure }) {
  console.log(`seed ${seed}, path ${failure?.path}: ${failure?.error}\n${failure?.scenario}`);
  console.log(`again, made smaller: pnpm fuzz --only engine --seed ${seed} --path ${failure?.path}`);
  return 1;
}

/**
 * One process, which gets chunks until there are none.
 * @param {string | null} added
 * @param {() => Chunk | null} next
 * @param {(played: PlayedChunk) => void} add
 * @returns {Promise<void>}
 */
function play(added, next, add) {
  const loader = ["--conditions=source", "--import", join(root, "scripts/typescript-loader.mjs"), "--max-semi-space-size=32"];
  const player = join(root, "packages/core/testing/node/chunk-player.ts");
  return new Promise((resolve, reject) => {
    const child = fork(player, added === null ? [] : [added], { cwd: root, execArgv: loader });
    const goOn = () => {
      const chunk = next();
      if (chunk === null) child.disconnect();
      else child.send(chunk);
    };
    child.on("message", (/** @type {PlayedChunk} */ played) => {
      add(played);
      goOn();
    });
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`a process that plays sessions ended with ${code}`)),
    );
    goOn();
  });
}
