import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { compaction, dropped, human, usageEntry } from "../testing/builders.ts";
import { usageOf } from "../usage.ts";
import { foldCacheSigns, NO_CACHE_SIGNS, promptCacheOf } from "./cache-life.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Parts = Parameters<typeof usageOf>[0];

/** A report of 50,000 tokens at a minute, with so many cache reads. */
function report(atMinute: number | null, read: number | null, more: Parts = {}): SessionEntry {
  const usage = usageOf({ totalInputTokens: 50_000, ...(read === null ? {} : { cacheReadTokens: read }), ...more });
  return { ...usageEntry(`q${atMinute}`, null, 0), usage, atMs: atMinute === null ? null : atMinute * MINUTE_MS };
}

const asked = (atMinute: number): SessionEntry => ({
  type: "message",
  message: { ...human(`u${atMinute}`, "go on"), atMs: atMinute * MINUTE_MS },
});
const written = (all: number, hour: number): Parts => ({ cacheWriteTokens: all, cacheWriteOneHourTokens: hour });
const lifeOf = (entries: readonly SessionEntry[], statedMs: number | null = null) => {
  const costs = statedMs === null ? null : { read: 1, write: 12.5, hourWrite: 20, cacheLifeMs: statedMs };
  return promptCacheOf(entries.reduce(foldCacheSigns, NO_CACHE_SIGNS), costs).lifeMs / MINUTE_MS;
};

describe("a prompt cache lives", () => {
  test.each<[string, readonly SessionEntry[], number | null, number]>([
    ["an hour if nothing is known", [], null, 60],
    ["as long as the vendor says", [], 10 * MINUTE_MS, 10],
    ["five minutes if writes are for five", [report(0, 0, written(50_000, 0))], null, 5],
    ["an hour if writes are for an hour, whatever the vendor says", [report(0, 0, written(50_000, 50_000))], 5 * MINUTE_MS, 60],
    ["as long as most of a mixed write", [report(0, 0, written(50_000, 30_000))], null, 60],
    ["as long as the newest writes", [report(0, 0, written(9, 9)), report(1, 49_000, written(9, 0))], null, 5],
    ["as the vendor says if writes are not told apart", [report(0, 0, { cacheWriteTokens: 9 })], 30 * MINUTE_MS, 30],
    ["as long as a pause after which it was read", [report(0, 0), report(90, 49_000)], 5 * MINUTE_MS, 90],
    ["no longer than one after which it was not", [report(0, 0), report(20, 9000)], HOUR_MS, 20],
    ["as before if no reads are reported", [report(0, null), report(20, null)], HOUR_MS, 60],
    ["by the newer of two that do not agree", [report(0, 0), report(20, 0), report(50, 49_000)], 5 * MINUTE_MS, 30],
    ["by the newer, the other way", [report(0, 0), report(50, 49_000), report(70, 0)], 5 * MINUTE_MS, 5],
    ["as before after a miss that no pause explains", [report(0, 0), report(4, 0)], HOUR_MS, 60],
    ["as before after a cut: it explains it", [report(0, 0), compaction("c", [dropped("u", "a")]), report(20, 0)], HOUR_MS, 60],
    ["as before with a clock that goes back", [report(50, 0), report(10, 0)], HOUR_MS, 60],
    ["as before without a clock", [report(null, 0), report(null, 0)], HOUR_MS, 60],
    ["without the time that the answer took", [report(0, 0), asked(2), report(30, 0)], HOUR_MS, 60],
    ["of another model nothing is known", [report(0, 0), { ...report(20, 0), modelId: "other" } as SessionEntry], HOUR_MS, 60],
  ])("%s", (_, entries, statedMs, minutes) => {
    expect(lifeOf(entries, statedMs)).toBe(minutes);
  });
});

test.each<[string, readonly SessionEntry[], number, number]>([
  ["of a write", [], 0.5, 25],
  ["of a write for an hour, if those are asked for", [report(0, 0, written(9, 9))], 0.5, 40],
  ["a usual one if reads cost nothing", [], 0, 10],
])("a token that is written again costs so many times one that is read: %s", (_, entries, read, ratio) => {
  const costs = { read, write: 12.5, hourWrite: 20, cacheLifeMs: HOUR_MS };
  expect(promptCacheOf(entries.reduce(foldCacheSigns, NO_CACHE_SIGNS), costs).rewriteRatio).toBe(ratio);
  expect(promptCacheOf(NO_CACHE_SIGNS, null).rewriteRatio).toBe(10);
});
