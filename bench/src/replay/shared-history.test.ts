import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { NONE_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { madeTranscript } from "../../testing/made-session.ts";
import { BUILT_IN_PARTS } from "../extension.ts";
import type { InputFile } from "../open/corpus.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { renderJsonReport } from "../show/json.ts";
import { openRowsFile } from "./rows-file.ts";
import { type BenchInput, runBench } from "./run-bench.ts";
import { mergeRows } from "./run-result.ts";

/** Replays take seconds, longer if other tests run at the same time. */
const REPLAY_MS = 120_000;

const MADE = { turns: 10, toolCallsPerTurn: 4, resultChars: 6000, overheadTokens: 1000, boundaries: [3] };
const CALLS_A_TURN = 5;

/** The lines of a session, and of a fork of it that goes on by itself after so many turns. */
const linesOf = (turns: number) => madeTranscript({ ...MADE, turns }, "main").entries.map((entry) => JSON.stringify(entry));
const MAIN = linesOf(MADE.turns);
const FORKED_TURNS = 6;
const forkOf = (name: string) => {
  const shared = linesOf(FORKED_TURNS).length;
  return MAIN.map((line, place) =>
    place < shared ? line : line.replaceAll("request-main", `request-${name}`).replaceAll("module", `${name}-module`),
  );
};

const folder = freshFolder(beforeEach);

function file(
  displayName: string,
  lines: readonly string[],
  pack: (text: string) => string | Buffer = (text) => text,
): InputFile {
  const path = folder(displayName);
  writeFileSync(path, pack(lines.join("\n")));
  return { path, displayName };
}

const bench = (files: readonly InputFile[], more: Partial<BenchInput> = {}) =>
  runBench({
    files,
    policies: [NONE_POLICY, RECORDED_POLICY, SVEN_POLICY],
    windows: [{ kind: "working-room", tokens: 32_000 }],
    plimsollVersion: "0.0.0",
    ...more,
  });

const rowOf = ({ rows }: BenchReport, session: string, policy: string): ReplayRow | undefined =>
  rows.find((row) => row.session === session && row.policy === policy);

describe("one session in several files", { timeout: REPLAY_MS }, () => {
  test("is replayed once, packed or not", async () => {
    const one = await bench([file("main", MAIN)]);
    const copies = ["b", "c", "d"].map((name) => file(name, MAIN));
    const all = await bench([file("main", MAIN), ...copies, file("e.gz", MAIN, gzipSync)]);
    expect(all.lineages).toEqual({ files: 5, sessions: 5, lineages: 1, repeatedAnswers: 50 });
    expect(all.rows).toEqual(one.rows);
    expect(all.sessions.map(({ lineage: _, ...rest }) => rest)).toEqual(one.sessions);
    expect(one.lineages).toBe(undefined);
  });

  test("counts once beside what its forks did themselves, as they did it", async () => {
    const main = file("main", MAIN);
    const [left, right] = [file("left", forkOf("left")), file("right", forkOf("right"))];
    const together = await bench([main, left, right]);
    const alone = await bench([left]);
    const sharedCalls = FORKED_TURNS * CALLS_A_TURN;
    const calls = together.sessions.map(({ calls: count, recordedBoundaries }) => [count, recordedBoundaries]);
    expect(calls).toEqual([
      [50, 1],
      [20, 0],
      [20, 0],
    ]);
    expect(together.sessions.map(({ lineage }) => lineage)).toEqual(["main", "main", "main"]);
    for (const policy of ["none", "recorded", "sven"]) {
      const [own, whole] = [rowOf(together, "left", policy), rowOf(alone, "left", policy)];
      const later = whole?.series.filter(({ call }) => call >= sharedCalls) ?? [];
      expect(own?.series).toEqual(later);
      expect(own?.metrics?.safety.calls).toBe(20);
      // A request that does not fit is charged as recorded.
      if (policy === "sven")
        expect(own?.metrics?.economy.promptTokens).toBe(later.reduce((sum, { promptTokens }) => sum + promptTokens, 0));
      expect(own?.compactions.map(({ call }) => call)).toEqual(
        whole?.compactions.flatMap(({ call }) => (call >= sharedCalls ? [call] : [])),
      );
      expect(own?.metrics?.passages.all.uses).toBeLessThan(whole?.metrics?.passages.all.uses ?? 0);
      expect(own?.metrics?.instructions.all.uses).toBeLessThan(whole?.metrics?.instructions.all.uses ?? 0);
    }
    expect(rowOf(together, "main", "none")).toEqual(rowOf(await bench([main]), "main", "none"));
  });

  test("gives the bytes of one run in parts, however their lines lie", async () => {
    const files = [file("main", MAIN), file("copy", MAIN), file("left", forkOf("left")), file("right", forkOf("right"))];
    const whole = await bench(files);
    const path = folder("rows.jsonl");
    for (const index of [3, 1, 2]) {
      const rows = openRowsFile(path, "rows.jsonl");
      await bench(files, { shard: { index, count: 3 }, kept: { rows, version: "" } });
      rows.close();
    }
    const merged = () => renderJsonReport(mergeRows([{ path, name: "rows.jsonl" }], BUILT_IN_PARTS));
    expect(merged()).toBe(renderJsonReport(whole));
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    writeFileSync(path, `${lines.toReversed().join("\n")}\n`);
    expect(merged()).toBe(renderJsonReport(whole));
    expect(whole.sessions.map(({ session }) => session)).toEqual(["main", "left", "right"]);
  });
});
