import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeAll, describe, expect, test } from "vitest";
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
  mkdirSync(join(folder, "parts"));
  await run(...ARGS, "--state", "whole.jsonl", "--json", "whole.json", "--html", "whole.html", "--out", "whole");
  // More parts than files: the last has none, and is whole all the same.
  for (const part of ["3", "1", "2"]) {
    const { exitCode, stderr } = await run(...ARGS, "--shard", `${part}/3`, "--state", `parts/${part}.jsonl`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  }
  const parts = ["2", "3", "1"].map((part) => textOf(`parts/${part}.jsonl`));
  writeFileSync(join(folder, "one.jsonl"), parts.join(""));
}, REPLAY_MS);

describe("three parts", { timeout: REPLAY_MS }, () => {
  test.each([
    ["as the files of a folder", ["parts"]],
    ["in any order", ["parts/3.jsonl", "parts/1.jsonl", "parts/2.jsonl"]],
    ["put behind each other", ["one.jsonl"]],
    ["twice", ["one.jsonl", "parts"]],
    ["as one that is whole", ["whole.jsonl"]],
  ])("%s give the report of one run, to the byte", async (_, parts) => {
    const { exitCode, stderr } = await run("bench", "merge", ...parts, "--json", "merged.json", "--html", "merged.html");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(textOf("merged.json")).toBe(textOf("whole.json"));
    expect(textOf("merged.html")).toBe(textOf("whole.html"));
  });

  test("give the Parquet of one run", async () => {
    await run("bench", "merge", "parts", "--out", "merged");
    for (const table of ["sessions", "rows", "calls"]) {
      const [merged, whole] = ["merged", "whole"].map((place) =>
        readFileSync(join(folder, place, table, "part-00001-of-00001.parquet")),
      );
      expect(merged?.equals(whole ?? Buffer.of())).toBe(true);
    }
  });

  test.each([
    ["a part is missing", ["parts/1.jsonl", "parts/2.jsonl"], "missing: part 3/3"],
    ["a file is no file of rows", ["sessions/a.jsonl"], "sessions/a.jsonl: not a finished run"],
    ["a folder has none", ["sessions/notes.md"], "sessions/notes.md: not a finished run"],
    ["a file is not there", ["absent.jsonl"], "absent.jsonl: cannot be read"],
  ])("are not merged if %s", async (_, parts, line) => {
    const { exitCode, stderr } = await run("bench", "merge", ...parts);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(line);
  });

  test("are not merged with a part of another run", async () => {
    await run("bench", "sessions", "-p", "none", "-w", "16k", "--shard", "3/3", "--state", "other.jsonl");
    const { exitCode, stderr } = await run("bench", "merge", "parts/1.jsonl", "parts/2.jsonl", "other.jsonl");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("other.jsonl is not of the same run as parts/1.jsonl");
  });

  test("need a file of rows", async () => {
    const { exitCode, stderr } = await run(...ARGS, "--shard", "1/2");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--shard does nothing by itself: it is for --state");
  });
});
