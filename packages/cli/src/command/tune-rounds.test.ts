import { expect, test } from "vitest";
import { laterRoundsMs } from "./tune-command.ts";

test.each([
  ["baseline", null, 5_000, null],
  ["coarse grid", null, 60_000, 20_000],
  ["refinement", 60_000, 15_000, 5_000],
  ["refinement", 60_000, 90_000, 0],
  ["refinement", null, 15_000, null],
  ["test", 60_000, 5_000, 0],
] as const)("behind the %s, with a grid of %s ms and a round of %s ms, come %s ms", (name, gridMs, stepMs, laterMs) => {
  const found = laterRoundsMs(name, gridMs)(stepMs);
  expect(found === null ? null : Math.round(found)).toBe(laterMs);
});
