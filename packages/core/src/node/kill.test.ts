import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeLog } from "../session/codec.ts";
import { human, sessionStart } from "../testing/builders.ts";
import { createFileSessionStore } from "./file-session-store.ts";

/**
 * Each process writes ten logs at once, so that one kill interrupts ten writers: 300 in all. Set PLIMSOLL_KILLED_PROCESSES=300 for as many
 * processes. This tests the process, not the disk: what the system took over before the kill is never lost by it.
 */
const KILLED_PROCESSES = Number(process.env.PLIMSOLL_KILLED_PROCESSES ?? 30);
const SESSION_IDS = Array.from({ length: 10 }, (_, index) => `log-${index}`);
const LARGEST_MESSAGE_CHARS = 3000;

const core = join(import.meta.dirname, "../..");
/** Inside the package, so that the compiled files find their dependencies. */
const compiled = join(core, "node_modules/.cache/kill-test");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-kill-"));
  mkdirSync(compiled, { recursive: true });
  const tsc = join(core, "../../node_modules/typescript/bin/tsc");
  // Only what it writes counts: whether the types hold is for another check.
  spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", compiled], { cwd: core });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(`${KILLED_PROCESSES} processes with ${SESSION_IDS.length} logs each are killed: every entry is there, and the sessions go on`, async () => {
  const store = createFileSessionStore({ folder, sync: "on-close" });
  for (const id of SESSION_IDS) writeFileSync(join(folder, `${id}.jsonl`), encodeLog([{ ...sessionStart(), id }]));
  const random = randomFrom(1);
  const known = new Map<string, readonly string[]>(SESSION_IDS.map((id) => [id, []]));
  for (let kill = 0; kill < KILLED_PROCESSES; kill++) {
    const said = await runUntilKilled(Math.floor(random() * 60));
    for (const sessionId of SESSION_IDS) {
      const written = [...(known.get(sessionId) ?? []), ...(said.get(sessionId) ?? [])];
      const { writer, entries } = await store.open(sessionId);
      const ids = entries.flatMap((entry) => (entry.type === "message" ? [entry.message.id] : []));
      // What was said to be written is there. One more may be: it was written, and the kill came before the word.
      expect(ids.slice(0, written.length)).toEqual(written);
      expect(ids.length - written.length).toBeLessThanOrEqual(1);
      const mine = `after-${kill}`;
      await writer.append([{ type: "message", message: human(mine, "after the kill") }]);
      await writer.close();
      known.set(sessionId, [...ids, mine]);
    }
  }
  expect([...known.values()].every((ids) => ids.length > KILLED_PROCESSES)).toBe(true);
}, 600_000);

/** Starts the appending process and kills it after so many words; gives the messages that it said were written, by log. */
function runUntilKilled(afterWords: number): Promise<ReadonlyMap<string, readonly string[]>> {
  return new Promise((resolve, reject) => {
    const script = join(compiled, "node/testing/append-until-killed.js");
    const args = [script, folder, String(LARGEST_MESSAGE_CHARS), ...SESSION_IDS];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.split("\n").length > afterWords) child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal === "SIGKILL") resolve(saidBy(output));
      else reject(new Error(`the process ended by itself with ${code}`));
    });
  });
}

function saidBy(output: string): ReadonlyMap<string, readonly string[]> {
  const said = new Map<string, string[]>();
  for (const line of output.split("\n").slice(0, -1)) {
    const [sessionId = "", id = ""] = line.split(" ");
    said.set(sessionId, [...(said.get(sessionId) ?? []), id]);
  }
  return said;
}

/** A small generator of numbers in [0, 1): the same seed gives the same numbers (mulberry32, public domain). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
