import { expect, test } from "vitest";
import type { HeldResult } from "./held.ts";
import { PASSAGES } from "./held-metrics.ts";

/** Needs of a session that has so many of them, half of which its contexts held. */
function resultOf(uses: number): HeldResult {
  const all = { uses, held: uses / 2 };
  return { all, far: all, tail: { all, far: all }, oracle: { all, far: all }, leftOut: 0 };
}

test.each([
  ["50 calls without a need hide them", [0], [50], true],
  ["49 calls tell nothing", [0], [49], false],
  ["one session of 50 calls is enough", [0, 0], [3, 50], true],
  ["a need in any session shows them", [0, 2], [80, 3], false],
  ["no session hides nothing", [], [], false],
])("%s", (_, uses, calls, isHidden) => {
  const pooled = PASSAGES.pool({ results: uses.map(resultOf), calls });
  expect(pooled.isHidden).toBe(isHidden);
});
