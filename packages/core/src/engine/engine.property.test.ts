import fc from "fast-check";
import { expect, test } from "vitest";
import { playChunk } from "../../testing/play-chunk.ts";
import { arbitraryScenario } from "../testing/arbitrary-session.ts";
import { playSession } from "../testing/play-session.ts";

const seed = 20_260_101;

test("the engine's rules hold for any session, policy and failure", async () => {
  const total = { cases: 0, compactions: 0 };
  await fc.assert(
    fc.asyncProperty(arbitraryScenario(40), async (scenario) => {
      const played = await playSession(scenario);
      total.cases += 1;
      total.compactions += played.compactions;
      expect(played.violations).toEqual([]);
    }),
    { seed, numRuns: 200 },
  );
  expect(total.compactions).toBeGreaterThanOrEqual(total.cases);
}, 180_000);

test("a switch is out of reach only below its floor by the measure of the model that comes next", async () => {
  const { failure } = await playChunk({ seed: 777_008, sessions: 1, path: "37", atMostMs: 60_000 }, {});
  expect(failure).toBeNull();
}, 60_000);

test("the same session gives the same log, byte for byte", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryScenario(20), async (scenario) => {
      const first = await playSession(scenario);
      const second = await playSession(scenario);
      expect(second.log).toBe(first.log);
    }),
    { seed, numRuns: 60 },
  );
}, 60_000);
