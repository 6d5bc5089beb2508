import { copyFileSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeAll, describe, expect, test } from "vitest";
import { recordedIo } from "../testing/recorded-io.ts";
import { CHAT_HELP } from "./chat/slash-command.ts";
import { COMMANDS } from "./commands.ts";
import { main } from "./main.ts";

const COLUMNS = 80;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-widths-"));
  mkdirSync(join(folder, "sessions"));
  for (const { path } of fixtureSessions()) copyFileSync(path, join(folder, "sessions", basename(path)));
  mkdirSync(join(folder, ".plimsoll/sessions"), { recursive: true });
  copyFileSync(join(folder, "sessions/tour-and-feature.jsonl"), join(folder, ".plimsoll/sessions/tour.jsonl"));
});

function longLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => [...line].length > COLUMNS);
}

test.each([
  ["bench", "sessions", "--policy", "none", "--policy", "sven", "--policy", "plimsoll-economy", "--window", "32k", "--full"],
  ["bench", "sessions/bug-hunt.jsonl", "--policy", "pi", "--sweep", "keep.recent=2k,8k", "--window", "32k"],
  ["calibrate", "sessions"],
  ["policy", "list"],
  ["policy", "show", "plimsoll"],
  ["policy", "show", "sven actAt=70% cap=8k"],
  ["inspect", "sessions/tour-and-feature.jsonl"],
  ["compact", "sessions/bug-hunt.jsonl", "--dry-run", "--window", "32k"],
  ["policy", "show"],
  ["inspect"],
  ...COMMANDS.map(({ name }) => ["help", name]),
  ["--help"],
])("plimsoll %s %s %s: no line is longer than 80 columns", { timeout: 60_000 }, async (...argv) => {
  const { io, stdout } = recordedIo(folder);
  expect(await main(argv, io)).toBe(0);
  expect(stdout().length).toBeGreaterThan(0);
  expect(longLines(stdout())).toEqual([]);
});

test.each([
  [["--from", "codex"]],
  [["inspect", "nothing-of-this-name"]],
  [["bench", "no", "such", "folders", "-p", "none"]],
  [["bench", "sessions", "-p", "a-policy-with-a-name-of-many-letters", "-p", "and-another-one-of-them"]],
  [["tune", "sessions", "--window", "a-window-of-many-words-that-is-none"]],
])("plimsoll %j: no line of its errors is longer than 80 columns", async (argv) => {
  const lines: string[] = [];
  const stderr = Object.assign(recordedIo(folder).io.stderr, { write: (text: string) => lines.push(text) > 0 });
  expect(await main(argv, { ...recordedIo(folder).io, stderr })).toBeGreaterThan(0);
  expect(lines.join("")).toContain("plimsoll: ");
  expect(longLines(lines.join(""))).toEqual([]);
});

test.each(COMMANDS.map(({ name }) => name))("the help of %s names no page that is not packed with it", async (name) => {
  const { io, stdout } = recordedIo(folder);
  expect(await main(["help", name], io)).toBe(0);
  expect(stdout()).toContain("Usage: plimsoll ");
  expect(stdout()).not.toMatch(/\bdocs\//);
});

test("a chat's help: no line is longer than 80 columns", () => {
  expect(longLines(CHAT_HELP)).toEqual([]);
});

describe("on a terminal", () => {
  const on = async (columns: number, argv: readonly string[]) => {
    const { io, stdout } = recordedIo(folder);
    const wide = { ...io, stdout: { write: (text: string) => io.stdout.write(text), isTTY: true, columns } };
    expect(await main(argv, wide)).toBe(0);
    return stdout();
  };
  const LONG_NAME = "a-session-with-a-name-for-which-a-narrow-terminal-has-no-room.jsonl";
  beforeAll(() => copyFileSync(fixtureSessions()[0]?.path ?? "", join(folder, LONG_NAME)));
  const SWEEP = ["sessions/bug-hunt.jsonl", "-p", "pi", "--sweep", "keep.recent=2k,8k", "--window", "32k"];

  test.each([
    ["bench with long names", ["bench", ...SWEEP, "--full"], "pi keep.recent=8k*"],
    ["bench --full with long names", ["bench", LONG_NAME, "-p", "none", "-w", "32k", "--full"], LONG_NAME],
    ["calibrate", ["calibrate", "sessions"], "last usage + chars/4 (pi)  "],
  ])("of 200 columns %s has tables as wide as they need", { timeout: 60_000 }, async (_, argv, whole) => {
    const shown = await on(200, argv);
    expect(longLines(shown).length).toBeGreaterThan(0);
    expect(Math.max(...shown.split("\n").map((line) => [...line].length))).toBeLessThanOrEqual(200);
    expect(shown).toContain(whole);
  });

  test("doctor breaks its lines between words", async () => {
    const long = "a-session-with-a-name-of-fifty-and-more-characters.jsonl";
    copyFileSync(fixtureSessions()[0]?.path ?? "", join(folder, long));
    expect(longLines(await on(80, ["doctor", long]))).toEqual([]);
  });

  test("of 60 columns it is as on one of 80", { timeout: 60_000 }, async () => {
    expect(await on(60, ["policy", "list"])).toBe(await on(80, ["policy", "list"]));
  });
});
