import type { SettingFigures } from "@plimsoll/bench/internal";
import { PI_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { tradesText } from "./advice-text.ts";

const figures = (n: number | null, costRatio: number, gain: number, overflows = 0): SettingFigures => ({
  ...{ values: n === null ? new Map() : new Map([["a.n", n]]), policy: PI_POLICY, costRatio, losses: [] },
  score: { cost: costRatio, shares: [], gain, farGain: null, overflows, lineEvidence: 0 },
});
const NOW = figures(null, 1, 90);

test.each<readonly [string, readonly SettingFigures[], readonly string[]]>([
  [
    "the cheapest",
    [NOW, figures(1, 0.8, 88), figures(2, 0.6, 84.5)],
    ["yours to make: n=2 costs 40.0 % less and holds 5.5 points less"],
  ],
  ["what holds more", [NOW, figures(1, 0.8, 91)], ["yours to make: n=1 costs 20.0 % less and holds 1.0 points more"]],
  [
    "none that overflows",
    [NOW, figures(1, 0.8, 88), figures(2, 0.6, 84, 1)],
    ["yours to make: n=1 costs 20.0 % less and holds 2.0 points less"],
  ],
  ["none that hardly saves anything", [NOW, figures(1, 0.97, 88)], []],
  ["none without replays", [], []],
])("a trade is %s", (_, all, text) => {
  expect(tradesText(all)).toEqual(text);
});
