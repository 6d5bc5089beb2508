import { describe, expect, test } from "vitest";
import { recordOf, SMALL_POLICY, SMALL_WINDOW, smallSession, stepsOf, turns, words } from "../../testing/small-session.ts";
import type { FitInput, PreparedSummary } from "../engine/fit-input.ts";
import type { Policy } from "../policy/policy.ts";
import { human, never, reply } from "../testing/builders.ts";
import { rejected } from "../testing/unusable-answers.ts";
import type { SessionOptions } from "./session.ts";

const input: FitInput = { gate: "before-step", pending: [], model: SMALL_WINDOW, nowMs: null };

/** A session of 6,000 tokens whose summary was prepared then, and which goes on. */
async function prepared(options: Partial<SessionOptions> & { answer?: (call: number) => Promise<string> } = {}) {
  let held: PreparedSummary | null = null;
  const made = smallSession(turns(6), { prepared: async () => held, ...options });
  held = await made.manager.prepare(input, never);
  return { ...made, held };
}

describe("a summary that was prepared", () => {
  test("changes nothing by itself", async () => {
    const { manager, ids, events, asked } = await prepared();
    expect(manager.entries()).toHaveLength(13);
    expect([ids().length, asked.length]).toEqual([12, 1]);
    expect(events).toEqual([{ type: "summary-prepared", outcome: "ready", usage: null, steps: [] }]);
  });

  test("takes the place of what it covers when the policy acts, and nobody is asked again", async () => {
    const { fit, ids, asked, append, written } = await prepared();
    append(...turns(2, 6));
    const outcome = await fit();
    expect(stepsOf(outcome)).toEqual(["prepared applied"]);
    expect(recordOf(outcome)).toMatchObject({ reason: "threshold", gate: "before-step", tokensBefore: 8000 });
    expect(ids().slice(1)).toEqual(["u3", "a3", "u4", "a4", "u5", "a5", "u6", "a6", "u7", "a7"]);
    expect([asked.length, written()]).toEqual([1, expect.stringContaining("what happened")]);
  });

  test("is charged where it is used", async () => {
    const usage = { input: { totalTokens: 1, uncachedTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 } };
    const { fit, append } = await prepared({
      // The record has the summariser's report, in any form.
      summarizer: async () => ({ text: "what happened", usage: usage as never, stopReason: "end", prompts: ["structured@1"] }),
    });
    append(...turns(2, 6));
    const outcome = await fit();
    expect(outcome.kind === "compacted" && outcome.entry.edits).toMatchObject([{ usage, prompts: ["structured@1"] }]);
  });

  test("is left alone while the policy does not act", async () => {
    const { fit, ids } = await prepared();
    expect(await fit()).toEqual({ kind: "unchanged", off: null });
    expect(ids()).toHaveLength(12);
  });

  test("does not hide what came since: the facts and quotations are those of now", async () => {
    const { fit, append, written } = await prepared({ pinned: ["Never push to main."] });
    append(...turns(2, 6));
    await fit();
    expect(written()).toContain("Never push to main.");
  });
});

describe("a prepared summary is passed over, and the policy does what it would have done,", () => {
  const fresh = ["prepared not-applicable", "summarize applied"];

  test("if what it covers was compacted since", async () => {
    const { fit, append, manager } = await prepared();
    await fit({ now: { reason: "manual", keep: { messages: 2 } } });
    append(...turns(7, 6));
    expect(stepsOf(await fit())).toEqual(fresh);
    expect(manager.view().activeCompactions).toHaveLength(2);
  });

  test("if a message of it is another one by now", async () => {
    const { fit, append, held } = await prepared();
    if (held === null) throw new Error("nothing was prepared");
    append(...turns(2, 6));
    const [first, ...others] = held.covered;
    const edited = { ...held, covered: [{ ...first, atMs: 1 } as never, ...others] };
    const again = smallSession([...turns(8)], { prepared: async () => edited });
    expect(stepsOf(await again.fit())).toEqual(fresh);
    expect(stepsOf(await fit())).toEqual(["prepared applied"]);
  });

  test("if so much has come since that the policy would act again at once", async () => {
    const { fit, append } = await prepared();
    append(...turns(1, 6), human("long", words(4500)), reply("answer", words(100)));
    const outcome = await fit();
    expect(stepsOf(outcome).slice(0, 2)).toEqual(fresh);
  });

  test("if the caller's port fails, as the record says", async () => {
    const { fit } = smallSession(turns(8), { prepared: rejected });
    expect(stepsOf(await fit())).toEqual(["prepared failed", "summarize applied"]);
  });

  test("if the person asks for a compaction, whose summary is another one", async () => {
    const { fit } = await prepared();
    expect(stepsOf(await fit({ now: { reason: "manual", keep: null }, focus: "the tests" }))).toEqual(["summarize applied"]);
  });

  test("if the hook gives the summary", async () => {
    const { fit, append, written } = await prepared({
      beforeCompaction: async () => ({ kind: "summary", text: "the caller's" }),
    });
    append(...turns(2, 6));
    expect(stepsOf(await fit())).toEqual(["summarize applied"]);
    expect(written()).toContain("the caller's");
  });
});

describe("nothing is prepared", () => {
  test("while there is no more than a summary may take: right after a compaction", async () => {
    const { manager, asked, fit } = smallSession(turns(8));
    await fit();
    expect(await manager.prepare(input, never)).toBeNull();
    expect(asked).toHaveLength(1);
  });

  test.each<[string, Partial<Policy>]>([
    ["by a policy that asks no model", { strategies: [{ kind: "drop-oldest", amount: "all-but-keep", notice: "count" }] }],
    ["by one that is off", { enabled: false }],
  ])("%s", async (_, more) => {
    const { held, asked, events } = await prepared({ policy: { ...SMALL_POLICY, ...more } });
    expect([held, asked, events]).toEqual([null, [], []]);
  });

  test.each([
    ["that fails", " "],
    ["whose summary is not smaller than what it covers", words(5000)],
  ])("by a model %s: it is said, and nothing else", async (_, first) => {
    const { held, manager, events, fit, append } = await prepared({
      answer: (call) => Promise.resolve(call === 1 ? first : "what happened"),
    });
    expect([held, manager.entries().length]).toEqual([null, 13]);
    expect(events).toMatchObject([{ type: "summary-prepared", outcome: "failed", steps: [{ strategy: "summarize" }] }]);
    append(...turns(2, 6));
    expect(stepsOf(await fit())).toEqual(["summarize applied"]);
  });
});
