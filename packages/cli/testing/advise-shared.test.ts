import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ADVICE_WALKS } from "./advice-walks.ts";
import { sourceArgs } from "./child-command.ts";
import { hasSharedLogs, placeSharedLogs } from "./shared-logs.ts";

/** The addon of the pseudo-terminals is not built for every system: these tests are skipped if it is missing. */
const terminals = await import("./terminal-session.ts").catch(() => null);

/** Replays take seconds, longer if other tests run at the same time. */
const WALK_MS = 240_000;
const ENDED_WELL = { exitCode: 0, signal: 0 };

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plimsoll-advise-shared-"));
});

const advise = (...args: readonly string[]) =>
  (terminals ?? expect.fail("no terminals")).openTerminal({
    args: sourceArgs(["advise", "--since", "2020-01-01", "--jobs", "1", ...args]),
    cwd: home,
  });

/** Puts the person's settings file into its place. Returns its path. */
function settle(file: string, text: string): string {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe.skipIf(terminals === null || !hasSharedLogs)("in a terminal, with recorded logs", { timeout: WALK_MS }, () => {
  test.each(ADVICE_WALKS)("of $title one session is too few: it is told what it cost, and nothing is written", async (walk) => {
    const { agent, title, file, before } = walk;
    const path = settle(file, before);
    placeSharedLogs(agent, home, 1);
    const asked = advise("--write");
    expect(await asked.end).toEqual(ENDED_WELL);
    const said = asked.said();
    expect(said).toMatch(new RegExp(`${title}, window \\S+: (?:at least )?\\$`));
    expect(said).toMatch(/1 session, [\d-]+ to [\d-]+: (?:at least )?\$[\d.,]+ by list prices/);
    expect(said).toContain("Nothing to write: only answers that begin with Set or Remove are written.");
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(readdirSync(dirname(path)).filter((name) => name.includes("plimsoll"))).toEqual([]);
  });

  test("of OpenCode a setting that compacts all the time is changed, in its own file, and back", async () => {
    const before = '{\n  // mine\n  "compaction": { "reserved": 100000 }\n}\n';
    const path = settle(".config/opencode/opencode.jsonc", before);
    placeSharedLogs("opencode", home, 8);
    const asked = advise("--write");
    await asked.waitFor("Write ~/.config/opencode/opencode.jsonc? [y/N] ");
    asked.type("y");
    expect(await asked.end).toEqual(ENDED_WELL);
    expect(asked.said()).toMatch(/Set reserved=32000 in \S+: saves [\d.]+%/);
    expect(readFileSync(path, "utf8")).toBe(before.replace("100000", "32000"));
    expect(await advise("--undo", "--yes").end).toEqual(ENDED_WELL);
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});
