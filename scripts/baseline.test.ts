import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PEERS, renderJsonReport, runBench } from "../bench/src/index.ts";
import { PRESETS } from "../packages/core/src/index.ts";
import { baselineOf, movedRows } from "./moved-rows.mjs";

const ROOT = join(import.meta.dirname, "..");
const SESSIONS = join(ROOT, "fixtures/sessions");
/** Thirty-four policies over three sessions in two rooms, on a machine that does other work, too. */
const REPLAY_MS = 240_000;

test("the bundled sessions under every policy have the rows of the baseline, to the byte", { timeout: REPLAY_MS }, async () => {
  const report = await runBench({
    files: readdirSync(SESSIONS).map((name) => ({ path: join(SESSIONS, name), displayName: `sessions/${name}` })),
    policies: [...PRESETS, ...PEERS.map(({ policy }) => policy)],
    windows: [16_000, 32_000].map((tokens) => ({ kind: "working-room", tokens })),
    plimsollVersion: "0.0.0",
  });
  const baseline = JSON.parse(readFileSync(join(ROOT, "bench/baseline.json"), "utf8"));
  expect(movedRows(baseline, baselineOf(JSON.parse(renderJsonReport(report))))).toEqual([]);
});
