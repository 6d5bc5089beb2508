import { describe, expect, test } from "vitest";
import { z } from "zod";
import { amountSchema } from "../budget.ts";
import type { KindSpec } from "../kind.ts";
import { planItems } from "../memory/facts.ts";
import { FILES_IN_HAND } from "../memory/files-in-hand.ts";
import { PLAN, planIn } from "../memory/plan.ts";
import { RECALL } from "../memory/recall.ts";
import type { Message, ToolCallPart } from "../message/message.ts";
import { messageChars } from "../message/size.ts";

import { BUILT_IN_KINDS, withKinds } from "../policy/kinds.ts";
import { policySchema } from "../policy/policy.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { definePolicy } from "../policy/written-policy.ts";
import { assistant, human, reply, result } from "../testing/builders.ts";
import { keepRulesOf } from "./built-in-keep-rules.ts";
import { HUMAN } from "./human.ts";
import { defineKeepRule, type KeepRuleKind } from "./keep-rule.ts";
import { keptMessages } from "./kept-messages.ts";
import { PINNED } from "./pinned.ts";
import { RECENT } from "./recent.ts";

const atMost = { tokens: 1000 };

/** Runs a rule over a view, and returns its choice by index of the ranges' first messages, the worthiest first. */
function chosen(kind: KeepRuleKind, messages: readonly Message[], more: object = {}): readonly number[] {
  const spec: KindSpec & { readonly atMost: object } = { kind: kind.kind, atMost, ...more };
  const rule = kind.bind(spec);
  const view = { messages, budget: { windowTokens: 10_000, inputBudgetTokens: 10_000 }, messageTokens: messageChars };
  return rule.keeps === "messages" ? [...rule.choose(view)].map(({ from }) => from) : [];
}

describe("every rule", () => {
  test.each<[KeepRuleKind, object, string]>([
    [RECENT, { messages: 3 }, "newest"],
    [RECENT, { amount: { ratio: 0.2, of: "window" } }, "newest"],
    [HUMAN, { atMost }, "messages"],
    [PLAN, { atMost }, "messages"],
    [FILES_IN_HAND, { atMost }, "messages"],
    [PINNED, { atMost, messageIds: ["m"] }, "messages"],
    [RECALL, { atMost }, "units"],
  ])("$kind takes its settings, and says what it keeps: %#", (kind, settings, keeps) => {
    const spec: KindSpec = { kind: kind.kind, ...settings };
    expect(kind.bind(spec).keeps).toBe(keeps);
  });

  test.each<[KeepRuleKind, object]>([
    [RECENT, {}],
    [RECENT, { messages: -1 }],
    [RECENT, { messages: 2, amount: atMost }],
    [HUMAN, {}],
    [HUMAN, { atMost, unknown: true }],
    [PINNED, { atMost }],
    [RECALL, { atMost: { tokens: "many" } }],
  ])("$kind refuses settings that are none: %#", (kind, settings) => {
    const spec: KindSpec = { kind: kind.kind, ...settings };
    expect(() => kind.bind(spec)).toThrow();
  });
});

test("the rules of a policy come in its order, and one that is not there is named with those that are", () => {
  const specs: readonly (KindSpec & { readonly atMost: object })[] = [
    { kind: "plan", atMost },
    { kind: "human", atMost },
  ];
  expect(keepRulesOf(specs).map(({ kind }) => kind)).toEqual(["plan", "human"]);
  expect(() => keepRulesOf([{ kind: "everything" }])).toThrow(
    'unknown keep rule kind "everything": known: recent, human, plan, files-in-hand, recall, pinned',
  );
});

test.each([
  ["is read if its kind is there", [HUMAN, PLAN], true],
  ["is refused if it is not", [PLAN], false],
])("a rule of a policy %s", (_, keepRules, isRead) => {
  const { overflow } = PLIMSOLL_POLICY;
  const keep = [{ kind: "human", atMost }];
  const policy = { ...PLIMSOLL_POLICY, keep, manualKeep: null, overflow: { ...overflow, keep } };
  expect(policySchema({ ...BUILT_IN_KINDS, keepRules }).safeParse(policy).success).toBe(isRead);
});

test("recent: so many messages, or the newest that reach an amount", () => {
  const bound = (settings: object) => {
    const spec: KindSpec = { kind: "recent", ...settings };
    return RECENT.bind(spec);
  };
  expect(bound({ messages: 3 })).toMatchObject({ keeps: "newest", amount: { messages: 3 } });
  expect(bound({ amount: { tokens: 500 } })).toMatchObject({ keeps: "newest", amount: { tokens: 500 } });
});

test("human: the person's messages and nobody else's: the newest, the first, then from the newest back", () => {
  const injected = { ...human("i", "reminder"), origin: "injected" } as const;
  const said = [human("u", "one"), reply("a", "two"), injected, human("v", "three"), human("w", "four"), human("x", "five")];
  expect(chosen(HUMAN, said)).toEqual([5, 0, 4, 3]);
  expect(chosen(HUMAN, said.slice(0, 2))).toEqual([0]);
  const spec: KindSpec & { readonly atMost: object } = { kind: "human", atMost };
  expect(HUMAN.bind(spec)).toMatchObject({ beyondAmount: 2 });
});

test("pinned: in the order of the ids, those that are there", () => {
  const messages = [human("u", "one"), reply("a", "two"), human("v", "three")];
  expect(chosen(PINNED, messages, { messageIds: ["v", "gone", "u"] })).toEqual([2, 0]);
});

const call = (argumentsJson: string, paths: ToolCallPart["paths"] = []) =>
  assistant(`a-${argumentsJson}`, [{ type: "tool-call", callId: "c", toolName: "any", argumentsJson, paths }]);

const list = (...items: readonly object[]) => call(JSON.stringify({ note: "so far", items }));

const task = (subject: string) => call(JSON.stringify({ subject, description: `${subject} all of it` }));
const update = (id: number, status = "completed") => call(JSON.stringify({ taskId: `${id}`, status }));

describe("plan", () => {
  const item = { content: "Write the parser", status: "pending" };
  test.each<[string, readonly Message[], readonly number[]]>([
    ["the call that writes a list of texts with statuses", [human("u", "go"), list(item)], [1]],
    ["the newest of them", [list(item), list(item), reply("a", "done")], [1]],
    ["whatever the text's key is", [list({ step: "Write it", status: "done", order: 1 })], [0]],
    ["not a list of which an item has no status", [list(item, { content: "Write it" })], []],
    ["not a list of statuses alone", [list({ status: "pending" })], []],
    ["not a list of empty texts", [list({ content: " ", status: "pending" })], []],
    ["not an empty list", [list()], []],
    ["not a status that is no text", [list({ content: "x", status: 404 })], []],
    ["not arguments that were cut off", [call('{"items":[{"content":"x","status":"pe')], []],
    ["not arguments that are no object", [call('[{"content":"x","status":"pending"}]')], []],
    ["a plan that is one text", [call(JSON.stringify({ plan: "# Mend it\n1. Read\nthen\n- Write" }))], [0]],
    ["not an empty text", [call('{"plan":" "}')], []],
    [
      "all calls that make the tasks or change them, those first that say what a task is",
      [
        list(item),
        task("Read"),
        reply("a", "ok"),
        update(1),
        task("Write"),
        call('{"taskId":"2","subject":"Scan"}'),
        update(2),
      ],
      [5, 4, 1, 0, 6, 3],
    ],
    ["of a whole list and tasks before it the list", [task("Read"), list(item)], [1]],
    ["not a mail that has a subject", [call('{"subject":"Read","to":"me"}')], []],
    ["not a question about a task", [call('{"taskId":"1"}')], []],
    ["not what a person writes", [human("u", JSON.stringify({ items: [item] }))], []],
  ])("%s", (_, messages, indexes) => {
    expect(chosen(PLAN, messages)).toEqual(indexes);
  });

  test.each<[string, readonly object[], readonly string[]]>([
    ["an item's text is in its name", [{ id: "a long name of the item", step: "Write it", status: "done" }], ["Write it"]],
    ["of other names the longest text", [{ id: "1", todo: "Write it", status: "done" }], ["Write it"]],
    ["every item's, done or open", [item, { ...item, status: "done", content: "Read" }], ["Write the parser", "Read"]],
  ])("%s", (_, items, texts) => {
    expect(planItems(JSON.stringify({ items }))?.map(({ text }) => text)).toEqual(texts);
  });

  test("that is written task by task is read as it stands", () => {
    const calls = [task("Read"), task("Write"), update(1), task("Test"), update(3, "deleted"), update(9)];
    expect(planIn(calls)?.items.map(({ text, status }) => `${text}: ${status}`)).toEqual([
      "Read: completed",
      "Write: pending",
      "Test: deleted",
    ]);
    const text = call(JSON.stringify({ plan: "# Mend it\n1. Read\nthen\n- Write\n" }));
    expect(planIn([...calls, text])?.items.map((each) => each.text)).toEqual(["Mend it", "Read", "Write"]);
  });
});

describe("files in hand", () => {
  const reads = (path: string) => call(path, [{ path, access: "read" }]);
  const changes = (path: string) => call(path, [{ path, access: "modify" }]);
  test.each<[string, readonly Message[], readonly number[]]>([
    ["the newest reading of a file that is only read", [reads("a.ts"), reads("b.ts"), reads("a.ts")], [2, 1]],
    ["the newest change, and the newest reading before it", [reads("a.ts"), reads("a.ts"), changes("a.ts")], [2, 1]],
    ["of a file read after its change the reading alone", [reads("a.ts"), changes("a.ts"), reads("a.ts")], [2]],
    ["the file touched last first", [reads("a.ts"), changes("b.ts"), changes("a.ts"), reads("b.ts")], [3, 2, 0]],
    ["all changes since the newest reading", [reads("a.ts"), changes("a.ts"), changes("a.ts")], [2, 0, 1]],
    ["no file that was not touched for long", [changes("a.ts"), human("u", "x".repeat(40_000))], []],
    ["a file written without reading", [changes("a.ts"), result("r", "c", "ok")], [0]],
    [
      "a call of several files for each of them",
      [
        call("x", [
          { path: "a.ts", access: "modify" },
          { path: "b.ts", access: "modify" },
        ]),
      ],
      [0, 0],
    ],
    ["nothing", [human("u", "go")], []],
  ])("%s", (_, messages, indexes) => {
    expect(chosen(FILES_IN_HAND, messages)).toEqual(indexes);
  });
});

describe("a rule of one's own", () => {
  const SPEC = { kind: "own", atMost };
  const schema = z.strictObject({ kind: z.string(), atMost: amountSchema });
  const own = (made: object, settings: z.ZodType<KindSpec> = schema) =>
    defineKeepRule({ kind: "own", schema: settings, rule: () => made as never });
  const whole = { keeps: "messages", atMost, choose: () => [] };
  const VIEW = {
    ...{ messages: [reply("a", "hi"), human("h", "hi")], messageTokens: () => 1, limitTokens: 100 },
    budget: { windowTokens: 10_000, inputBudgetTokens: 10_000 },
  };
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);

  test.each<[string, object, string]>([
    ["another word for the kept part", { ...whole, keeps: "message" }, 'the keep rule "own": keeps'],
    ["no choice", { keeps: "messages", atMost }, 'missing key "choose"'],
    ["nothing made", null as never, "expected object"],
    ["a misspelt key", { ...whole, beyondAmounts: 3 }, "did you mean beyondAmount?"],
    ["no amount", { ...whole, atMost: undefined }, "atMost"],
    ["an amount in words", { ...whole, atMost: "20%" }, "atMost"],
    ["a negative count", { ...whole, beyondAmount: -3 }, 'rule "own": beyondAmount: expected a number from 0 on, received -3'],
  ])("is refused with %s", (_, made, message) => {
    expect(() => own(made).bind(SPEC)).toThrow(
      expect.objectContaining({ code: "bad-policy", message: expect.stringContaining(message) }),
    );
    expect(own(whole).bind(SPEC)).toEqual({ kind: "own", ...whole });
  });

  const throwing = () => {
    throw "no disk";
  };
  test.each<[string, () => never, string]>([
    ["throws", throwing, 'the keep rule "own": no disk'],
    ["rejects", async () => throwing(), 'the keep rule "own": rule must not be async: it answered with a promise'],
  ] as never)("that %s is refused with the policy, by name", (_, rule, message) => {
    const kinds = withKinds({ keepRules: [defineKeepRule({ kind: "own", schema, rule })] });
    expect(() => definePolicy({ keep: [SPEC] }, kinds)).toThrow(
      expect.objectContaining({ code: "bad-policy", message: expect.stringContaining(message) }),
    );
  });

  test("is refused with a schema that has no kind", () => {
    const without = z.strictObject({ atMost: amountSchema }) as never;
    expect(() => own(whole, without)).toThrow('the schema of the keep rule "own" has no kind: add kind: z.literal("own")');
  });

  test.each(["my rule", "my.rule", "10", "", "max"])("is refused with the name %j, which keep.NAME can't have", (kind) => {
    const named = () => defineKeepRule({ kind, schema: z.strictObject({ kind: z.literal(kind) }), rule: () => whole as never });
    expect(named).toThrow("give a name of letters, digits, _ and -, other than messages, tokens");
  });

  test.each<[string, () => unknown, string]>([
    [
      "no end",
      function* () {
        for (;;) yield { from: 0, through: 0 };
      },
      "choose repeated ranges 100000 times",
    ],
    ["numbers", () => [1], "choose returned 1, not { from, through } with 0 <= from <= through < 2"],
    ["places that are not there", () => [{ from: 0, through: 9 }], "choose returned { from: 0, through: 9 }, not"],
    ["a number that is none", () => [{ from: Number.NaN, through: 1n }], "choose returned { from: NaN, through: 1n }, not"],
    ["itself", () => [cyclic], "choose returned an object, not"],
    ["a rejected promise", async () => Promise.reject(new Error("boom")), "choose must not be async"],
    ["rejected promises", () => [1, 2].map(() => Promise.reject(new Error("boom"))), "choose must not be async"],
    ["nothing", () => undefined, "choose returned undefined, not a list of { from, through }"],
  ])("fails in words if it answers with %s", (_, choose, message) => {
    const rule = own({ ...whole, choose }).bind(SPEC);
    expect(keptMessages([rule], VIEW)).toMatchObject([
      { messages: [], failure: { message: expect.stringContaining(message) } },
    ]);
  });
  test("counts a message once, however often it is named", () => {
    const choose = () => Array.from({ length: 1000 }, (_, at) => ({ from: 0, through: at % 2 }));
    const [kept] = keptMessages([own({ ...whole, choose }).bind(SPEC)], VIEW);
    expect(kept).toMatchObject({ failure: null, chosen: [[{ id: "a" }], [{ id: "h" }]], beyond: [] });
  });
});
