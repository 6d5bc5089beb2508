import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeEach, describe, expect, test } from "vitest";
import { makeSessions } from "./agent-sessions.ts";
import { onLines, rowsIn, runChild, sourceArgs } from "./child-command.ts";

/** The addon of the pseudo-terminals is not built for every system: these tests are skipped if it is missing. */
const terminals = await import("./terminal-session.ts").catch(() => null);

/** Processes start from the sources, longer if other tests run at the same time. */
const RUN_MS = 240_000;
const CACHE = ".cache/plimsoll/replays";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-interrupt-"));
  mkdirSync(join(folder, "sessions"));
  for (const copy of [1, 2])
    for (const { path, name } of fixtureSessions()) copyFileSync(path, join(folder, "sessions", `${copy}-${name}.jsonl`));
  makeSessions("codex", folder, { count: 8, peakTokens: 28_000, windowTokens: 32_000 });
});

/** Names of all files below the folder. */
const filesBelow = (): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

/** Runs the command in a terminal and presses Ctrl-C once so much is finished; returns its output, and how it ended. */
async function interrupted(args: readonly string[], lines: number) {
  const { openTerminal } = terminals ?? expect.fail("no terminals");
  const running = openTerminal({ args: sourceArgs(args), cwd: folder });
  const stop = onLines({ folder: join(folder, CACHE), lines }, running.interrupt);
  const end = await running.end.finally(stop);
  return { end, said: running.said() };
}

describe.skipIf(terminals === null)("Ctrl-C", { timeout: RUN_MS }, () => {
  test.each([
    ["bench", ["bench", "sessions", "-p", "plimsoll", "-p", "pi", "-w", "32k", "--jobs", "1", "--json", "report.json"], 3],
    ["tune", ["tune", "sessions/1-bug-hunt.jsonl", "-p", "sven", "-w", "32k", "--jobs", "1"], 3],
    ["advise", ["advise", "--since", "2026-01-01", "--from", "codex", "--jobs", "1", "--html", "advice.html"], 3],
  ])("ends %s with the line that goes on, and it does", async (_, args, lines) => {
    const { end, said } = await interrupted(args, lines);
    expect(end).toEqual({ exitCode: 130, signal: 0 });
    expect(said.split("\r\n").slice(-3)).toEqual([
      expect.stringContaining("Continue with:"),
      `  plimsoll ${args.join(" ")}`,
      "",
    ]);
    const kept = filesBelow();
    expect(kept.filter((name) => name.endsWith(".tmp") || /^(report|advice)\./.test(name))).toEqual([]);
    const [rows = ""] = readdirSync(join(folder, CACHE));
    expect(rowsIn(join(folder, CACHE, rows)).length).toBeGreaterThanOrEqual(lines);

    const resumed = await runChild({ args, cwd: folder });
    expect(resumed.exitCode).toBe(0);
    expect(resumed.stderr).toMatch(/^plimsoll: [1-9]\d* (replay|file)s? (was|were) already finished$/m);
    rmSync(join(folder, CACHE), { recursive: true });
    const whole = await runChild({ args, cwd: folder });
    expect(resumed.stdout).toBe(whole.stdout);
  });
});
