import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeAll, describe, expect, test } from "vitest";
import { runIn } from "../../testing/recorded-io.ts";

/** Replays take a second, longer if other tests run at the same time. */
const REPLAY_MS = 120_000;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-tune-"));
  copyFileSync(fixtureSessions()[0]?.path ?? "", join(folder, "session.jsonl"));
  mkdirSync(join(folder, "notes"));
  writeFileSync(join(folder, "notes/today.md"), "The tide is out.\n");
});

const run = (...args: readonly string[]) => runIn(folder, args);

describe("plimsoll tune", { timeout: REPLAY_MS }, () => {
  test("prints the front, what changes, and that one session says nothing for sure", async () => {
    const args = ["session.jsonl", "-p", "sven", "-w", "32k", "--jobs", "1", "--html", "tuned.html", "--json", "tuned.json"];
    const { exitCode, stdout, stderr } = await run("tune", ...args);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/no firm answer to expect: 1 session can judge .*8 are needed/);
    expect(stderr).toMatch(/about 10 replays left, 1 minute; Ctrl-C stops/);
    expect(stdout).toMatch(/^plimsoll \(for comparison\) /m);
    expect(stdout.split("\n\n")[0]?.split("\n").length).toBeLessThanOrEqual(10);
    expect(stdout).toMatch(/plimsoll, the default, costs [\d.]+%/);
    expect(stdout).toMatch(/^setting +cost % costlier +kept % +older %/m);
    expect(stdout).toMatch(/^No answer yet: judged on 1 session; 8 are needed\. /m);
    expect(readdirSync(join(folder, ".cache/plimsoll/replays"))).toEqual([]);
    expect(readFileSync(join(folder, "tuned.html"), "utf8")).toContain("Settings of sven");
    const figures = JSON.parse(readFileSync(join(folder, "tuned.json"), "utf8"));
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(figures.answer.join(" "));
    expect(figures.results.map(({ base }: { base: string }) => base)).toEqual(["sven", "plimsoll"]);
  });

  test("says of all sessions what is wrong with them, and of no part of them again", async () => {
    const [first = "", ...others] = fixtureSessions().map(({ path }) => path);
    const lines = readFileSync(first, "utf8").split("\n");
    const unsized = lines.filter((line) => !line.startsWith('{"type":"usage"'));
    expect(unsized.length).toBeLessThan(lines.length);
    writeFileSync(join(folder, "unsized.jsonl"), unsized.join("\n"));
    const { stdout } = await run("tune", "unsized.jsonl", ...others, "-p", "sven", "-w", "32k", "--jobs", "1");
    expect(stdout.match(/1 of .* are estimated\./g)).toEqual(["1 of 3 sessions has no token counts; they are estimated."]);
  });

  test("says if nothing can fire", async () => {
    const { exitCode, stdout } = await run("tune", "session.jsonl", "-w", "1m", "--jobs", "1");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("No session fills half of the window: no setting changes anything.");
  });

  test.each([
    ["the policy is unknown", ["tune", "session.jsonl", "-p", "svne"], 2, 'unknown policy "svne": did you mean sven?'],
    ["there is no session", ["tune", "absent.jsonl"], 1, "absent.jsonl: no such file or folder"],
    ["a folder has no session", ["tune", "notes"], 1, "nothing to tune on: no session was found (looked at 1 file)"],
    ["nothing can be turned", ["tune", "session.jsonl", "-p", "none", "--jobs", "1"], 2, "none has no number"],
  ])("fails if %s", async (_, args, exitCode, line) => {
    const result = await run(...args);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toContain(line);
  });
});
