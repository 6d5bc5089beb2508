import { describe, expect, test } from "vitest";
import { recordOf, SMALL_POLICY, SMALL_WINDOW, smallSession, stepsOf, turns, words } from "../../testing/small-session.ts";
import type { KeepRuleSpec } from "../keep/built-in-keep-rules.ts";
import type { Policy } from "../policy/policy.ts";
import { SVEN_LENGTH_ESTIMATE } from "../policy/presets/sven.ts";
import { logOf, sessionStart } from "../testing/builders.ts";
import type { FitInput } from "./fit-input.ts";

const NOTHING_PINNED: KeepRuleSpec = { kind: "pinned", messageIds: [], atMost: { tokens: 600 } };

describe("an entry on the log", () => {
  test.each<[string, Partial<FitInput>, object]>([
    ["at which gate, by what policy", {}, { reason: "threshold", gate: "before-step", policy: "sven", cutEstimator: null }],
    ["in which step of the turn, if the caller counts", { step: 3 }, { step: 3 }],
    ["that it was asked for, at no gate", { now: { reason: "manual", keep: null } }, { reason: "manual", gate: null }],
    ["sizes before and after", {}, { tokensBefore: 8000, budgetTokens: 10_000, messagesBefore: 16, messagesAfter: 7 }],
  ])("says %s", async (_, more, said) => {
    const { fit, manager } = smallSession(turns(8));
    const record = recordOf(await fit(more));
    expect(record).toMatchObject({ ...said, tokensAfter: manager.predict().expectedTokens });
  });

  test("has no step if the caller does not count, and the time that it was given", async () => {
    const { fit } = smallSession(turns(8));
    const outcome = await fit({ nowMs: 77 });
    expect(Object.keys(recordOf(outcome) ?? {})).not.toContain("step");
    expect(outcome).toMatchObject({ kind: "compacted", entry: { type: "compaction", atMs: 77, throughEntryId: "a7" } });
  });

  test("has an id that follows from what it did", async () => {
    const entryOf = async (input: Partial<FitInput>, messages = turns(8), summary = "what happened") => {
      const { fit } = smallSession(messages, { answer: () => Promise.resolve(summary) });
      const outcome = await fit(input);
      return outcome.kind === "compacted" ? outcome.entry : null;
    };
    const [one, two] = [await entryOf({}), await entryOf({})];
    expect(one).toEqual(two);
    expect(one?.id).toMatch(/^[0-9a-f]{32}$/);
    const others = [
      await entryOf({}, turns(9)),
      await entryOf({}, turns(8), "something else"),
      await entryOf({ now: { reason: "manual", keep: null } }),
      await entryOf({ now: { reason: "hand-off", keep: { messages: 2 } } }),
    ];
    expect(new Set([one, ...others].map((entry) => entry?.id)).size).toBe(5);
  });

  test("counts the overhead before and after", async () => {
    const { fit, manager } = smallSession([], { entries: [sessionStart(words(300)), ...logOf(turns(8)).slice(1)] });
    const before = manager.predict();
    const record = recordOf(await fit());
    const after = manager.predict();
    expect([before.overheadTokens, before.expectedTokens]).toEqual([300, 8300]);
    expect(record).toMatchObject({ tokensBefore: 8300, tokensAfter: after.expectedTokens });
  });

  test.each<[string, Partial<FitInput>, number | undefined]>([
    ["the limit that a provider named when it rejected the request", { gate: "on-overflow", observedLimitTokens: 9000 }, 9000],
    ["none if it named none", { gate: "on-overflow", observedLimitTokens: null }, undefined],
    ["none if nothing was rejected", { observedLimitTokens: 9000 }, undefined],
  ])("has %s", async (_, input, observedLimitTokens) => {
    const { fit } = smallSession(turns(8));
    expect(recordOf(await fit({ recovery: 0, ...input }))?.observedLimitTokens).toBe(observedLimitTokens);
  });

  test("names the measures and the model", async () => {
    const cutEstimator = { ...SVEN_LENGTH_ESTIMATE, perMessageTokens: 1 };
    const { fit, manager } = smallSession(turns(8), { policy: { ...SMALL_POLICY, cutEstimator } });
    manager.append({ type: "model-change", id: "to", modelId: "test/model", limits: SMALL_WINDOW, atMs: null });
    expect(recordOf(await fit())).toMatchObject({
      estimator: expect.stringContaining("calibrated-ema"),
      cutEstimator: expect.stringContaining("chars-per-token"),
      modelId: "test/model",
    });
  });

  test("says what work its rules were: each looks at each message once", async () => {
    const visited = async (...keep: Policy["keep"]) => {
      const { fit } = smallSession(turns(8), { policy: { ...SMALL_POLICY, keep: [...SMALL_POLICY.keep, ...keep] } });
      return recordOf(await fit())?.work.messagesVisited ?? 0;
    };
    const [none, one, two] = [await visited(), await visited(NOTHING_PINNED), await visited(NOTHING_PINNED, NOTHING_PINNED)];
    expect([one - none, two - one]).toEqual([16, 16]);
  });

  test("says nothing of a rule that held nothing", async () => {
    const { fit } = smallSession(turns(8), {
      policy: { ...SMALL_POLICY, overflow: { keep: [NOTHING_PINNED], maxRecoveries: 2 } },
    });
    expect(stepsOf(await fit({ gate: "on-overflow", recovery: 2 }))).toEqual([
      "drop-oldest applied",
      "cut-oversized not-applicable",
    ]);
  });
});
