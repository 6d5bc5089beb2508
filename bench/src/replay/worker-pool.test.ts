import { writeFileSync } from "node:fs";
import { NONE_POLICY, PI_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { madeTranscript } from "../../testing/made-session.ts";
import type { InputFile } from "../open/corpus.ts";
import { renderJsonReport } from "../show/json.ts";
import { type BenchInput, runBench } from "./run-bench.ts";
import { createThreadPool, type WorkerPool } from "./worker-pool.ts";

/** Workers start from the sources, longer if other tests run at the same time. */
const START_MS = 60_000;
const FROM_SOURCES = [
  "--conditions=source",
  "--import",
  new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href,
];

describe("a pool of workers", { timeout: START_MS }, () => {
  const folder = freshFolder(beforeAll);
  let files: readonly InputFile[] = [];
  let pool: WorkerPool;

  beforeAll(() => {
    files = ["a.jsonl", "b.jsonl", "none.txt", "c.jsonl"].map((name) => ({ path: folder(name), displayName: name }));
    for (const [index, { path }] of files.entries()) {
      const made = { turns: 4 + 2 * index, toolCallsPerTurn: 4, resultChars: 6000, overheadTokens: 1000 };
      const { entries } = madeTranscript(made, `session-${index}`);
      writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    }
    writeFileSync(folder("none.txt"), "no session at all\n");
    pool = createThreadPool(2, { execArgv: FROM_SOURCES });
  });
  afterAll(() => pool.close());

  const run = async (given: Partial<BenchInput>) => {
    const policies = [NONE_POLICY, SVEN_POLICY, PI_POLICY];
    const windows = [32_000, 64_000].map((tokens) => ({ kind: "working-room", tokens }) as const);
    return renderJsonReport(await runBench({ files, policies, windows, plimsollVersion: "0.0.0", ...given }));
  };

  test("gives the bytes of one process", async () => {
    const shared = await run({ pool });
    expect(shared).toBe(await run({}));
    expect(JSON.parse(shared).rows).toHaveLength(3 * 6);
  });

  test("takes prices along", async () => {
    const tier = { abovePromptTokens: 0, inputUsdPerMillion: 7, outputUsdPerMillion: 7 };
    const cache = { cacheReadUsdPerMillion: 7, cacheWriteUsdPerMillion: 7, cacheWriteOneHourUsdPerMillion: 7 };
    const prices = new Map([["test-model", { tiers: [{ ...tier, ...cache }] as const }]]);
    expect(await run({ pool, prices })).toBe(await run({ prices }));
  });
});
