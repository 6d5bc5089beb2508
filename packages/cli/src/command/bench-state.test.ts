import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordedIo, runIn } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-state-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: readonly string[]) => runIn(folder, ["bench", "state", ...args]);

test("bench state prints its table, a row for each policy and maker, and exits with 0", async () => {
  const { exitCode, stdout, stderr } = await run("-p", "none", "-p", "codex", "-w", "16k", "--limit", "1");
  const rows = stdout.trim().split("\n");
  expect(rows[0]).toContain("in force, word for word %");
  expect(
    rows
      .slice(2)
      .map((row) => row.split("|")[1]?.trim())
      .toSorted(),
  ).toEqual(["codex", "codex", "none", "none"]);
  expect(stderr).toMatch(/none: session 1 of 4 played\n.*none: session 2 of 4 played\n.*codex: session 3 of 4 played/);
  expect(rows[0]).toContain("ms of replay a cut: with the record, without");
  expect(exitCode).toBe(0);
});

test("bench state prints a list that fits a narrow terminal", async () => {
  const { io, stdout } = recordedIo(folder);
  const terminal = { ...io, stdout: { ...io.stdout, isTTY: true } };
  expect(await main(["bench", "state", "-p", "none", "-w", "16k", "--limit", "1"], terminal)).toBe(0);
  expect(stdout()).toMatch(/^policy: none\n {2}generator: \w+\n {2}cuts: /);
  expect(
    stdout()
      .split("\n")
      .filter((line) => line.length > 80),
  ).toEqual([]);
});

test("bench state plays a recorded session in place of made ones", async () => {
  const [session] = fixtureSessions();
  const { exitCode, stdout } = await run(session?.path ?? "", "-p", "none", "-w", "16k");
  expect(stdout.trim().split("\n").slice(2)).toEqual([expect.stringMatching(/^\| none \| recorded \|/)]);
  expect(exitCode).toBe(0);
});

test.each([
  ["a file that is not there", ["nowhere.jsonl"], "nowhere.jsonl"],
  ["a window that made sessions do not have", ["-w", "real"], "made sessions have no window of their own"],
  ["a number that is none", ["--limit", "all"], "give a whole number from 1"],
  ["a policy that nobody has", ["-p", "nobody"], "nobody"],
  ["a window that is none", ["-w", "wide"], "wide"],
])("bench state refuses %s with one line, and prints no table", async (_, args, reason) => {
  const { exitCode, stdout, stderr } = await run(...args);
  expect(stdout).toBe("");
  expect(stderr.trim().split("\n")).toEqual([expect.stringContaining(reason)]);
  expect(exitCode).not.toBe(0);
});
