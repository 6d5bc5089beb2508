import { expect, test } from "vitest";
import { GROUPS } from "./groups.ts";

/** Groups over short inputs; the others take sessions of 10,000 messages, and their parts have tests of their own. */
const QUICK = new Set(["estimators", "importers", "libraries"]);
/** Several seconds, longer if other tests run at the same time. */
const GROUP_MS = 60_000;

test("no two groups go by one name", () => {
  expect(new Set(GROUPS.map(({ name }) => name)).size).toBe(GROUPS.length);
});

test.each(GROUPS.filter(({ name }) => QUICK.has(name)))(
  "$name: both sides of every comparison run, and no two compare the same",
  { timeout: GROUP_MS },
  async ({ make }) => {
    const comparisons = await make();
    for (const { runSlow, runFast } of comparisons) {
      await runSlow();
      await runFast();
    }
    expect(new Set(comparisons.map(({ slow, fast }) => `${slow} / ${fast}`)).size).toBe(comparisons.length);
  },
);
