import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type BenchReport, renderJsonReport, runBench } from "../bench/src/index.ts";
import { PEERS } from "../bench/src/peers/peers.ts";
import { PRESETS } from "../packages/core/src/index.ts";

const ROOT = join(import.meta.dirname, "..");
const SESSIONS = join(ROOT, "fixtures/sessions");
/** Thirty-four policies over three sessions in two rooms, on a machine that does other work, too. */
const REPLAY_MS = 240_000;

const HASH_CHARS = 16;
const hashOf = (row: object) => createHash("sha256").update(JSON.stringify(row)).digest("hex").slice(0, HASH_CHARS);

/** The figures of a row that hold no clock and no machine: a change of them shows its meaning, and all else shows in the hash. */
function figuresOf({ metrics }: BenchReport["rows"][number]): object {
  if (metrics === null) return {};
  const { safety, economy, cost, passages } = metrics;
  return {
    overflows: safety.overflowingRequests,
    lost: safety.unrecoveredRequests,
    invalid: safety.invalidRequests,
    compactions: economy.compactions,
    promptTokens: economy.promptTokens,
    usdWithCache: cost.withCacheUsd,
    usdWithoutCache: cost.withoutCacheUsd,
    passages: passages.all.held,
    farPassages: passages.far.held,
  };
}

test("the bundled sessions under every policy have the rows of the baseline, to the byte", { timeout: REPLAY_MS }, async () => {
  const made = await runBench({
    files: readdirSync(SESSIONS).map((name) => ({ path: join(SESSIONS, name), displayName: `sessions/${name}` })),
    policies: [...PRESETS, ...PEERS.map(({ policy }) => policy)],
    windows: [16_000, 32_000].map((tokens) => ({ kind: "working-room", tokens })),
    plimsollVersion: "0.0.0",
  });
  const report: BenchReport = JSON.parse(renderJsonReport(made));
  const baseline = Object.fromEntries(
    report.rows.map((row) => [
      `${row.session} | ${row.policy} | ${row.window.tokens}`,
      { ...figuresOf(row), bytes: hashOf(row) },
    ]),
  );
  await expect(`${JSON.stringify(baseline, null, 2)}\n`).toMatchFileSnapshot("../bench/baseline.json");
});
