import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeAll, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { runIn } from "../../testing/recorded-io.ts";

const folder = freshFolder(beforeAll);
beforeAll(() => {
  mkdirSync(folder("logs/deep"), { recursive: true });
  copyFileSync(fixtureSessions()[0]?.path ?? "", folder("logs/deep/session.jsonl"));
});

const run = (...args: readonly string[]) => runIn(folder(), ["calibrate", ...args]);

describe("plimsoll calibrate", () => {
  test("shows every method, over all calls and session by session", async () => {
    const { exitCode, stdout } = await run("logs");
    expect(exitCode).toBe(0);
    for (const method of ["chars/4", "sven", "last usage + chars/4 (pi)", "ledger"]) expect(stdout).toContain(method);
    expect(stdout).toContain("deep/session.jsonl");
  });

  test("measures a copied log once, and says so", async () => {
    mkdirSync(folder("twice"));
    for (const name of ["a.jsonl", "b.jsonl"]) copyFileSync(fixtureSessions()[0]?.path ?? "", folder("twice", name));
    const [one, both] = [await run("twice/a.jsonl"), await run("twice/a.jsonl", "twice/b.jsonl")];
    expect(both.stdout).toBe(one.stdout);
    expect(both.stderr).toMatch(
      /1 is a copy or a resumed beginning of another; \d+ replies appear in more than one file and are counted once\./,
    );
  });

  test("writes a line a call, named by the path below the folder that was given, and all errors as JSON", async () => {
    const { exitCode } = await run("logs", "--out", "out.jsonl", "--json", "errors.json");
    expect(exitCode).toBe(0);
    const [first] = readFileSync(folder("out.jsonl"), "utf8").split("\n");
    const line: unknown = JSON.parse(first ?? "");
    expect(line).toMatchObject({ file: "deep/session.jsonl", call: 0 });
    const report: unknown = JSON.parse(readFileSync(folder("errors.json"), "utf8"));
    expect(report).toMatchObject({ sessions: [{ file: "deep/session.jsonl" }] });
  });

  test("what is no session is one line each, and the other files go on", async () => {
    mkdirSync(folder("mixed"), { recursive: true });
    copyFileSync(fixtureSessions()[0]?.path ?? "", folder("mixed/good.jsonl"));
    writeFileSync(folder("mixed/cut.json"), '{"info":{"id":"x"},"messages":[{"in');
    writeFileSync(folder("mixed/noise.jsonl"), "\0\u{1f600}{{{".repeat(1000));
    writeFileSync(
      folder("mixed/silent.json"),
      JSON.stringify([
        { role: "user", content: "q" },
        { role: "assistant", content: "a" },
      ]),
    );
    const below = await run("mixed", "--out", "mixed.jsonl");
    expect({ exitCode: below.exitCode, lines: below.stderr.split("\n") }).toEqual({
      exitCode: 0,
      lines: [
        "plimsoll: 2 files are not sessions and left out: mixed/cut.json (no importer reads it), mixed/noise.jsonl (no importer reads it)",
        "plimsoll: silent.json: its agent reported no usage to compare with",
        "",
      ],
    });
    const named = await run("mixed/cut.json", "mixed/none.jsonl", "mixed/good.jsonl", "--out", "named.jsonl");
    expect({ exitCode: named.exitCode, lines: named.stderr.split("\n") }).toEqual({
      exitCode: 0,
      lines: ["plimsoll: mixed/none.jsonl: no such file or folder", expect.stringContaining("mixed/cut.json: truncated"), ""],
    });
    expect(readFileSync(folder("named.jsonl"), "utf8")).toContain('"file":"mixed/good.jsonl"');
  });

  test.each([["a place that is not there", ["nowhere"], "nowhere: no such file or folder"]])(
    "%s is one line",
    async (_, args, line) => {
      const { exitCode, stderr } = await run(...args);
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain(line);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    },
  );
});
