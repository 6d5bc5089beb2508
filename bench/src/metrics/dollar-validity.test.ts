import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { coldAt, madeRecording, WARM } from "../../testing/made-recording.ts";
import type { PreparedSession } from "../open/prepared-session.ts";
import { replay } from "../replay/replay.ts";

const PRICES = MODEL_CATALOG.pricesOf("claude-sonnet-4-5");
const RULES = { minimumTokens: 1, stepTokens: 1, timeToLiveMs: 300_000 };
const CATALOG = { ...MODEL_CATALOG, pricesOf: () => PRICES, cacheRulesOf: () => RULES };
const MADE = { turns: 6, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 };
const WINDOW = { kind: "working-room", tokens: 500_000 } as const;

async function validityOf(session: PreparedSession, catalog = CATALOG) {
  const { metrics } = await replay(session, { policy: RECORDED_POLICY, window: WINDOW, catalog });
  return metrics?.dollarValidity ?? null;
}

test.each<[rule: string, session: PreparedSession, cause: RegExp]>([
  ["warm after its time", madeRecording(WARM, { gapMs: 400_000 }), /^the cache lived longer than its rules say/],
  [
    "the newest part not read yet",
    madeRecording(({ beforeTokens }) => Math.max(0, beforeTokens - 3000)),
    /^the newest part of the cache was not read yet/,
  ],
  [
    "less of the beginning outlives a compaction",
    madeRecording(coldAt(7, 0), { made: { ...MADE, turns: 2, boundaries: [1], overheadTokens: 60_000 } }),
    /^how much of the beginning outlives/,
  ],
])(
  "a recording whose cache no rule explains has no error, its rules have, and the cause is named: %s",
  async (_, session, cause) => {
    const validity = await validityOf(session);
    expect(Math.abs(validity?.errorPercent ?? 100)).toBeLessThan(0.1);
    expect(Math.abs(validity?.ruledErrorPercent ?? 0)).toBeGreaterThan(5);
    expect(validity?.cause).toMatch(cause);
  },
);

test("a call that found the cache cold within its time is counted and left out of what the rules are held against", async () => {
  const validity = await validityOf(madeRecording(coldAt(35, 0)));
  expect(validity).toMatchObject({ coldCalls: 1, cause: null });
  expect(validity?.coldUsd).toBeGreaterThan(0);
  expect(Math.abs(validity?.ruledErrorPercent ?? 100)).toBeLessThan(0.1);
});

test("a cache lives on from the end of a reply, not from when its request went out", async () => {
  // Each message comes 200 s after the last: 400 s from request to request, 200 s from the reply.
  const validity = await validityOf(madeRecording(WARM, { gapMs: 200_000 }));
  expect(Math.abs(validity?.ruledErrorPercent ?? 100)).toBeLessThan(0.1);
});

test("a recording that follows the rules has no error and no cause", async () => {
  const validity = await validityOf(madeRecording(WARM));
  expect(validity).toMatchObject({ cause: null });
  expect(Math.abs(validity?.ruledErrorPercent ?? 100)).toBeLessThan(0.1);
});

test("writes that a provider does not count cost what input costs", async () => {
  const [tier] = PRICES?.tiers ?? [];
  const counted = await validityOf(madeRecording(WARM));
  const uncounted = await validityOf(madeRecording(WARM, { writes: false }));
  expect(Math.abs(uncounted?.errorPercent ?? 100)).toBeLessThan(0.1);
  expect(tier?.cacheWriteUsdPerMillion).toBeGreaterThan(tier?.inputUsdPerMillion ?? 100);
  expect(uncounted?.statedUsd).toBeLessThan(counted?.statedUsd ?? 0);
});

test("without reported reads, or without a price, nothing can be said", async () => {
  const unpriced = { ...CATALOG, pricesOf: () => null };
  expect(await validityOf(madeRecording(WARM), unpriced)).toBeNull();
});
