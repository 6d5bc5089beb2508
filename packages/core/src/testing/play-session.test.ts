import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { defineMeasure } from "../tokens/estimator.ts";
import { arbitraryScenario } from "./arbitrary-session.ts";
import { playSession } from "./play-session.ts";

/** A measure from outside: half as many tokens as characters. */
const HALVES = defineMeasure<{ readonly kind: "halves" }>({
  kind: "halves",
  schema: z.strictObject({ kind: z.literal("halves") }),
  measure: () => ({
    name: "halves",
    messageTokens: ({ parts }) =>
      parts.reduce((sum, part) => sum + Math.ceil(JSON.stringify("text" in part ? part.text : part).length / 2), 1),
    textTokens: (text) => Math.ceil(text.length / 2),
    toolsTokens: (tools) => tools.length,
  }),
});

test("an estimator from outside is played on generated sessions", async () => {
  const policy = { ...PLIMSOLL_POLICY, estimator: { kind: "halves" } };
  const scenarios = fc.sample(arbitraryScenario(20, { kinds: { estimators: [HALVES] } }), { seed: 5, numRuns: 25 });
  const played = await Promise.all(scenarios.map((scenario) => playSession({ ...scenario, policy })));
  expect(played.flatMap(({ violations }) => violations)).toEqual([]);
  expect(played.reduce((sum, { compactions }) => sum + compactions, 0)).toBeGreaterThan(10);
  expect(played.every(({ log }) => !log.includes('"estimator":"ledger'))).toBe(true);
});
