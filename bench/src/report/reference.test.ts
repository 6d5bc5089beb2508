import { join } from "node:path";
import { NONE_POLICY, PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IntervalOf, type JudgedPolicy, referenceChoice } from "../../testing/reference-choice.ts";
import { VECTOR } from "../metrics/vector.ts";
import { originOf } from "../origin.ts";
import { ALL_EXCERPTS, LAST_HUMAN_ONLY } from "../peers/cheats.ts";
import { runBench } from "../run/run-bench.ts";
import { clusteredEstimate, meanOver } from "../statistics.ts";
import { CHEATS, choosePolicy, type PolicyChoice } from "./policy-choice.ts";
import { type SessionOutcome, type WindowOutcomes, windowOutcomes } from "./session-outcomes.ts";

type Table = WindowOutcomes["byPolicy"];

const intervalOf: IntervalOf = (pairs) =>
  clusteredEstimate(
    pairs,
    meanOver(({ difference }) => difference),
  ).interval;

function judged(byPolicy: Table): readonly JudgedPolicy[] {
  return [...byPolicy].map(([name, outcomes]) => ({
    name,
    isCheat: CHEATS.has(name),
    sessions: outcomes.map(({ session, costRatio, lostRequests, vector }) => {
      const shares = vector.map(({ own, tail, none }, measure) => ({
        isFar: VECTOR[measure]?.isFar === true,
        own,
        tail,
        none,
      }));
      return { session, owner: originOf(session).owner, costRatio, lostRequests, shares };
    }),
  }));
}

/** Compares both rules: the rule's own names every rival, ours the one that is most ahead. */
function compared(byPolicy: Table) {
  const sessions = [...byPolicy.values()][0] ?? [];
  const ours: PolicyChoice = choosePolicy({ byPolicy }, [...sessions.keys()], { withIntervals: true });
  const theirs = referenceChoice(judged(byPolicy), intervalOf);
  const placed = ours.placed.filter(({ policy }) => !CHEATS.has(policy));
  const lossOf = (measure: number, rival: string | null) => `${VECTOR[measure]?.name} ${rival ?? "tail"}`;
  const named = new Map(
    [...theirs.losses].map(([policy, all]) => [policy, all.map((each) => lossOf(each.measure, each.rival))]),
  );
  return {
    ours: {
      named: ours.pick?.policy ?? null,
      recommended: ours.recommended.map(({ policy }) => policy).toSorted(),
      measures: placed.map(({ policy, worse }) => [policy, worse.map(({ measure }) => measure).toSorted()]),
    },
    theirs: {
      named: theirs.named,
      recommended: theirs.recommended.toSorted(),
      measures: [...theirs.losses].map(([policy, all]) => [
        policy,
        [...new Set(all.map(({ measure }) => VECTOR[measure]?.name))].toSorted(),
      ]),
    },
    unknown: placed.flatMap(({ policy, worse }) =>
      worse.filter(({ measure, than }) => named.get(policy)?.includes(`${measure} ${than ?? "tail"}`) !== true),
    ),
  };
}

/** Few values, so that policies tie in cost and in what they hold. */
const share = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 5, arbitrary: fc.constantFrom(0, 40, 41, 60, 100) },
);
const costRatio = fc.constantFrom(0.4, 0.41, 0.5, 0.5, 0.8, 1, 1.3);
const NAMES = ["a", "b", "c", "d", "last-human-only", "all-excerpts"];

/** A table of so many owners' sessions; measures from `asked` on ask nothing. */
function tables(owners: readonly number[], policies: number, asked: number): fc.Arbitrary<Table> {
  const outcome = (owner: number, place: number): fc.Arbitrary<SessionOutcome> =>
    fc.record({
      session: fc.constant(`o${owner}__r${place}__s`),
      costRatio,
      vector: fc.tuple(
        ...VECTOR.map((_, measure) =>
          measure < asked ? fc.record({ own: share, tail: share, none: share }) : fc.constant(NOTHING),
        ),
      ),
      hasActed: fc.constant(true),
      lostRequests: fc.constantFrom(0, 0, 0, 1),
      compactions: fc.constant(1),
    });
  const names = fc.shuffledSubarray(NAMES, { minLength: 1, maxLength: policies });
  return names.chain((all) =>
    fc.tuple(...all.map((name) => fc.tuple(fc.constant(name), fc.tuple(...owners.map(outcome))))).map((rows) => new Map(rows)),
  );
}

const NOTHING = { own: null, tail: null, none: null };

describe("a slow second reading of the rule chooses the same", () => {
  test.each([
    ["in one session", [0], 6, 6, 300],
    ["from few owners", [0, 0, 1, 2, 3], 5, 6, 200],
    ["if nothing is asked", [0, 1], 4, 0, 50],
    ["from eight owners and more, by intervals", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9], 3, 4, 40],
  ])("%s", (_, owners, policies, asked, numRuns) => {
    fc.assert(
      fc.property(tables(owners, policies, asked), (table) => {
        const { ours, theirs, unknown } = compared(table);
        expect(ours).toEqual(theirs);
        expect(unknown).toEqual([]);
      }),
      { numRuns, seed: 15 },
    );
  });

  test("over the bundled sessions", async () => {
    const folder = join(import.meta.dirname, "../../../fixtures/sessions");
    const names = ["bug-hunt.jsonl", "conversation.jsonl", "tour-and-feature.jsonl"];
    const policies = [PLIMSOLL_POLICY, PI_POLICY, SVEN_POLICY, LAST_HUMAN_ONLY.policy, ALL_EXCERPTS.policy];
    const report = await runBench({
      files: names.map((name) => ({ path: join(folder, name), displayName: name })),
      policies: [NONE_POLICY, ...policies],
      windows: [{ kind: "working-room", tokens: 16_000 }],
      plimsollVersion: "0.0.0",
    });
    const acting = policies.map(({ name }) => name);
    const { byPolicy, sessions } = windowOutcomes(report, { windowLabel: "16k for messages", acting });
    const { ours, theirs, unknown } = compared(byPolicy);
    expect([sessions.length > 0, byPolicy.size]).toEqual([true, policies.length]);
    expect(ours).toEqual(theirs);
    expect(unknown).toEqual([]);
  });
});
