import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryScenario } from "../testing/arbitrary-session.ts";
import { playSession } from "../testing/play-session.ts";

/** Set by `pnpm fuzz`: how long to search, and from which seed. */
const fuzzSeconds = Number(process.env.PLIMSOLL_FUZZ_SECONDS ?? "0");
const seed = Number(process.env.PLIMSOLL_FUZZ_SEED ?? "20260101");
const runs = Number(process.env.PLIMSOLL_FUZZ_CASES ?? "400");

test(
  "the engine's rules hold for any session, policy and failure",
  async () => {
    let cases = 0;
    let compactions = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryScenario(40), async (scenario) => {
        const played = await playSession(scenario);
        cases += 1;
        compactions += played.compactions;
        expect(played.violations).toEqual([]);
      }),
      {
        seed,
        numRuns: runs,
        ...(fuzzSeconds > 0 ? { interruptAfterTimeLimit: fuzzSeconds * 1000, markInterruptAsFailure: false } : {}),
      },
    );
    expect(cases).toBeGreaterThan(0);
    expect(compactions).toBeGreaterThan(cases);
    if (process.env.PLIMSOLL_FUZZ_CASES !== undefined)
      process.stdout.write(`fuzz: ${cases} cases, ${compactions} compactions, seed ${seed}\n`);
  },
  fuzzSeconds > 0 ? fuzzSeconds * 1000 + 60_000 : 120_000,
);

test("the same session gives the same log, byte for byte", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryScenario(20), async (scenario) => {
      const first = await playSession(scenario);
      const second = await playSession(scenario);
      expect(second.log).toBe(first.log);
    }),
    { seed, numRuns: 60 },
  );
});
