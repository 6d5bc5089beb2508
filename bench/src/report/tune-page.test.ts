import { SVEN_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import type { TunedPolicy } from "../tune/tune.ts";
import { renderTuneHtml, type ShownTuneResult } from "./tune-page.ts";

const tuned = (ratio: number, cost: number): TunedPolicy => ({
  policy: { ...SVEN_POLICY, name: `sven ${ratio}` },
  settings: [{ path: "trigger.ratio", value: ratio }],
  train: { cost, shares: [], gain: 90, farGain: 50, overflows: 0, lineEvidence: 95, losses: [] },
  test: {
    cost: cost * 1.1,
    shares: [],
    gain: 85,
    farGain: null,
    overflows: 3,
    lineEvidence: 90,
    losses: [{ measure: "plan", points: 3.2 }],
  },
});

const [low, high] = [tuned(0.6, 0.5), tuned(0.8, 0.7)];
const result: ShownTuneResult = {
  base: "sven",
  cache: "expiring",
  splitBy: "repository",
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
  expect(page).toContain("plan 3.2");
  expect(page).toContain("policy: sven # &lt;/pre&gt;&lt;img src=x&gt;");
  expect(page).not.toContain("<img");
});
