import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { ADVICE_WALKS, settleAgent } from "./advice-walks.ts";
import { sourceArgs } from "./child-command.ts";

/** The addon of the pseudo-terminals is not built for every system: these tests are skipped if it is missing. */
const terminals = await import("./terminal-session.ts").catch(() => null);

/** Replays take seconds, longer if other tests run at the same time. */
const WALK_MS = 240_000;
/** Before the day of the sessions, on any day of the test. */
const SINCE = ["--since", "2026-01-01"];

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plimsoll-advise-terminal-"));
});

const advise = (...args: readonly string[]) =>
  (terminals ?? expect.fail("no terminals")).openTerminal({
    args: sourceArgs(["advise", "--jobs", "1", ...SINCE, ...args]),
    cwd: home,
  });
/** The spaces that a tab is shown as. */
const TAB = "    ";
const ENDED_WELL = { exitCode: 0, signal: 0 };

describe.skipIf(terminals === null).each(ADVICE_WALKS)(
  "in a terminal, with the logs of $title",
  { timeout: WALK_MS },
  (walk) => {
    const { file, before, after } = walk;
    const ask = async (args: readonly string[], answer: string) => {
      const asked = advise(...args);
      const shown = await asked.waitFor(`${args.includes("--undo") ? "Restore" : "Write"} ~/${file}? [y/N] `);
      asked.type(answer);
      return { shown, end: await asked.end, said: asked.said() };
    };

    test("a person is shown the change, says yes, keeps it, and takes it back", async () => {
      const path = settleAgent(walk, home);
      const { shown, end, said } = await ask(["--write"], "y");
      expect(end).toEqual(ENDED_WELL);
      expect(shown).toMatch(/Set \S+ in \S+:\s+saves\s+[\d.]+%\s+of\s+a\s+session's\s+cost/);
      const written = readFileSync(path, "utf8");
      expect(written).toMatch(after);
      const news = written.split("\n").filter((line) => !before.split("\n").includes(line));
      expect(shown.split("\r\n")).toEqual(expect.arrayContaining(news.map((line) => `+${line.replaceAll("\t", TAB)}`)));
      expect(said.replace(/\s+/g, " ")).toContain("plimsoll advise --undo reverts it.");

      const kept = await ask(["--undo"], "n");
      expect(kept).toMatchObject({ end: ENDED_WELL, said: expect.stringContaining("nothing was written") });
      expect(readFileSync(path, "utf8")).toBe(written);
      const undone = await ask(["--undo"], "y");
      expect(undone).toMatchObject({ end: ENDED_WELL, said: expect.stringContaining(`Undone: ~/${file} is restored.`) });
      expect(readFileSync(path, "utf8")).toBe(before);
      expect(readdirSync(dirname(path)).filter((name) => name.includes("plimsoll"))).toEqual([]);
    });
  },
);

describe.skipIf(terminals === null)("a consent comes after its question", { timeout: WALK_MS }, () => {
  const NOW = "now = 1\n";
  const BEFORE = "before = 2\n";
  const file = () => join(home, ".codex/config.toml");

  beforeEach(() => {
    mkdirSync(dirname(file()));
    writeFileSync(file(), NOW);
    const hash = createHash("sha256").update(NOW).digest("hex").slice(0, 16);
    writeFileSync(`${file()}.plimsoll-before-${hash}`, BEFORE);
  });

  test.each([
    ["a line that was typed before it is no answer", "y\r", "n", NOW],
    ["half a line that was typed before it is no part of one", "y", "", NOW],
    ["several lines that were typed before it are none", "y\ry\ryes\r", "", NOW],
    ["what is typed behind it is", "n\r", "y", BEFORE],
  ])("%s", async (_what, early, answer, left) => {
    const asked = advise("--undo", "--from", "codex");
    asked.press(early);
    const shown = await asked.waitFor("Restore ~/.codex/config.toml? [y/N] ");
    expect(shown).toContain("-now = 1");
    expect(readFileSync(file(), "utf8")).toBe(NOW);
    asked.type(answer);
    expect(await asked.end).toEqual(ENDED_WELL);
    expect(readFileSync(file(), "utf8")).toBe(left);
  });
});
