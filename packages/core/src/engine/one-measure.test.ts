import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Counted, playCounted } from "../../testing/counting-provider.ts";
import { engineSession } from "../../testing/engine-session.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import { human, reply, usageEntry } from "../testing/builders.ts";
import { recoveriesOf } from "./goal.ts";

const policies = PRESETS.filter(({ enabled, name }) => enabled && name !== "recorded");

test("a report far above the estimate prices what a cut would leave", async () => {
  const messages = [human("u", "x".repeat(20_000)), reply("a", "y".repeat(20_000))];
  const { fit, log, manager } = engineSession({ policy: PI_POLICY, windowTokens: 32_000, messages });
  log(usageEntry("r", "a", 40_000));
  const outcome = await fit();
  const { expectedTokens } = manager.predict();
  expect(outcome).toMatchObject({
    kind: "compacted",
    entry: { record: { tokensBefore: 40_000, tokensAfter: expectedTokens } },
  });
  expect(expectedTokens).toBeLessThanOrEqual(32_000);
});

/** 160 steps: mostly one result of 200 to 3,000 tokens, now and then three of them, a large one, three of 60 kB, or a turn's end. */
const STEPS = Array.from({ length: 160 }, (_, step): readonly number[] => {
  const tokens = 200 + ((step * 7919) % 2800);
  if (step % 53 === 40) return [15_000, 15_000, 15_000];
  if (step % 11 === 10) return [];
  if (step % 13 === 5) return [tokens, 900, 2500];
  return step % 29 === 17 ? [9000] : [tokens];
});

/** The provider's counts: a multiple of the estimate, and tokens in addition to the messages, always, and now and then. */
const CELLS = [0.5, 1, 1.5, 2, 2.5, 3].flatMap((factor) =>
  [
    { hiddenTokens: 0, jumpTokens: 0 },
    { hiddenTokens: 6000, jumpTokens: 0 },
    { hiddenTokens: 2000, jumpTokens: 4000 },
  ].map((hidden) => ({ factor, ...hidden, saysSizes: false })),
);

describe("with a provider that counts otherwise", () => {
  test.each(policies.map((policy) => [policy.name, policy] as const))(
    "%s loses no request in 18 cells of 160 steps, and few are rejected",
    async (_, policy) => {
      const cells: Counted[] = [];
      for (const counting of CELLS) cells.push(await playCounted({ policy, counting, windowTokens: 32_000, steps: STEPS }));
      const sum = (key: keyof Counted) => cells.reduce((total, cell) => total + cell[key], 0);
      expect({ lost: sum("lost"), failed: sum("failedOverBudget"), irreducible: sum("irreducible") }).toEqual({
        lost: 0,
        failed: 0,
        irreducible: 0,
      });
      expect(sum("sent")).toBe(18 * 160);
      expect(sum("rejected")).toBeLessThanOrEqual(60);
    },
    120_000,
  );

  const stepSizes = fc.oneof(
    { weight: 8, arbitrary: fc.array(fc.integer({ min: 1, max: 4000 }), { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant([15_000, 15_000, 15_000]) },
  );
  const session = fc.record({
    policy: fc.constantFrom(...policies),
    windowTokens: fc.constantFrom(16_000, 32_000, 64_000),
    counting: fc.record({
      factor: fc.double({ min: 0.5, max: 3, noNaN: true }),
      hiddenTokens: fc.integer({ min: 0, max: 6000 }),
      jumpTokens: fc.integer({ min: 0, max: 6000 }),
      saysSizes: fc.boolean(),
    }),
    steps: fc.array(stepSizes, { minLength: 10, maxLength: 40 }),
  });

  test("no fit fails above the budget, and a rejected request is recovered or irreducible", async () => {
    let rejected = 0;
    await fc.assert(
      fc.asyncProperty(session, async (each) => {
        const counted = await playCounted(each);
        rejected += counted.rejected;
        expect([counted.lost, counted.failedOverBudget]).toEqual([0, 0]);
        expect(counted.mostRecoveries).toBeLessThanOrEqual(recoveriesOf(each.policy) + 1);
        const { hiddenTokens, jumpTokens } = each.counting;
        // Uncuttable parts take up to so much of the window: a floor always fits into the other half.
        const mayBeIrreducible = hiddenTokens + jumpTokens > each.windowTokens / 2;
        expect(counted.irreducible).toBeLessThanOrEqual(mayBeIrreducible ? Number.POSITIVE_INFINITY : 0);
      }),
      { seed: 20_260_101, numRuns: 150 },
    );
    expect(rejected).toBeGreaterThan(0);
  }, 120_000);
});
