import { describe, expect, test } from "vitest";
import type { CallPoint } from "../results.ts";
import { downsample } from "./detail-level.ts";

const point = (call: number, promptTokens: number, compactions = 0): CallPoint => ({
  call,
  promptTokens,
  compactions,
  overflowed: false,
});

const flat = (length: number) => Array.from({ length }, (_, index) => point(index + 1, 100));

describe("downsample", () => {
  test("leaves a short series as it is", () => {
    const series = flat(10);
    expect(downsample(series, 10)).toBe(series);
  });

  test.each([
    ["the highest point", flat(5_000).with(2_345, point(2_346, 900))],
    ["the lowest point", flat(5_000).with(1_234, point(1_235, 1))],
    ["a compaction inside a flat stretch", flat(5_000).with(777, point(778, 100, 1))],
    ["the first call", flat(5_000).with(0, point(1, 101))],
    ["the last call", flat(5_000).with(4_999, point(5_000, 99))],
  ])("keeps %s", (_, series) => {
    const special = series.filter((candidate) => candidate.promptTokens !== 100 || candidate.compactions > 0);
    const kept = downsample(series, 100);
    expect(kept).toEqual(expect.arrayContaining(special));
    expect(kept.length).toBeLessThanOrEqual(101);
  });

  test("keeps the calls in their order", () => {
    const kept = downsample(
      Array.from({ length: 3_000 }, (_, index) => point(index + 1, (index * 7_919) % 1_000)),
      100,
    );
    expect(kept.map(({ call }) => call)).toEqual(kept.map(({ call }) => call).toSorted((a, b) => a - b));
  });
});
