import { writeFileSync } from "node:fs";
import { NONE_POLICY } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { beforeAll, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { madeTranscript } from "../../testing/made-session.ts";
import type { InputFile } from "../open/corpus.ts";
import { type BenchProgress, runBench } from "./run-bench.ts";

const WINDOWS = [{ kind: "working-room", tokens: 64_000 }] as const;

describe("runBench", () => {
  const folder = freshFolder(beforeAll);
  const inputs = (names: readonly string[]): InputFile[] => names.map((name) => ({ path: folder(name), displayName: name }));

  beforeAll(() => {
    const { entries } = madeTranscript({ turns: 3, toolCallsPerTurn: 3, resultChars: 500, overheadTokens: 1000 });
    writeFileSync(folder("good.jsonl"), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    writeFileSync(folder("unknown.txt"), "no session at all\n");
    writeFileSync(folder("empty.jsonl"), "");
  });

  const run = (names: readonly string[], onProgress: (progress: BenchProgress) => void = () => undefined) =>
    runBench({
      files: inputs(names),
      policies: [RECORDED_POLICY, NONE_POLICY],
      windows: WINDOWS,
      plimsollVersion: "0.0.0",
      onProgress,
    });

  test("replays what can be read and says in one line what cannot", async () => {
    const report = await run(["unknown.txt", "missing.jsonl", "good.jsonl", "empty.jsonl"]);
    expect(report.rows.map((row) => `${row.policy} ${row.metrics?.safety.calls}`)).toEqual(["recorded 12", "none 12"]);
    expect(report.skipped.map((skip) => skip.file)).toEqual(["unknown.txt", "missing.jsonl", "empty.jsonl"]);
    expect(report.skipped.every((skip) => skip.reason.includes(skip.file) && !skip.reason.includes("\n"))).toBe(true);
  });

  test("describes the session by what it states", async () => {
    const [session] = (await run(["good.jsonl"])).sessions;
    expect(session).toMatchObject({ format: "plimsoll", messages: 24, calls: 12, recordedBoundaries: 0, isEstimated: false });
    expect(session?.maxReportedPromptTokens).toBeGreaterThan(1000);
  });

  test("tells how far it is", async () => {
    const seen: BenchProgress[] = [];
    await run(["good.jsonl", "unknown.txt"], (progress) => seen.push(progress));
    expect(seen.map(({ filesDone, workDone, workTotal }) => [filesDone, workDone / workTotal > 0.9])).toEqual([
      [0, false],
      [0, false],
      [1, true],
      [1, true],
      [2, true],
    ]);
  });
});
