import { expect, test } from "vitest";
import { blocksOf, longestTurns } from "./blocks.ts";

test("the longest turns come first, each with what the collector takes of it", () => {
  const turns = [
    { startMs: 0, endMs: 10, waitedMs: 0 },
    { startMs: 10, endMs: 90, waitedMs: 0 },
    { startMs: 90, endMs: 120, waitedMs: 0 },
  ];
  const pauses = [
    { startMs: 12, endMs: 20 },
    { startMs: 40, endMs: 70 },
    // One that ends in the next turn.
    { startMs: 85, endMs: 95 },
  ];
  expect(longestTurns(turns, pauses)).toEqual([
    { ms: 80, collectedMs: 43 },
    { ms: 30, collectedMs: 5 },
    { ms: 10, collectedMs: 0 },
  ]);
});

test("what a turn waited for a processor is no part of it, nor of what the collector takes", () => {
  const turns = [
    { startMs: 0, endMs: 100, waitedMs: 80 },
    { startMs: 100, endMs: 130, waitedMs: 0 },
  ];
  expect(longestTurns(turns, [{ startMs: 10, endMs: 60 }])).toEqual([
    { ms: 30, collectedMs: 0 },
    { ms: 20, collectedMs: 20 },
  ]);
});

test("pauses of the collector are seen in the turn in which they come", async () => {
  const { longest, turns } = await blocksOf(async () => {
    let held: readonly string[] = [];
    for (let round = 0; round < 10; round++) held = Array.from({ length: 50_000 }, (_, index) => `${round} ${index}`);
    return held.length;
  });
  expect(turns).toBeGreaterThan(0);
  expect(longest[0]?.collectedMs).toBeGreaterThan(0);
});
