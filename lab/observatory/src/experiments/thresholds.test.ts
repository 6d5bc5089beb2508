import { describe, expect, test } from "vitest";
import { labOf } from "../../testing/small-agent.ts";
import type { ActsBetween } from "../facts.ts";
import { compactionsInARow } from "../watch.ts";
import type { Lab } from "./setting.ts";
import { missingThreshold, reportedThreshold } from "./thresholds.ts";

const LIMITS = { windowTokens: 200_000, outputTokens: null };

describe("the size at which a program acts is found to 200 tokens", () => {
  test.each<[string, ActsBetween, number, object]>([
    ["between steps, at a tenth below the window", "steps", 180_000, { silentTokens: 179_800, actsTokens: 180_000 }],
    ["between steps, between two points", "steps", 151_310, { silentTokens: 151_200, actsTokens: 151_400 }],
    ["between turns", "turns", 100_001, { silentTokens: 100_000, actsTokens: 100_200 }],
    ["never", "never", 0, { silentTokens: null, actsTokens: null }],
    ["above the window, where nothing is tried", "steps", 250_000, { silentTokens: null, actsTokens: null }],
  ])("%s", async (_, between, line, expected) => {
    const { facts } = await reportedThreshold(labOf({ between, acts: (size) => size >= line }), LIMITS, null);
    expect(facts).toEqual({ ...LIMITS, usage: "reported", ...expected });
  });

  test("if it is known where it acts, nothing else is tried", async () => {
    const lab = labOf({ between: "turns", acts: (size) => size >= 100_000 });
    expect(await reportedThreshold(lab, LIMITS, "turns")).toMatchObject({ between: "turns" });
    expect(lab.runs).toEqual(["usage that grows from turns to turns, coarse", "usage that grows from turns to turns, fine"]);
  });
});

test.each<[string, ActsBetween]>([
  ["steps", "steps"],
  ["turns", "turns"],
])("without usage, real text fills the context from %s to %s", async (_, between) => {
  const facts = await missingThreshold(labOf({ between, acts: (size) => size >= 40_000 }), between);
  const { silentTokens, actsTokens } = facts;
  expect([silentTokens, actsTokens].map((tokens) => Math.round((tokens ?? 0) / 10_000) * 10_000)).toEqual([40_000, 40_000]);
});

test("a session that was ended after too long a time tells nothing", async () => {
  const lab = labOf({ between: "steps", acts: (size) => size >= 180_000 });
  const slow: Lab = { ...lab, play: async (...asked) => ({ ...(await lab.play(...asked)), endedBy: "time" }) };
  const message = "no usage, coarse: was ended after too long a time";
  await expect(missingThreshold(slow, "steps")).rejects.toThrow(message);
  await expect(reportedThreshold(slow, LIMITS, null)).rejects.toThrow("was ended after too long a time");
  await expect(compactionsInARow(slow, "steps")).rejects.toThrow("was ended after too long a time");
});
