import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { encodeLog } from "@plimsoll/core";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { IMPORTERS } from "../formats/registry.ts";
import { createOpener, openCorpus } from "../open/corpus.ts";
import { createSerialPool } from "../replay/worker-pool.ts";
import { decideOn } from "./decide.ts";

test("each log is imported and prepared once, however often it is replayed", { timeout: 240_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), "plimsoll-advise-"));
  const made = { turns: 4, toolCallsPerTurn: 4, resultChars: 8_000, overheadTokens: 2_000 };
  const files = ["one", "two", "three"].map((name) => ({ path: join(home, name), displayName: name }));
  const model = { ...({ type: "model-change", id: "m", modelId: "model" } as const), atMs: null };
  const limits = { contextWindowTokens: 32_000, maxOutputTokens: null };
  for (const { path, displayName } of files) {
    const size = displayName === "two" ? { resultChars: 200, overheadTokens: 40_000 } : {};
    const [start, ...entries] = madeTranscript({ ...made, ...size }, displayName).entries;
    writeFileSync(path, encodeLog([...(start === undefined ? [] : [start]), { ...model, limits }, ...entries]));
  }
  const opener = createOpener(IMPORTERS);
  const run = { pool: createSerialPool({ opener }), prices: new Map(), kept: null };
  const stderr = Object.assign(new PassThrough(), { isTTY: false });
  const streams = { stdout: stderr, stderr, demoSessions: async () => [], nowMs: () => 0 };
  const io = { ...streams, version: "0.0.0", cwd: home, homeFolder: home };
  const corpus = await openCorpus(files, run.pool);
  const logs = { agent: "codex", files, found: files.length, unread: [] } as const;
  const [decision] = await decideOn(logs, { corpus, run, pays: "tokens", counted: [], io });
  expect(decision?.choice?.rows.length).toBeGreaterThan(2);
  expect(decision).toMatchObject({ notJudged: [{ id: "two" }], choice: { sessions: 2 } });
  expect(opener.counts()).toEqual({ imports: 3, preparations: 3 });
  const [planned] = await decideOn(logs, { corpus, run, pays: "plan", counted: [], io });
  expect(planned?.choice?.rows.map(({ kind }) => kind)).not.toContain("proxy");
});
