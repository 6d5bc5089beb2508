import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeAll, describe, expect, test } from "vitest";
import { rowsIn, runChild } from "../../testing/child-command.ts";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { NOW_MS, recordedIo, runIn } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

/** Printed by a run that used the rows of another. Beside it are lines of progress, as many as the machine is slow. */
const TAKEN = "already finished";

/** Processes start from the sources, longer if other tests run at the same time. */
const RUN_MS = 240_000;
const SWEEP = ["bench", "session.jsonl", "-p", "sven", "-w", "32k", "--sweep", "trigger.ratio=0.5..0.9:0.05", "--jobs", "1"];
const CACHE = ".cache/plimsoll/replays";

const folder = freshFolder(beforeAll);
beforeAll(() => {
  copyFileSync(fixtureSessions()[0]?.path ?? "", folder("session.jsonl"));
});

const run = (...args: readonly string[]) => runIn(folder(), args);

describe("a run that was killed", { timeout: RUN_MS }, () => {
  test.each([
    ["in a file of its own", [], CACHE, 0],
    ["in a file that was named", ["--state", "state/rows.jsonl"], "state", 13],
  ])("goes on where it was, %s, to the bytes of a run that was not", async (_, option, kept, linesLeft) => {
    const args = [...SWEEP, ...option, "--json", "child.json"];
    const killed = await runChild({ args, cwd: folder(), killAfter: { folder: folder(kept), lines: 4 } });
    expect(killed).toMatchObject({ signal: "SIGKILL", stdout: "" });
    const resumed = await runChild({ args, cwd: folder() });
    expect(resumed.exitCode).toBe(0);
    expect(resumed.stderr).toMatch(/^plimsoll: [1-9]\d? replays were already finished$/m);
    const whole = await run(...SWEEP, "--json", "whole.json");
    expect(whole.stderr).not.toContain(TAKEN);
    expect(readFileSync(folder("child.json"), "utf8")).toBe(readFileSync(folder("whole.json"), "utf8"));
    const left = readdirSync(folder(kept)).flatMap((name) => rowsIn(folder(kept, name)));
    // The file's sessions, nine rows, those of the policy itself and the baseline, and the result.
    expect(left).toHaveLength(linesLeft);
  });
});

test("a tuner that was killed goes on where it was, to the same words", { timeout: RUN_MS }, async () => {
  const args = ["tune", "session.jsonl", "-p", "sven", "-w", "32k", "--jobs", "1"];
  const killed = await runChild({ args, cwd: folder(), killAfter: { folder: folder(CACHE), lines: 5 } });
  expect(killed).toMatchObject({ signal: "SIGKILL", stdout: "" });
  const resumed = await runChild({ args, cwd: folder() });
  expect(resumed.stderr).toMatch(/^plimsoll: [1-9]\d? replays were already finished$/m);
  expect(resumed.stdout).toBe((await run(...args)).stdout);
});

test("replays are kept in XDG_CACHE_HOME if it is an absolute path", { timeout: RUN_MS }, async () => {
  const args = ["bench", "session.jsonl", "-p", "none", "-w", "32k", "--json", "kept.json"];
  const { io } = recordedIo(folder());
  await main(args, { ...io, environment: { XDG_CACHE_HOME: folder("elsewhere") } });
  expect(existsSync(folder("elsewhere/plimsoll/replays"))).toBe(true);
  await main(args, { ...io, environment: { XDG_CACHE_HOME: "relative" } });
  expect(existsSync(folder("relative"))).toBe(false);
});

test("a run whose file lost its end goes on, and appends behind the last whole line", { timeout: RUN_MS }, async () => {
  const args = ["bench", "session.jsonl", "-p", "none", "-p", "sven", "-w", "32k", "--state", "cut.jsonl", "--json"];
  await run(...args, "first.json");
  const lines = readFileSync(folder("cut.jsonl"), "utf8").split("\n");
  writeFileSync(folder("cut.jsonl"), `${lines.slice(0, 2).join("\n")}\n${lines[2]?.slice(0, 900)}`);
  expect((await run(...args, "second.json")).stderr).toContain(`plimsoll: 1 replay was ${TAKEN}`);
  expect(readFileSync(folder("second.json"), "utf8")).toBe(readFileSync(folder("first.json"), "utf8"));
  expect(rowsIn(folder("cut.jsonl"))).toHaveLength(4);
});

describe("what a run keeps", { timeout: RUN_MS }, () => {
  test("is used by another run of the same replays if its folder is named", async () => {
    const named = ["--state", "shared.jsonl"];
    await run("bench", "session.jsonl", "-p", "none", "-p", "sven", "-w", "32k", ...named);
    const { stderr } = await run("bench", "session.jsonl", "-p", "sven", "-p", "pi", "-w", "32k", ...named);
    expect(stderr).toContain(`plimsoll: 2 replays were ${TAKEN}\n`);
  });

  test("is not taken for another file's", async () => {
    copyFileSync(fixtureSessions()[1]?.path ?? "", folder("session.jsonl"));
    const { stderr } = await run("bench", "session.jsonl", "-p", "none", "-p", "sven", "-w", "32k", "--state", "shared.jsonl");
    expect(stderr).not.toContain(TAKEN);
  });

  test("is not taken for what another module, or the same one before an edit, made", async () => {
    const args = ["bench", "session.jsonl", "-p", "none", "-w", "32k", "--state", "with.jsonl", "--with", "own.mjs"];
    const own = (text: string) => writeFileSync(folder("own.mjs"), text);
    own("export default {};\n");
    await run(...args);
    expect((await run(...args)).stderr).toContain(TAKEN);
    own("export default {}; // edited\n");
    expect((await run(...args)).stderr).not.toContain(TAKEN);
    expect((await run(...args.slice(0, -2))).stderr).not.toContain(TAKEN);
  });

  test("goes after a fortnight in which nobody asked for it, and not before, however large", async () => {
    for (const [name, days] of [
      ["old", 15],
      ["new", 13],
    ] as const) {
      mkdirSync(folder(CACHE, name), { recursive: true });
      utimesSync(folder(CACHE, name), NOW_MS / 1_000, NOW_MS / 1_000 - days * 86_400);
    }
    writeFileSync(folder(CACHE, "killed.jsonl"), "");
    truncateSync(folder(CACHE, "killed.jsonl"), 300e6);
    await run(...SWEEP);
    expect(readdirSync(folder(CACHE))).toEqual(["killed.jsonl", "new"]);
  });
});
