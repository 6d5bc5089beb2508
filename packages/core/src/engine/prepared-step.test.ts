import { describe, expect, test } from "vitest";
import { strategyInput } from "../../testing/strategy-input.ts";
import type { Message } from "../message/message.ts";
import type { StrategyInput } from "../strategy/strategy.ts";
import { human, reply, result } from "../testing/builders.ts";
import { type Chain, type ChainStep, preparedStep, withPrepared } from "./chain.ts";
import type { PreparedSummary } from "./fit-input.ts";
import type { Goal } from "./goal.ts";

/** A step by name; `?` behind it asks a model. */
const step = (name: string, from: ChainStep["from"] = "policy"): ChainStep => ({
  strategy: { name, needsModel: name.endsWith("?"), plan: () => ({ kind: "not-applicable", reason: "it is a name" }) },
  from,
});
const chain = (isForced: boolean, ...steps: readonly ChainStep[]): Chain => ({ steps, rules: [], isForced });
const namesOf = ({ steps }: Chain) => steps.map(({ strategy }) => strategy.name);
const prepared = step("prepared");

describe("a prepared summary comes", () => {
  test.each<[string, Chain, readonly string[]]>([
    [
      "before the first step that would ask a model",
      chain(false, step("clear"), step("ask?"), step("again?"), step("digest", "fallback")),
      ["clear", "prepared", "ask?", "again?", "digest"],
    ],
    ["first if none would", chain(false, step("clear"), step("drop")), ["prepared", "clear", "drop"]],
    ["first if only the fallback would", chain(false, step("clear"), step("ask?", "fallback")), ["prepared", "clear", "ask?"]],
    ["not where nothing stays but what cannot be cut", chain(true, step("drop"), step("ask?")), ["drop", "ask?"]],
  ])("%s", (_, given, names) => {
    expect(namesOf(withPrepared(given, prepared))).toEqual(names);
  });

  test("not at all if there is none", () => {
    const given = chain(false, step("ask?"));
    expect(withPrepared(given, null)).toBe(given);
  });
});

const [first, second, third] = [reply("a", "one"), result("b", "c", "two"), reply("c", "three")] as const;
const covered: readonly Message[] = [first, second, third];
const newer = human("u", "x".repeat(100));
const view: readonly Message[] = [...covered, newer];
const edit: PreparedSummary["edit"] = {
  kind: "replace-spans",
  by: "summary",
  spans: [{ from: "a", through: "c", promptId: "structured" }],
  written: { text: "what happened", usage: null },
};

/** Runs the step with a prepared summary, the view when the engine acts, and the view that steps before it left. */
function answer({
  summary = {},
  acting = view,
  now = acting,
  goal = {},
}: {
  readonly summary?: Partial<PreparedSummary>;
  readonly acting?: readonly Message[];
  readonly now?: readonly Message[];
  readonly goal?: Partial<Goal>;
}) {
  const goals: Goal = { budgetTokens: 900, limitTokens: 500, lineTokens: 800, retryTokens: null, ...goal };
  const { strategy } = preparedStep({ edit, covered, ...summary }, { view: acting, goal: goals });
  const input: StrategyInput = strategyInput(now);
  return strategy.plan(input);
}

const changed = { kind: "not-applicable", reason: "the covered messages have changed since" };
const tooMuch = { kind: "not-applicable", reason: "too many messages have been added since" };
const taken = { kind: "edits", edits: [edit] };

describe("a prepared summary", () => {
  test.each<[string, Parameters<typeof answer>[0], object]>([
    ["is taken if what it covers is as it was", {}, taken],
    ["also if a step before it shortened a result", { now: [first, result("b", "c", "…"), third, newer] }, taken],
    ["not if a message of it was another one before", { acting: [first, result("b", "c", "…"), third, newer] }, changed],
    ["not if it is about more than it would take", { summary: { covered: [...covered, newer] } }, changed],
    ["not if a step before it took a message of it", { now: [first, third, newer] }, changed],
    ["not if a step before it put another one there", { now: [first, reply("n", "new"), third, newer] }, changed],
    ["not if its beginning is gone", { acting: [second, third, newer] }, changed],
    ["not if its end is gone", { now: [first, second, newer] }, changed],
    ["if as much is left as fits", { goal: { limitTokens: 100 } }, taken],
    ["not if more is left", { goal: { limitTokens: 99 } }, tooMuch],
    ["if less is left than the line", { goal: { lineTokens: 101 } }, taken],
    ["not if as much is left", { goal: { lineTokens: 100 } }, tooMuch],
  ])("%s", (_, given, expected) => {
    expect(answer(given)).toEqual(expected);
  });

  test("asks no model, and is a step of the policy's", () => {
    const goal: Goal = { budgetTokens: 9, limitTokens: 9, lineTokens: 9, retryTokens: null };
    expect(preparedStep({ edit, covered }, { view, goal })).toMatchObject({
      strategy: { name: "prepared", needsModel: false },
      from: "policy",
    });
  });
});
