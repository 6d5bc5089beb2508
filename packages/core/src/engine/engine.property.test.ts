import fc from "fast-check";
import { expect, test } from "vitest";
import { kindsAddedBy } from "../../testing/added-kinds.ts";
import { arbitraryScenario } from "../testing/arbitrary-session.ts";
import { playSession } from "../testing/play-session.ts";

/** Set by `pnpm fuzz`: how many sessions, for how long, from which seed, and which failure to show again, and with whose kinds. */
const { PLIMSOLL_FUZZ_CASES, PLIMSOLL_FUZZ_SECONDS, PLIMSOLL_FUZZ_SEED, PLIMSOLL_FUZZ_PATH, PLIMSOLL_FUZZ_WITH } = process.env;
const numRuns = Number(PLIMSOLL_FUZZ_CASES ?? "200");
const seed = Number(PLIMSOLL_FUZZ_SEED ?? "20260101");
const timeBox =
  PLIMSOLL_FUZZ_SECONDS === undefined
    ? {}
    : { interruptAfterTimeLimit: Number(PLIMSOLL_FUZZ_SECONDS) * 1000, markInterruptAsFailure: false };
const path = PLIMSOLL_FUZZ_PATH === undefined ? {} : { path: PLIMSOLL_FUZZ_PATH, endOnFailure: true };
/** A single failure that is shown again may compact nothing. */
const compactionsPerCase = PLIMSOLL_FUZZ_PATH === undefined ? 1 : 0;
const timeoutMs = PLIMSOLL_FUZZ_SECONDS === undefined ? 180_000 : (Number(PLIMSOLL_FUZZ_SECONDS) + 600) * 1000;

test(
  "the engine's rules hold for any session, policy and failure",
  async () => {
    const total = { cases: 0, compactions: 0 };
    const added = await kindsAddedBy(PLIMSOLL_FUZZ_WITH);
    await fc.assert(
      fc.asyncProperty(arbitraryScenario(40, added), async (scenario) => {
        const played = await playSession(scenario);
        total.cases += 1;
        total.compactions += played.compactions;
        expect(played.violations).toEqual([]);
      }),
      { seed, numRuns, ...timeBox, ...path },
    );
    console.info(`seed ${seed}: ${total.cases} cases, ${total.compactions} compactions`);
    expect(total.compactions).toBeGreaterThanOrEqual(total.cases * compactionsPerCase);
  },
  timeoutMs,
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
}, 60_000);
