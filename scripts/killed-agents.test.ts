import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { beforeAll, expect, test } from "vitest";
import { endlessAgent } from "../packages/agent/testing/endless-agent.ts";
import { checkMessages, entryIdOf } from "../packages/core/src/extend.ts";
import { encodeLog, type SessionEntry } from "../packages/core/src/index.ts";
import { sessionStart } from "../packages/core/src/testing/index.ts";
import { createFileSessionStore } from "../packages/stores/src/index.ts";
import { randomFrom, runUntilKilled } from "../packages/stores/testing/node/killed-process.ts";

/** Other seeds kill at other points: PLIMSOLL_KILL_SEED=7. Which line a process is at when the kill comes is up to the system. */
const SEED = Number(process.env.PLIMSOLL_KILL_SEED ?? 1);
const KILLS_PER_LOG = 6;
/** Each lane kills the writers of its logs one after the other; the lanes run side by side. */
const LANES = [
  { lane: "a", sync: "on-close", logs: 17 },
  { lane: "b", sync: "every-append", logs: 17 },
  { lane: "c", sync: "on-close", logs: 16 },
] as const;
const KILL_COUNT = LANES.reduce((sum, { logs }) => sum + logs * KILLS_PER_LOG, 0);
/** A kill comes after 1 to this many lines of the process; an entry has two. */
const MOST_LINES = 24;

const folder = mkdtempSync(join(tmpdir(), "plimsoll-kill-"));
const program = join(folder, "agent-until-killed.mjs");
const store = createFileSessionStore({ folder, sync: "on-close" });

beforeAll(async () => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "../packages/agent/testing/agent-until-killed.ts"),
    platform: "node",
    resolve: { conditionNames: ["source", "import", "node"] },
  });
  await bundle.write({ file: program, format: "esm", minify: true });
}, 60_000);

const namesOf = (entries: readonly SessionEntry[]) => entries.map((entry) => `${entry.type}:${entryIdOf(entry)}`);

/** Kills a log's writer many times; after each kill the log holds all finished entries, and an agent goes on with it. */
async function killWriters(sessionId: string, sync: string, random: () => number) {
  let cutOffs = 0;
  let known = [`session:${sessionId}`];
  writeFileSync(join(folder, `${sessionId}.jsonl`), encodeLog([{ ...sessionStart(), id: sessionId }]));
  for (let kill = 1; kill <= KILLS_PER_LOG; kill++) {
    const where = `seed ${SEED}, log ${sessionId}, kill ${kill}`;
    const { begun, written } = await runUntilKilled([program, folder, sessionId, sync], 1 + Math.floor(random() * MOST_LINES));
    const stored = (await store.read(sessionId)) ?? expect.fail(where);
    const found = namesOf(stored.entries);
    // All that was said to be written is there. More may be: it was begun, and the kill came before the word.
    expect(found.slice(0, known.length + written.length), where).toEqual([...known, ...written]);
    expect(found.slice(known.length), where).toEqual(begun.slice(0, found.length - known.length));
    const agent = await endlessAgent({ folder, sessionId, sessions: store }, 1);
    expect((await agent.submit("Is all there?")).reason, where).toBe("done");
    expect(checkMessages(agent.context().messages.slice(0, -1)), where).toEqual([]);
    await agent.close();
    cutOffs += stored.cutOff === null ? 0 : 1;
    known = namesOf(await agent.entries());
  }
  return { cutOffs, compactions: known.filter((name) => name.startsWith("compaction:")).length, entries: known.length };
}

// It tests the process, not the disk: data that the system took over before the kill is never lost by it.
test(`${KILL_COUNT} processes that append are killed (seed ${SEED}): every entry is there, and the sessions go on`, async () => {
  const lanes = LANES.map(async ({ lane, sync, logs }, index) => {
    const random = randomFrom(SEED * LANES.length + index);
    const ends = [];
    for (let log = 0; log < logs; log++) ends.push(await killWriters(`${lane}${log}`, sync, random));
    return ends;
  });
  const ends = (await Promise.all(lanes)).flat();
  const compactions = ends.reduce((sum, each) => sum + each.compactions, 0);
  const cutOffs = ends.reduce((sum, each) => sum + each.cutOffs, 0);
  console.log(`kills: ${KILL_COUNT}, seed ${SEED}; compactions meanwhile: ${compactions}; lines cut off by a kill: ${cutOffs}`);
  expect(compactions).toBeGreaterThan(KILL_COUNT / KILLS_PER_LOG);
  expect(ends.every(({ entries }) => entries > KILLS_PER_LOG * 5)).toBe(true);
}, 1_800_000);
