import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runIn } from "../../testing/recorded-io.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-validate-"));
  mkdirSync(join(folder, "logs/deep"), { recursive: true });
  mkdirSync(join(folder, "pages"));
  copyFileSync(fixtureSessions()[0]?.path ?? "", join(folder, "logs/deep/own__repo__session.jsonl"));
  writeFileSync(join(folder, "logs/cut.json"), '{"info":{"id":"x"},"messages":[{"in');
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: readonly string[]) => runIn(folder, ["validate", ...args]);

describe("plimsoll validate", () => {
  test("writes the same tables to the terminal, as Markdown, as a page, and all figures as JSON", async () => {
    const { exitCode, stdout } = await run("logs", "--json", "v.json", "--markdown", "v.md", "--html", "pages/v.html");
    expect(exitCode).toBe(0);
    const title = "Does a measure predict that the edit fails?";
    const page = readFileSync(join(folder, "pages/v.html"), "utf8");
    for (const text of [stdout, readFileSync(join(folder, "v.md"), "utf8"), page]) expect(text).toContain(title);
    expect(page).not.toMatch(/\s(?:src|href)="(?!#)/);
    const validation: unknown = JSON.parse(readFileSync(join(folder, "v.json"), "utf8"));
    expect(validation).toMatchObject({ formatVersion: 1, date: "2026-03-10", sessions: 1, owners: 1 });
  });

  test("holds the measures against a table of grades, and names its lines that it has no session for", async () => {
    writeFileSync(join(folder, "grades.csv"), "session,grade\nown__repo__session,0\nother,1\n");
    const { exitCode, stdout, stderr } = await run("logs", "grades.csv");
    expect({ exitCode, says: stdout.includes("1 of them say what their run came to.") }).toEqual({ exitCode: 0, says: true });
    expect(stderr).toContain("plimsoll: grades.csv:3: other is no session that was given\n");
    const none = await run("logs", "none.csv");
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain("none.csv: cannot be read; give a file with lines of session,grade");
  });

  test("is readable on a terminal of 80 columns", async () => {
    const { stdout } = await run("logs");
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("what is no session is one line each, and the other files go on", async () => {
    const below = await run("logs");
    expect({ exitCode: below.exitCode, lines: below.stderr.split("\n") }).toEqual({
      exitCode: 0,
      lines: [
        "plimsoll: logs/cut.json: no known session format; left out",
        "plimsoll: none of 1 session was compacted: only edits could be looked at",
        "",
      ],
    });
    const named = await run("logs/cut.json", "logs/none.jsonl", "logs/deep/own__repo__session.jsonl");
    expect({ exitCode: named.exitCode, lines: named.stderr.split("\n").slice(0, 2) }).toEqual({
      exitCode: 0,
      lines: ["plimsoll: logs/none.jsonl: no such file or folder", expect.stringContaining("logs/cut.json: truncated")],
    });
  });

  test.each([
    ["nothing that was given", [], "give files, folders or patterns"],
    ["a place that is not there", ["nowhere"], "nowhere: no such file or folder"],
    ["an agent whose logs are not there", ["--from", "codex"], "--from codex: no logs"],
  ])("%s is one line", async (_, args, line) => {
    const { exitCode, stderr } = await run(...args);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(line);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
