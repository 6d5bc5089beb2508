import { describe, expect, test } from "vitest";
import { z } from "zod";
import { strategyInput } from "../../testing/strategy-input.ts";
import type { Edit } from "../edit/apply-edits.ts";
import type { CompactionReason } from "../entry.ts";
import type { KeepRuleSpec } from "../keep/built-in-keep-rules.ts";
import type { NewestAmount } from "../keep/keep-rule.ts";
import type { KeptMessages } from "../keep/kept-messages.ts";
import type { Message } from "../message/message.ts";
import { BUILT_IN_KINDS, withKinds } from "../policy/kinds.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { defineStrategy, type StrategyAnswer } from "../strategy/strategy.ts";
import { dropped, human, reply } from "../testing/builders.ts";
import { bestOf, type ChainStep, type ChainTools, type ChainView, chainOf, newestOf, runChain } from "./chain.ts";
import type { FitInput } from "./fit-input.ts";
import { recoveriesOf } from "./goal.ts";

const CLOSED = { failures: 0, estimatedAtLastAttemptTokens: null, isGoalMissed: false };
const OWN = ["summarize", "drop-oldest"];
const FALLBACK = ["digest", "drop-oldest", "cut-oversized", "drop-notices", "drop-oldest", "cut-oversized"];

function chain(policy: EnginePolicy, reason: CompactionReason, more: Partial<FitInput> & { useModel?: boolean } = {}) {
  const { useModel = true, ...given } = more;
  const model = { contextWindowTokens: 1000, maxOutputTokens: null };
  const input: FitInput = { gate: "before-step", pending: [], model, nowMs: null, recovery: 0, ...given };
  const breaker = { ...CLOSED, failures: useModel ? 0 : policy.progress.maximumFailures };
  return chainOf({ policy, breaker, setup: { kinds: BUILT_IN_KINDS } }, { reason, input });
}
const namesOf = (...given: Parameters<typeof chain>) => chain(...given).steps.map(({ strategy }) => strategy.name);

describe("chainOf", () => {
  test.each<[string, CompactionReason, { useModel?: boolean; recovery?: number }, readonly string[]]>([
    ["the policy's own steps in its own order", "threshold", {}, OWN],
    ["in an emergency those that need no model", "emergency", {}, ["drop-oldest"]],
    ["so it is with an open breaker", "threshold", { useModel: false }, ["drop-oldest"]],
    ["after an overflow all of them once", "overflow", { recovery: 0 }, OWN],
    ["and then those that need no model", "overflow", { recovery: 1 }, ["drop-oldest"]],
    ["for another reason all of them, whatever was recovered", "threshold", { recovery: 1 }, OWN],
    ["at last the forced ones", "overflow", { recovery: recoveriesOf(SVEN_POLICY) - 1 }, ["drop-oldest", "cut-oversized"]],
  ])("%s, then the fallback", (_, reason, more, own) => {
    expect(namesOf(SVEN_POLICY, reason, more)).toEqual([...own, ...FALLBACK]);
  });

  test("without a fallback there are the policy's own steps alone, and none is forced", () => {
    const published = { ...SVEN_POLICY, fallback: null };
    expect(namesOf(published, "threshold")).toEqual(OWN);
    expect(namesOf(published, "overflow", { recovery: 9 })).toEqual(["drop-oldest"]);
  });

  test("every preset has the same fallback, and it needs no model", () => {
    for (const preset of PRESETS) expect(preset.fallback, preset.name).toEqual(SVEN_POLICY.fallback);
    expect(chain({ ...SVEN_POLICY, strategies: [] }, "threshold").steps.filter(({ strategy }) => strategy.needsModel)).toEqual(
      [],
    );
  });

  const recent = (messages: number): KeepRuleSpec => ({ kind: "recent", messages });
  const human: KeepRuleSpec = { kind: "human", atMost: { tokens: 10 } };
  const byHand = (keep: NewestAmount | null) => ({ now: { reason: "manual", keep } }) as const;
  test.each<[string, Parameters<typeof chain>[1], Partial<FitInput>, readonly string[], object]>([
    ["what the policy keeps", "threshold", {}, ["recent", "human"], { messages: 6 }],
    ["what it keeps if a person asks", "manual", byHand(null), ["recent"], { messages: 2 }],
    ["what it keeps if a model asks", "hand-off", byHand(null), ["recent", "human"], { messages: 6 }],
    [
      "the newest that is asked for, and the other rules",
      "hand-off",
      byHand({ tokens: 9 }),
      ["recent", "human"],
      { tokens: 9 },
    ],
    ["what it keeps after an overflow", "overflow", {}, ["human"], { messages: 0 }],
  ])("its rules are %s", (_, reason, input, kinds, newest) => {
    const policy = {
      ...SVEN_POLICY,
      keep: [recent(6), human],
      manualKeep: [recent(2)],
      overflow: { keep: [human], maxRecoveries: 2 },
    };
    const { rules, isForced } = chain(policy, reason, input);
    expect(rules.map(({ kind }) => kind)).toEqual(kinds);
    expect(newestOf(rules, { windowTokens: 100, inputBudgetTokens: 100 })).toEqual(newest);
    expect(isForced).toBe(false);
  });

  test("a person who asks keeps what the policy keeps, if it says nothing else of that", () => {
    const { rules } = chain({ ...SVEN_POLICY, keep: [recent(5)], manualKeep: null }, "manual", byHand(null));
    expect(newestOf(rules, { windowTokens: 100, inputBudgetTokens: 100 })).toEqual({ messages: 5 });
  });

  test.each<[string, NewestAmount, object]>([
    ["messages", { messages: 3 }, { messages: 3 }],
    ["tokens", { tokens: 7 }, { tokens: 7 }],
    ["a share of the budget", { ratio: 0.5, of: "input-budget" }, { tokens: 50 }],
  ])("the newest history is %s", (_, amount, newest) => {
    const rule = { kind: "recent", keeps: "newest", amount } as const;
    expect(newestOf([rule], { windowTokens: 200, inputBudgetTokens: 100 })).toStrictEqual(newest);
  });

  test("the last recovery alone begins with the forced ones", () => {
    const last = recoveriesOf(SVEN_POLICY) - 1;
    const fromAt = (recovery: number) => chain(SVEN_POLICY, "overflow", { recovery }).steps.map(({ from }) => from);
    expect([fromAt(last - 1).includes("forced"), fromAt(last).includes("policy"), fromAt(last)[0]]).toEqual([
      false,
      false,
      "forced",
    ]);
  });
});

/** Takes the oldest of so many messages away; one that is named `?` is a strategy that throws. */
const TAKE = defineStrategy({
  kind: "take",
  schema: z.strictObject({ kind: z.literal("take"), first: z.string(), last: z.string() }),
  needsModel: () => false,
  label: ({ first }) => `take ${first}`,
  plan: ({ first, last }, { messages }) => {
    if (first === "?") throw new TypeError("no such thing");
    return messages.some(({ id }) => id === first)
      ? {
          kind: "edits",
          edits: [{ kind: "replace-spans", spans: [{ from: first, through: last, promptId: null }], by: "nothing" }],
        }
      : { kind: "not-applicable", reason: "it is gone" };
  },
});

const view = ["a", "b", "c", "d"].map((id) => reply(id, "x".repeat(100))).concat();
const messages: readonly Message[] = [...view, human("u", "x".repeat(100))];

/** Makes the messages that a rule holds, as the chain is given them. */
const heldBy = (kind: string): KeptMessages => {
  const held = messages.filter(({ id }) => id === kind);
  return { kind, isOwn: false, messages: held, tokens: 100, chosen: [], beyond: [], failure: null };
};
const start = { messages, tokens: 500, applied: [], steps: [], held: [] };

/** Tools with which nothing is planned, and each message has 100 tokens. */
const input = strategyInput(messages);
const TOOLS: ChainTools = {
  goal: { budgetTokens: 500, limitTokens: 500, lineTokens: 500, retryTokens: null },
  budget: input.budget,
  cause: "size",
  isProgress: ({ before, after }) => after < before,
  sizing: input,
  tokensOf: (some) => 100 * some.length,
  carryOut: () => Promise.reject(new Error("nothing is planned")),
};

/** Runs steps that are no kind's, with the rules' messages free. */
async function runSteps(steps: readonly ChainStep[], tools: Partial<ChainTools>, signal = new AbortController().signal) {
  return (await runChain({ steps, rules: [], isForced: false }, start, { ...TOOLS, ...tools }, signal)).run;
}

/** Runs steps over five messages of 100 tokens; a step `!a` fails, one `=a` writes the view anew at its size. */
async function ran(
  own: readonly string[],
  limitTokens: number,
  fallback: readonly string[] = [],
  held: readonly string[] = [],
) {
  const idOf = (step: string) => step.replace(/^[!=]/, "");
  const spec = (step: string) => ({ kind: "take", first: idOf(step), last: idOf(step) });
  const policy = {
    ...SVEN_POLICY,
    strategies: own.map(spec),
    fallback: { ...SVEN_POLICY.fallback, strategies: fallback.map(spec) },
  };
  const marked = (mark: string) => new Set([...own, ...fallback].filter((step) => step.startsWith(mark)).map(idOf));
  const [failing, rewriting] = [marked("!"), marked("=")];
  const tools: ChainTools = {
    ...TOOLS,
    goal: { ...TOOLS.goal, limitTokens },
    carryOut: async ({ messages: before, edits: [edit], kept }) => {
      const gone = edit?.kind === "replace-spans" ? (edit.spans[0]?.from ?? "") : "";
      if (before.some((message) => message.id === gone && kept.has(message))) return { applied: [], messages: before };
      return failing.has(gone)
        ? Promise.reject(new Error("broken"))
        : { applied: [dropped(gone, gone)], messages: before.filter(({ id }) => id !== gone || rewriting.has(id)) };
    },
  };
  const model = { contextWindowTokens: 1000, maxOutputTokens: null };
  const chained = chainOf(
    { policy, breaker: CLOSED, setup: { kinds: withKinds({ strategies: [TAKE] }) } },
    { reason: "threshold", input: { gate: "before-step", pending: [], model, nowMs: null } },
  );
  const { run } = await runChain(chained, { ...start, held: held.map(heldBy) }, tools, new AbortController().signal);
  return run.steps;
}

async function steps(...given: Parameters<typeof ran>): Promise<readonly string[]> {
  return (await ran(...given)).map(({ strategy, outcome }) => `${strategy} ${outcome}`);
}

describe("runChain", () => {
  test.each<[string, Parameters<typeof ran>, readonly string[]]>([
    ["a strategy of anyone's runs as the built-in ones do", [["a"], 500], ["take a applied"]],
    ["a step that fails leaves the view, and the next one runs", [["!a", "b"], 500], ["take a failed", "take b applied"]],
    ["a strategy that throws has failed, and the next one runs", [["?", "b"], 500], ["take ? failed", "take b applied"]],
    ["a step that shrinks nothing is no progress: the next runs", [["=a", "b"], 500], ["take a no-progress", "take b applied"]],
    ["a step that makes it fit is the policy's last", [["a", "b"], 500], ["take a applied"]],
    ["a step that has nothing to do is passed over", [["z", "b"], 500], ["take z not-applicable", "take b applied"]],
    ["the policy's own run while it does not fit", [["a", "b", "c"], 300, ["d"]], ["take a applied", "take b applied"]],
    ["the fallback runs while the context does not fit", [["a"], 300, ["b", "c"]], ["take a applied", "take b applied"]],
    ["the fallback's first step runs if nothing worked, also if it fits", [[], 500, ["a", "b"]], ["take a applied"]],
    ["and none after it", [[], 500, ["!a", "b"]], ["take a failed"]],
    ["the policy's own steps release nothing", [["a"], 400, [], ["a"]], ["take a not-applicable"]],
    [
      "a step of the fallback runs again after each release, of the last rule first",
      [[], 400, ["a", "c"], ["a", "b"]],
      ["take a not-applicable", "keep b released", "take a not-applicable", "keep a released", "take a applied"],
    ],
    ["what fits is not released", [[], 400, ["b", "c"], ["a"]], ["take b applied"]],
    ["nor what fits although nothing could be taken", [[], 500, ["a"], ["a"]], ["take a not-applicable"]],
  ])("%s", async (_, given, expected) => {
    expect(await steps(...given)).toEqual(expected);
  });

  test.each<[string, Parameters<typeof ran>, readonly (string | null)[]]>([
    ["a step that worked: nothing more", [["a"], 500], [null]],
    ["one without progress: its sizes", [["=a"], 500, ["b"]], ["500 → 500 tokens", null]],
    ["one that failed: why", [["!a"], 500, ["b"]], ["broken", null]],
    ["one with nothing to do: why", [["z"], 500, ["b"]], ["it is gone", null]],
    [
      "a rule released: what it held",
      [[], 400, ["a"], ["a"]],
      ["the keep rules protect all that it would remove", "1 messages, 100 tokens", null],
    ],
  ])("the record says of %s", async (_, given, details) => {
    expect((await ran(...given)).map(({ detail }) => detail)).toEqual(details);
  });
});

test("others run between two steps, and an abort meanwhile ends the chain there", async () => {
  const controller = new AbortController();
  const planned: string[] = [];
  const step = (name: string, meanwhile: () => void): ChainStep => ({
    strategy: {
      name,
      needsModel: false,
      plan: () => {
        planned.push(name);
        setImmediate(meanwhile);
        return { kind: "not-applicable", reason: "nothing to do" };
      },
    },
    from: "policy",
  });
  const told: string[] = [];
  const steps = [
    step("first", () => told.push(...planned)),
    step("second", () => controller.abort(new Error("enough"))),
    step("third", () => told.push("late")),
  ];
  await expect(runSteps(steps, {}, controller.signal)).rejects.toThrow("enough");
  expect([planned, told]).toEqual([["first", "second"], ["first"]]);
});

function answerOf([first, ...rest]: readonly Edit[]): StrategyAnswer {
  return first === undefined ? { kind: "not-applicable", reason: "no edit" } : { kind: "edits", edits: [first, ...rest] };
}

test.each([
  ["newest first", 100, ["b 10", "c 10", "d 100", "u 100"], ["b", "c", "replace-spans"]],
  ["past one that is too large", 200, ["b 10", "c 100", "d 10", "u 100"], ["b", "d", "replace-spans"]],
])("what the fallback cut comes back where its later steps made room, %s", async (_, newestTokens, view, applied) => {
  const stub = (message: Message): Message => reply(message.id, "stub");
  const sizeOf = ({ id, parts: [part] }: Message) =>
    part?.type === "text" && part.text === "stub" ? 10 : id === "d" ? newestTokens : 100;
  const tokensOf = (some: readonly Message[]) => some.reduce((sum, message) => sum + sizeOf(message), 0);
  const cut = (messageId: string) =>
    ({ kind: "replace-part", messageId, partIndex: 0, text: "stub", handle: messageId }) as const;
  const span = { from: "a", through: "a", promptId: null };
  const step = (name: string, edits: readonly Edit[]): ChainStep => ({
    strategy: { name, needsModel: false, plan: () => answerOf(edits) },
    from: "fallback",
  });
  const carryOut: ChainTools["carryOut"] = async ({ messages: before, edits }) => {
    const ids = edits.flatMap((edit) => (edit.kind === "replace-part" ? [edit.messageId] : []));
    if (ids.length === 0) return { applied: [dropped("a", "a")], messages: before.filter(({ id }) => id !== "a") };
    return {
      applied: ids.map((id) => ({ ...cut(id), part: { type: "text", text: "stub" }, removedChars: 96 }) as const),
      messages: before.map((message) => (ids.includes(message.id) ? stub(message) : message)),
    };
  };
  const steps = [
    step("cutter", [cut("b"), cut("c"), cut("d")]),
    step("dropper", [{ kind: "replace-spans", spans: [span], by: "nothing" }]),
  ];
  const goal = { ...TOOLS.goal, limitTokens: 225 };
  const run = await runSteps(steps, {
    goal,
    isProgress: () => true,
    sizing: { ...input, messageTokens: sizeOf },
    tokensOf,
    carryOut,
  });
  expect(run.messages.map((message) => `${message.id} ${sizeOf(message)}`)).toEqual(view);
  expect(run.applied.map((edit) => (edit.kind === "replace-part" ? edit.messageId : edit.kind))).toEqual(applied);
  expect(run.tokens).toBe(220);
  expect(run.steps.at(-1)).toEqual({ strategy: "cutter", outcome: "released", detail: "1 messages restored" });
});

describe("of a chain that misses its goal the view is sent", () => {
  const view = (from: ChainView["from"], tokens: number): ChainView => {
    const steps = [{ strategy: `to ${tokens}`, outcome: "applied", detail: null }] as const;
    return { from, run: { ...start, messages: [], tokens, steps } };
  };
  const kept = [view("policy", 400), view("policy", 300)];
  const left = [view("fallback", 200), view("fallback", 100)];
  test.each<[string, readonly ChainView[], number | null, number]>([
    ["that the policy's own strategies kept", [...kept, ...left], null, 300],
    ["that came first, if they did nothing", left, null, 200],
    ["after a refusal the first that is small enough to follow it", [...kept, ...left], 350, 300],
    ["after another one a smaller one", [...kept, ...left], 200, 200],
    ["and at last the smallest", [...kept, ...left], 0, 100],
  ])("%s", (_, views, retryTokens, tokens) => {
    const run = views.at(-1)?.run;
    expect(run && bestOf({ run, views }, { retryTokens }).tokens).toBe(tokens);
  });

  test("and its record says that later steps are not in it", () => {
    const [first, last] = [view("policy", 400).run, view("fallback", 100).run];
    const run = { ...last, steps: [...first.steps, ...last.steps] };
    const views = [{ from: "policy", run: first } as const, { from: "fallback", run } as const];
    const { steps } = bestOf({ run, views }, { retryTokens: null });
    expect(steps.map(({ strategy, outcome }) => `${strategy} ${outcome}`)).toEqual(["to 400 applied", "to 100 no-progress"]);
  });
});
