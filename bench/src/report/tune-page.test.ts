import { SVEN_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import type { TunedPolicy } from "../tune/tune.ts";
import { renderTuneHtml, type ShownTuneResult } from "./tune-page.ts";

const tuned = (ratio: number, cost: number): TunedPolicy => ({
  policy: { ...SVEN_POLICY, name: `sven ${ratio}` },
  settings: [{ path: "trigger.ratio", value: ratio }],
  train: { cost, gain: 0.9, overflows: 0 },
  test: { cost: cost * 1.1, gain: 0.85, overflows: 3 },
});

const [low, high] = [tuned(0.6, 0.5), tuned(0.8, 0.7)];
const result: ShownTuneResult = {
  base: "sven",
  cache: "expiring",
  trainSessions: 4,
  testSessions: 4,
  current: { ...tuned(0.75, 0.65), settings: [] },
  front: [low, high],
  best: low,
};

test("shows the front on both halves, marks the best, and keeps what the terminal says as text", () => {
  const page = renderTuneHtml([result], "policy: sven # </pre><img src=x>");
  expect(page.match(/<circle/g)).toHaveLength(6);
  expect(page).toContain("trigger.ratio=0.6");
  expect(page).toMatch(/<td class="text">best<\/td>/);
  expect(page).toContain("policy: sven # &lt;/pre&gt;&lt;img src=x&gt;");
  expect(page).not.toContain("<img");
});
