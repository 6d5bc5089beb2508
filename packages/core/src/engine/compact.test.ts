import { describe, expect, test } from "vitest";
import { z } from "zod";
import { recordOf, SMALL_POLICY, SMALL_WINDOW, smallSession, stepsOf, turns, words } from "../../testing/small-session.ts";
import { failureText, PlimsollError } from "../error.ts";
import { createDigest } from "../memory/digest.ts";
import type { Message } from "../message/message.ts";
import { withKinds } from "../policy/kinds.ts";
import type { EnginePolicy, Policy } from "../policy/policy.ts";
import { PLIMSOLL_POLICY, PLIMSOLL_VENDOR_POLICY } from "../policy/presets/plimsoll.ts";
import { defineStrategy } from "../strategy/strategy.ts";
import { calling, human, reply, result } from "../testing/builders.ts";
import { UNREPORTED_USAGE } from "../usage.ts";
import type { BeforeCompaction, FitInput } from "./fit-input.ts";
import { recoveriesOf } from "./goal.ts";

const fails = () => Promise.reject(new Error("overloaded"));

test("a digest may quote the object of a call", async () => {
  const call = '{\n  "name": "read",\n  "arguments": {"path": "a"}\n}';
  const said = [...turns(6), human("u", "Show a call."), reply("a", `Here it is:\n${call}`), ...turns(3, 6)];
  const policy = { ...SMALL_POLICY, strategies: PLIMSOLL_POLICY.strategies };
  expect(stepsOf(await smallSession(said, { policy }).fit())).toEqual(["digest applied"]);
  expect(stepsOf(await smallSession(said, { summarizer: createDigest() }).fit())).toEqual(["summarize applied"]);
});

describe("a hook before compaction", () => {
  const hooked = (hook: BeforeCompaction, before: readonly Message[] = []) =>
    smallSession([...before, ...turns(8)], { beforeCompaction: hook });

  test("that cancels is not asked again until something new arrives", async () => {
    const calls: unknown[] = [];
    const { fit, append, events } = hooked((notice) => {
      calls.push(notice.reason);
      return Promise.resolve({ kind: "cancel", why: "later" });
    });
    expect(await fit()).toEqual({ kind: "cancelled", by: "hook", reason: "threshold", why: "later" });
    expect(events.at(-1)).toEqual({ type: "compaction-cancelled", reason: "threshold", why: "later" });
    expect((await fit()).kind).toBe("unchanged");
    append(human("new", words(500)));
    expect((await fit()).kind).toBe("cancelled");
    expect(calls).toEqual(["threshold", "threshold"]);
  });

  test("that cancels is not asked about media over a limit: the outcome has their compaction", async () => {
    const source = { kind: "absent" } as const;
    const image = { type: "image", mediaType: "image/png", widthPx: 1, heightPx: 1, sizeBytes: null, source } as const;
    const shown: Message = { ...human("shown", ""), parts: [image, image] };
    const { fit, manager } = hooked(() => Promise.resolve({ kind: "cancel", why: "later" }), [shown]);
    const outcome = await fit({ model: { ...SMALL_WINDOW, request: { images: 1 } } });
    expect(outcome).toMatchObject({ kind: "cancelled", entry: manager.view().activeCompactions[0] });
    expect(stepsOf(outcome)).toEqual(["stub-media applied"]);
  });

  test("is told why, how large the context is and may be, and what it holds", async () => {
    const told: unknown[] = [];
    const { fit } = hooked((notice) => {
      told.push({ ...notice, messages: notice.messages.map(({ id }) => id) });
      return Promise.resolve({ kind: "go" });
    });
    await fit();
    const ids = turns(8).map(({ id }) => id);
    expect(told).toEqual([{ reason: "threshold", tokensBefore: 8000, budgetTokens: 10_000, messages: ids }]);
  });

  test("that supplies the summary spares the model, and its words are next to the facts", async () => {
    const { fit, asked, written } = hooked(
      () => Promise.resolve({ kind: "summary", text: "my own words" }),
      [human("first", "Build the shed."), calling("a", ["c"]), { ...result("r", "c", "no nails"), isError: true }],
    );
    expect(stepsOf(await fit())).toEqual(["summarize applied"]);
    expect([asked, written()]).toEqual([[], expect.stringMatching(/my own words.*<last-errors>/s)]);
  });

  const digests: Policy = { ...SMALL_POLICY, strategies: PLIMSOLL_POLICY.strategies };
  const vendors: Policy = { ...SMALL_POLICY, strategies: PLIMSOLL_VENDOR_POLICY.strategies };
  const drops: Policy = { ...SMALL_POLICY, strategies: [{ kind: "drop-oldest", amount: "all-but-keep", notice: "roles" }] };
  test.each<[string, Policy, string, readonly string[], string]>([
    ["takes the place of a digest", digests, "my own words", ["digest applied"], "my own words"],
    ["takes the place of the vendor's, too", vendors, "my own words", ["vendor applied"], "my own words"],
    ["is held to the limit of a summary, then too", digests, words(4500), ["digest applied"], "[Left out here for its length"],
    ["is tried once: after a blank one the digest has its own", digests, " ", ["digest failed", "digest applied"], "wordword"],
    [
      "is named in the record if no step wants it",
      drops,
      "mine",
      ["drop-oldest applied", "before-compaction not-applicable"],
      "",
    ],
  ])("whose summary %s", async (_, policy, text, steps, shown) => {
    const beforeCompaction = () => Promise.resolve({ kind: "summary", text } as const);
    const made = smallSession(turns(8), { policy, beforeCompaction, compact: fails });
    expect(stepsOf(await made.fit())).toEqual(steps);
    expect(made.written()).toContain(shown);
  });

  // Seven messages of 500 tokens and a few words stay of eighteen: the longest summary would leave too little room.
  test("whose summary is short is judged by its own length", async () => {
    const keep = [
      { kind: "recent", messages: 2 },
      { kind: "human", atMost: { tokens: 2500 } },
    ] as const;
    const policy: Policy = { ...SMALL_POLICY, keep, trigger: { atLeast: { tokens: 8000 }, pays: 1 }, minimumFreedRatio: 1 };
    const beforeCompaction = () => Promise.resolve({ kind: "summary", text: "my own words" } as const);
    const fitted = (options: object) => smallSession(turns(9), { policy, hiddenOverheadTokens: 600, ...options }).fit();
    expect(await fitted({})).toMatchObject({ kind: "cancelled", by: "price" });
    expect(stepsOf(await fitted({ beforeCompaction }))).toContain("summarize applied");
  });

  test("whose summary is blank is a failed summary: it never becomes content", async () => {
    const { fit, written } = hooked(() => Promise.resolve({ kind: "summary", text: " \n" }));
    expect(stepsOf(await fit())).toEqual(["summarize failed", "digest applied"]);
    expect(written()).not.toBe("");
  });
});

describe("a summary by a cheaper model", () => {
  const summaryBy = (contextWindowTokens: number): Policy => ({
    ...SMALL_POLICY,
    summary: { ...SMALL_POLICY.summary, request: { cheaper: { modelId: "small", contextWindowTokens } } },
  });

  test.each([
    ["in one request, if its window holds the history", 10_000, 1],
    ["in several, if its window is smaller than the session's: two messages each", 5000, 5],
    ["in one, if its window is larger: the session's own counts", 1_000_000, 1],
  ])("is asked for %s", async (_, contextWindowTokens, requests) => {
    const { fit, asked } = smallSession(turns(8), { policy: summaryBy(contextWindowTokens) });
    expect(stepsOf(await fit())).toEqual(["summarize applied"]);
    expect(asked).toHaveLength(requests);
  });
});

describe("after an overflow", () => {
  const policy: Policy = { ...SMALL_POLICY, overflow: { keep: [{ kind: "recent", messages: 2 }], maxRecoveries: 2 } };

  test("the first recovery keeps less than usual, with the model", async () => {
    const { fit, ids, asked } = smallSession(turns(8), { policy });
    await fit({ gate: "on-overflow", recovery: 0 });
    expect([ids().slice(1), asked.length > 0]).toEqual([["u7", "a7"], true]);
  });

  test("the second asks no model, and the context shrinks to half", async () => {
    const { fit, manager, asked } = smallSession(turns(8), { policy });
    const before = manager.predict().expectedTokens;
    const outcome = await fit({ gate: "on-overflow", recovery: 1 });
    expect([recordOf(outcome)?.reason, asked]).toEqual(["overflow", []]);
    expect(manager.predict().expectedTokens).toBeLessThanOrEqual(before / 2);
  });

  test("if the model fails the fallback shrinks it by a fifth at least", async () => {
    const { fit, manager } = smallSession(turns(8), { policy, answer: fails });
    const before = manager.predict().expectedTokens;
    await fit({ gate: "on-overflow", recovery: 0 });
    expect(manager.predict().expectedTokens).toBeLessThanOrEqual(before * 0.8);
  });

  test("the last recovery leaves the last human message and the newest step as stubs, and asks no model", async () => {
    const results = [1, 2, 3].map((at) => result(`r${at}`, `c${at}`, words(900)));
    const batch = [...turns(3), human("u", words(50)), calling("a", ["c1", "c2", "c3"]), ...results];
    const { fit, manager, asked } = smallSession(batch, { policy });
    const outcome = await fit({ gate: "on-overflow", recovery: recoveriesOf(policy) - 1 });
    expect(stepsOf(outcome)).toEqual(["drop-oldest applied", "cut-oversized applied"]);
    expect([
      manager
        .view()
        .messages.slice()
        .map(({ role }) => role),
      asked,
    ]).toEqual([["user", "user", "assistant", "tool-result", "tool-result", "tool-result"], []]);
    expect(manager.predict().expectedTokens).toBeLessThan(400);
  });

  test("recovery upon recovery ends: nothing is left to take, and its parts are named", async () => {
    const { fit } = smallSession([human("u", words(50)), reply("a", words(50))], { policy });
    const outcomes = [];
    for (const recovery of [0, 1, 2, 3]) outcomes.push(await fit({ gate: "on-overflow", recovery }));
    expect(outcomes.at(-1)).toMatchObject({
      kind: "irreducible",
      parts: [{ what: "overhead" }, { what: "last-human-message", tokens: 50 }, { what: "pending" }, { what: "rest" }],
    });
  });
});

describe("a policy without a fallback takes what its own steps gave", () => {
  test.each<[string, Partial<FitInput>]>([
    ["over the budget", {}],
    ["after an overflow", { gate: "on-overflow", recovery: 0 }],
  ])("%s: nothing if they fail, and it is not given up on", async (_, input) => {
    const { fit } = smallSession(turns(12), { policy: { ...SMALL_POLICY, fallback: null }, answer: fails });
    expect(await fit(input)).toMatchObject({ kind: "failed", steps: [{ strategy: "summarize", outcome: "failed" }] });
  });
});

describe("a step that leaves the context as large as it was", () => {
  const swap = defineStrategy({
    kind: "swap",
    schema: z.strictObject({ kind: z.literal("swap") }),
    needsModel: () => false,
    plan: () => ({
      kind: "edits",
      edits: [{ kind: "replace-part", messageId: "a0", partIndex: 0, text: "swap".repeat(500), handle: "h" }],
    }),
  });
  test.each<[string, Partial<EnginePolicy>, string]>([
    ["is undone", {}, "swap no-progress"],
    ["stays under a policy without a fallback", { fallback: null }, "swap applied"],
  ])("%s", async (_, changes, step) => {
    const policy: EnginePolicy = { ...SMALL_POLICY, strategies: [{ kind: "swap" }], ...changes };
    const { fit } = smallSession(turns(8), { policy, kinds: withKinds({ strategies: [swap] }) });
    expect(stepsOf(await fit())[0]).toBe(step);
  });
});

describe("a summary that is longer than what it replaces", () => {
  /** Two messages of 500 tokens go, six of 1,500 stay: 10,000 before. */
  const messages = [...turns(1), ...Array.from({ length: 6 }, (_, at) => reply(`k${at}`, words(1500)))];
  test.each([
    ["is undone under a policy with a fallback", SMALL_POLICY, 700, "no-progress"],
    ["stays without one, as in the programs that it imitates", { ...SMALL_POLICY, fallback: null }, 700, "applied"],
    ["is undone if it alone makes more than there was", { ...SMALL_POLICY, fallback: null }, 1100, "no-progress"],
  ])("%s", async (_, policy, tokens, outcome) => {
    const model = { contextWindowTokens: 20_000, maxOutputTokens: null };
    const { fit } = smallSession(messages, { policy, answer: () => Promise.resolve(words(tokens)) });
    const fitted = await fit({ model });
    const steps = fitted.kind === "compacted" ? fitted.entry.record.steps : "steps" in fitted ? fitted.steps : [];
    expect(steps[0]).toMatchObject({ strategy: "summarize", outcome });
  });
});

test.each<[string, unknown, string]>([
  ["an error's message", new Error("broken"), "broken"],
  ["no code of one of ours", new PlimsollError("bad-edit", "no such part"), "no such part"],
  ["a text", "broken", "broken"],
  ["something else that was thrown", { status: 7 }, '{"status":7}'],
  ["printable", new Error("\u001b[31mred\n\tline\u0007"), "[31mred line"],
  ["bounded", "a".repeat(900), `${"a".repeat(140)}…${"a".repeat(59)}`],
])("a failure as one line: %s", (_, failure, text) => {
  expect(failureText(failure)).toBe(text);
});

describe("a history of steps", () => {
  const steps = (count: number) =>
    Array.from({ length: count }, (_, at) => [calling(`s${at}`, [`c${at}`]), result(`r${at}`, `c${at}`, words(1000))]).flat();

  test("is cut at the newest safe place if a boundary leaves as much as a trigger of the room fires at", async () => {
    const policy: Policy = {
      ...SMALL_POLICY,
      trigger: { atLeast: { ratio: 0.5, of: "room" } },
      strategies: SMALL_POLICY.strategies.map((each) => ({ ...each, boundary: "not-in-tool-batch" })),
    };
    const { fit, ids } = smallSession([...turns(2), ...steps(5)], { policy });
    await fit();
    expect(ids().slice(1)).toEqual(["u1", "s2", "r2", "s3", "r3", "s4", "r4"]);
  });

  test("ends with messages that came while the vendor wrote, behind those that its summary moved", async () => {
    const compact = async () => {
      made.append(human("meanwhile", "and then stop"), human("last", "no, go on"));
      return { block: {}, text: "", usage: UNREPORTED_USAGE };
    };
    const policy = { ...SMALL_POLICY, strategies: PLIMSOLL_VENDOR_POLICY.strategies };
    const made = smallSession([human("u", "go"), ...steps(8)], { policy, compact, pinned: ["Never push."] });
    made.manager.append({ type: "model-change", id: "m", modelId: "m", limits: null, atMs: null });
    expect(stepsOf(await made.fit())).toEqual(["vendor applied"]);
    expect([made.ids().at(-4), ...made.ids().slice(-2)]).toEqual(["u", "meanwhile", "last"]);
  });
});
