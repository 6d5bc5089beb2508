import { expect, test } from "vitest";
import { z } from "zod";
import { recordOf, SMALL_POLICY, smallSession, stepsOf, turns } from "../../testing/small-session.ts";
import { amountSchema } from "../budget.ts";
import { defineKeepRule } from "../keep/keep-rule.ts";
import { type Message, textOf } from "../message/message.ts";
import { withKinds } from "../policy/kinds.ts";
import { defineStrategy } from "../strategy/strategy.ts";
import { defineMeasure } from "../tokens/estimator.ts";
import type { SessionOptions } from "./session.ts";

type Change = (messages: readonly Message[]) => unknown;
const { reverse, sort, pop, push, splice } = Array.prototype;

const CHANGES: readonly (readonly [string, Change])[] = [
  ["reverses the list", (messages) => reverse.call(messages)],
  ["sorts the list", (messages) => sort.call(messages, (a, b) => b.parts.length - a.parts.length)],
  ["takes the newest", (messages) => pop.call(messages)],
  ["puts one twice", (messages) => push.call(messages, messages[0])],
  ["empties the list", (messages) => splice.call(messages, 0, 9)],
  ["changes a text", ([message]) => Object.assign(message?.parts[0] ?? {}, { text: "HACKED" })],
  ["takes a part", ([message]) => pop.call(message?.parts)],
  ["changes an id", ([message]) => Object.assign(message ?? {}, { id: "x" })],
];

const throwing: Change = () => {
  throw new TypeError("not today");
};

const kind = z.literal("own");
const RULE = [{ kind: "own", atMost: { tokens: 600 } }];

/** The parts of somebody's own that are given messages, with the name of their step. */
const PARTS: Readonly<Record<string, (change: Change) => Partial<SessionOptions>>> = {
  "keep own": (change) => {
    const rule = defineKeepRule({
      kind: "own",
      schema: z.strictObject({ kind, atMost: amountSchema }),
      rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: ({ messages }) => [change(messages)].slice(1) as never }),
    });
    const policy = { ...SMALL_POLICY, keep: [...RULE, ...SMALL_POLICY.keep] };
    return { kinds: withKinds({ keepRules: [rule] }), policy };
  },
  own: (change) => {
    const strategy = defineStrategy({
      kind: "own",
      schema: z.strictObject({ kind }),
      needsModel: () => false,
      plan: (_, { messages }) => ({ kind: "not-applicable", reason: String(change(messages)) }),
    });
    const policy = { ...SMALL_POLICY, strategies: [{ kind: "own" }, ...SMALL_POLICY.strategies] };
    return { kinds: withKinds({ strategies: [strategy] }), policy };
  },
  summarize: (change) => ({
    summarizer: async ({ parts: [part], view = [] }) => {
      change(part?.messages ?? []);
      change(view);
      throw new Error("nothing was changed");
    },
  }),
  "before-compaction": (change) => ({
    beforeCompaction: async ({ messages }) => {
      change(messages);
      return { kind: "go" };
    },
  }),
};

const fitted = async (options: Partial<SessionOptions>) => {
  const { fit, manager } = smallSession(turns(8), options);
  const outcome = await fit();
  const texts = manager.context().messages.map(textOf);
  return { texts, steps: stepsOf(outcome), details: recordOf(outcome)?.steps };
};

const rows = Object.keys(PARTS).flatMap((part) => CHANGES.map(([says, change]) => [part, says, change] as const));

test.each(rows)("%s that %s changes nothing, and is named as one that throws", async (part, _, change) => {
  const [changing, failing] = [await fitted(PARTS[part]?.(change) ?? {}), await fitted(PARTS[part]?.(throwing) ?? {})];
  expect(failing.steps).toContain(`${part} failed`);
  expect(changing.steps).toEqual(failing.steps);
  expect(changing.texts).toEqual(failing.texts);
  expect(changing.details?.find(({ outcome }) => outcome === "failed")?.detail).toMatch(/read only|delete|not extensible/);
});

test("an estimator that changes a message changes nothing", async () => {
  const measure = { name: "own", textTokens: () => 1, toolsTokens: () => 1 };
  const own = defineMeasure({
    kind: "own",
    schema: z.strictObject({ kind }),
    measure: () => ({
      ...measure,
      messageTokens: (message) => Object.keys(Object.assign(message.parts[0] ?? {}, { text: "HACKED" })).length,
    }),
  });
  const policy = { ...SMALL_POLICY, estimator: { kind: "own" } };
  const { manager } = smallSession([], { policy, kinds: withKinds({ estimators: [own] }) });
  const [message] = turns(1);
  const said = message === undefined ? "" : textOf(message);
  expect(() => manager.append({ type: "message", message: message as never })).toThrow("read only");
  expect(message === undefined ? "" : textOf(message)).toBe(said);
});

test("a prompt and a truncation that change their input change nothing", () => {
  const cut = ({ text }: { readonly text: string }) => [{ start: 0, end: text.length }];
  const prompt = { id: "own", version: 1, instructions: (sections: readonly string[]) => String(push.call(sections, "more")) };
  const { prompts } = withKinds({ prompts: [prompt], truncations: [{ category: "own", cut }] });
  const sections = ["Goal"];
  expect(prompts.at(-1)?.instructions(sections)).toBe("2");
  expect(sections).toEqual(["Goal"]);
});
