import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";
import { openDatabase } from "./duckdb.ts";

/** Replays of short sessions, on a machine that does other things. */
const REPLAY_MS = 240_000;
/** DuckDB has native code: where it does not load, what needs it is skipped and counted. */
const isDuckDbThere = await openDatabase().then(
  (database) => {
    database.close();
    return true;
  },
  () => false,
);

let folder = "";
const ARGS = ["bench", "sessions", "-p", "none", "-p", "sven", "-w", "16k", "--jobs", "1"];

async function run(...args: readonly string[]) {
  const { io, stdout, stderr } = recordedIo(folder);
  return { exitCode: await main([...args], io), stdout: stdout(), stderr: stderr() };
}

const textOf = (file: string) => readFileSync(join(folder, file), "utf8");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-query-"));
  mkdirSync(join(folder, "sessions"));
  const [shortest = ""] = fixtureSessions()
    .map(({ path }) => path)
    .toSorted((a, b) => readFileSync(a).length - readFileSync(b).length);
  for (const name of ["a", "b"]) copyFileSync(shortest, join(folder, `sessions/${name}.jsonl`));
  await run(...ARGS, "--out", "whole", "--json", "whole.json", "--html", "whole.html");
  // More parts than files: the last has none, and is whole all the same.
  for (const part of ["3", "1", "2"]) {
    const { exitCode, stderr } = await run(...ARGS, "--shard", `${part}/3`, "--out", "results");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  }
}, REPLAY_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("three parts as Parquet", { timeout: REPLAY_MS }, () => {
  test("give the report of one run, to the byte", async () => {
    const { exitCode, stderr } = await run("bench", "merge", "results", "--json", "merged.json", "--html", "merged.html");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(textOf("merged.json")).toBe(textOf("whole.json"));
    expect(textOf("merged.html")).toBe(textOf("whole.html"));
  });

  test("are refused as parts of another number before anything is replayed", async () => {
    const { exitCode, stderr } = await run(...ARGS, "--shard", "1/2", "--out", "results");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("holds a run in 3 parts, and this is one in 2; give another folder");
  });

  test("are refused to another run before anything is replayed, and stay as they were", async () => {
    const before = textOf("results/parts/part-00001-of-00003.json");
    const { exitCode, stdout, stderr } = await run("bench", "sessions", "-p", "pi", "--shard", "1/3", "--out", "results");
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/results: holds part 1\/3 of a run with other policies and windows; give another folder, or remove/);
    expect(textOf("results/parts/part-00001-of-00003.json")).toBe(before);
  });
});

describe.skipIf(!isDuckDbThere)("plimsoll query", { timeout: REPLAY_MS }, () => {
  const ask = async (sql: string, where: string): Promise<unknown> => {
    const { exitCode, stdout, stderr } = await run("query", sql, "--in", where, "--json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  const WITHOUT_PLACE = "exclude (part, place)";

  test.each(["sessions", "rows", "calls", "calibration"])("has the same %s of three parts as of one run", async (table) => {
    const sql = `select * ${WITHOUT_PLACE} from ${table} order by all`;
    const whole = await ask(sql, "whole");
    expect(whole).not.toEqual([]);
    expect(await ask(sql, "results")).toEqual(whole);
  });

  test("has the figures of the report, and the calls of each row", async () => {
    const report: {
      readonly rows: readonly { session: string; policy: string; metrics: { cost: { withCacheUsd: number } } }[];
    } = JSON.parse(textOf("whole.json"));
    const sql = `select session, policy, cost_withCacheUsd as usd, safety_calls as calls,
      (select count(*) from calls c where c.part = r.part and c.place = r.place) as lines from rows r`;
    const rows = await ask(sql, "results");
    expect(rows).toHaveLength(report.rows.length);
    for (const row of report.rows) {
      const calls = expect.any(Number);
      const usd = row.metrics.cost.withCacheUsd;
      expect(rows).toContainEqual({ session: row.session, policy: row.policy, usd, calls, lines: calls });
    }
    expect(await ask("select count(*) as n from rows where safety_calls = 0", "results")).toEqual([{ n: 0 }]);
  });

  test.each(["select session, file, format from sessions", "select * from sessions limit 1", "select * from rows"])(
    "shows every column of `%s` in 80 columns",
    async (sql) => {
      const { stdout } = await run("query", sql, "--in", "whole");
      const [first = {}] = [await ask(sql, "whole")].flat();
      for (const name of Object.keys(Object(first))) expect(stdout).toContain(name);
      expect(stdout.split("\n").filter((line) => [...line].length > 80)).toEqual([]);
    },
  );

  test("says that an answer is cut, and how it is printed whole", async () => {
    const { stdout, stderr } = await run("query", "select repeat('ab', 99) as long", "--in", "whole");
    expect(stdout).toContain("…");
    expect(stderr).toBe("plimsoll: … stands for what was left out; --json prints it whole\n");
  });

  test("prints a table, and says which parts are missing", async () => {
    rmSync(join(folder, "results/parts/part-00002-of-00003.json"));
    const { exitCode, stdout, stderr } = await run("query", "select distinct policy from rows order by policy");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^policy\n─+\nnone\nsven\n$/) });
    expect(stderr).toBe("plimsoll: 2 of 3 parts are there: figures are of these alone\n");
  });

  test.each([
    ["a table that is not there", ["query", "select * from nothing", "--in", "whole"], "nothing"],
    ["a statement that is empty", ["query", "", "--in", "whole"], "the statement is empty; give one, such as"],
    ["a comment alone", ["query", "/* rows */", "--in", "whole"], "the statement is empty; give one, such as"],
    ["a folder without results", ["query", "select 1", "--in", "sessions"], "sessions: no results; give a folder that"],
  ])("says in one line what is wrong with %s", async (_, args, line) => {
    const { exitCode, stderr } = await run(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(line);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

test("where DuckDB is not installed, one line says what to install", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  await expect(openDatabase(() => Promise.reject(missing))).rejects.toThrow(
    "plimsoll query needs DuckDB, which does not load: npm install @duckdb/node-api where plimsoll is installed",
  );
});
