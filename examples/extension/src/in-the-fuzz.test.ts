import { arbitraryScenario, playSession } from "@plimsoll/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import extension from "./bench-extension.ts";
import { HASTY } from "./parts/peer.ts";

test("the engine's rules hold for an added strategy, keep rule and estimator, among the built-in ones", async () => {
  const steps = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(arbitraryScenario(20, { kinds: extension, examples: [HASTY.policy] }), async (scenario) => {
      const played = await playSession(scenario);
      for (const [step] of played.log.matchAll(
        /"(?:strategy":"(?:forget","outcome":"applied|keep opening","outcome":"released)|estimator":"plain)/g,
      ))
        steps.set(step, (steps.get(step) ?? 0) + 1);
      expect(played.violations).toEqual([]);
    }),
    { seed: 20_261_122, numRuns: 120 },
  );
  expect(steps.size).toBe(3);
}, 120_000);
