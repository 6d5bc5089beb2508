import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runIn } from "../../testing/recorded-io.ts";

/** Replays of short sessions, on a machine that does other things. */
const REPLAY_MS = 240_000;

let folder = "";
const ARGS = ["bench", "sessions", "absent.jsonl", "-p", "none", "-p", "sven", "-w", "16k", "--jobs", "1"];

const run = (...args: readonly string[]) => runIn(folder, args);

const textOf = (file: string) => readFileSync(join(folder, file), "utf8");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-merge-"));
  mkdirSync(join(folder, "sessions"));
  const [shortest = ""] = fixtureSessions()
    .map(({ path }) => path)
    .toSorted((a, b) => readFileSync(a).length - readFileSync(b).length);
  for (const name of ["a", "b"]) copyFileSync(shortest, join(folder, `sessions/${name}.jsonl`));
  writeFileSync(join(folder, "sessions/notes.md"), "# not a session\n");
  await run(...ARGS, "--out", "whole", "--json", "whole.json", "--html", "whole.html");
  // More parts than files: the last has none, and is whole all the same.
  for (const part of ["3", "1", "2"]) {
    const json = ["--json", `part-${part}.json`];
    const { exitCode, stderr } = await run(...ARGS, "--shard", `${part}/3`, "--out", "results", ...json);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  }
}, REPLAY_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("three parts", { timeout: REPLAY_MS }, () => {
  test.each([
    ["as Parquet", ["results"]],
    ["as JSON, in any order", ["part-3.json", "part-1.json", "part-2.json"]],
  ])("%s give the report of one run, to the byte", async (_, parts) => {
    const { exitCode, stderr } = await run("bench", "merge", ...parts, "--json", "merged.json", "--html", "merged.html");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(textOf("merged.json")).toBe(textOf("whole.json"));
    expect(textOf("merged.html")).toBe(textOf("whole.html"));
  });

  test.each([
    ["a part is missing", ["part-1.json", "part-2.json"], "missing: part 3/3"],
    ["a part comes twice", ["part-1.json", "part-1.json"], "two of the reports are the same part"],
    ["a report is of another run", ["part-1.json", "whole.json"], "whole.json is not of the same run as part-1.json"],
    ["a file is no report", ["sessions/a.jsonl"], "sessions/a.jsonl: no report of this version"],
    ["a file is not there", ["absent.json"], "absent.json: cannot be read"],
  ])("are not merged if %s", async (_, parts, line) => {
    const { exitCode, stderr } = await run("bench", "merge", ...parts);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(line);
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
