import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { recordOf, SMALL_POLICY, smallSession, stepsOf, turns, words } from "../../testing/small-session.ts";
import type { KeepRuleSpec } from "../keep/built-in-keep-rules.ts";
import { defineKeepRule, type KeepChoice } from "../keep/keep-rule.ts";
import { type Message, textOf } from "../message/message.ts";
import { withKinds } from "../policy/kinds.ts";
import type { Policy } from "../policy/policy.ts";
import { assistant, callPart, human, reply, result } from "../testing/builders.ts";

/** Keeps the newest message and those of the rules. */
const keeping = (rules: readonly KeepRuleSpec[], more: Partial<Policy> = {}): Policy => {
  return { ...SMALL_POLICY, keep: [{ kind: "recent", messages: 1 }, ...rules], ...more };
};

const session = (messages: readonly Message[], rules: readonly KeepRuleSpec[], more: Partial<Policy> = {}) =>
  smallSession(messages, { policy: keeping(rules, more) });

/** The ids of the view, with `+` for each message that the engine wrote. */
const shown = (ids: readonly string[], messages: readonly Message[]) =>
  ids.map((id) => (messages.some((message) => message.id === id) ? id : "+"));

const planning = assistant("p", [
  { type: "text", text: words(400) },
  callPart("cp", "any", { argumentsJson: JSON.stringify({ todos: [{ content: "Write it", status: "pending" }] }) }),
  callPart("cq", "any"),
]);

describe("what rules keep", () => {
  const talk = turns(8);
  const planned = [human("u", words(500)), planning, result("rp", "cp", "ok"), result("rq", "cq", words(300)), ...turns(8)];

  test.each<[string, readonly Message[], readonly KeepRuleSpec[], string]>([
    ["without rules the newest alone", talk, [], "+ u7 a7"],
    ["stays in its place", talk, [{ kind: "pinned", messageIds: ["a2"], atMost: { tokens: 600 } }], "+ a2 u7 a7"],
    [
      "and the summary where the first span began",
      talk,
      [{ kind: "pinned", messageIds: ["u0", "a2"], atMost: { tokens: 1200 } }],
      "u0 + a2 u7 a7",
    ],
    ["the person's, as many as fit", talk, [{ kind: "human", atMost: { tokens: 1400 } }], "u0 + u6 u7 a7"],
    ["the plan with its whole batch", planned, [{ kind: "plan", atMost: { tokens: 1000 } }], "+ p rp rq u7 a7"],
    ["not a plan that is too long", planned, [{ kind: "plan", atMost: { tokens: 500 } }], "+ u7 a7"],
    [
      "half of the room at most, the worthier rule first",
      turns(12),
      [
        { kind: "pinned", messageIds: ["a0"], atMost: { tokens: 600 } },
        { kind: "human", atMost: { tokens: 5000 } },
      ],
      "u0 a0 + u3 u4 u5 u6 u7 u8 u9 u10 u11 a11",
    ],
    [
      "for a rule that states more than half two thirds",
      turns(15),
      [{ kind: "human", atMost: { tokens: 10_000 } }],
      "u0 + u2 u3 u4 u5 u6 u7 u8 u9 u10 u11 u12 u13 u14 a14",
    ],
  ])("%s", async (_, messages, rules, ids) => {
    const { fit, ids: idsNow } = session(messages, rules);
    const outcome = await fit();
    expect(stepsOf(outcome)[0]).toBe("summarize applied");
    expect(shown(idsNow(), messages).join(" ")).toBe(ids);
  });

  test("is no part of what the summary is written from", async () => {
    const { fit, asked } = session(talk, [{ kind: "pinned", messageIds: ["a2", "u5"], atMost: { tokens: 2000 } }]);
    await fit();
    const spans = asked[0]?.parts.map(({ messages }) => messages.map(({ id }) => id).join(" "));
    expect(spans).toEqual(["u0 a0 u1 a1 u2", "u3 a3 u4 a4", "a5 u6 a6"]);
  });

  test("stays through the next compactions, too, until newer ones take its amount", async () => {
    const { fit, ids, append } = session(talk, [{ kind: "human", atMost: { tokens: 1400 } }]);
    await fit();
    const more = turns(7, 8);
    append(...more);
    await fit();
    expect(shown(ids(), [...talk, ...more])).toEqual(["u0", "+", "u13", "u14", "a14"]);
  });

  test("binds strategies that replace parts, too", async () => {
    const steps = Array.from({ length: 4 }, (_, index) => [
      assistant(`s${index}`, [callPart(`c${index}`, "any")]),
      result(`r${index}`, `c${index}`, words(2000)),
    ]).flat();
    const messages = [human("u", "go"), ...steps, reply("end", "done")];
    const clears = { strategies: [{ kind: "clear-tool-results", keepResults: 1, clearAtLeastTokens: 0 }] } as const;
    const { fit, manager } = session(messages, [{ kind: "pinned", messageIds: ["r1"], atMost: { tokens: 3000 } }], clears);
    expect(stepsOf(await fit())).toEqual(["clear-tool-results applied"]);
    const whole = manager.context().messages.filter((message) => textOf(message).length >= 8000);
    expect(whole.map(({ id }) => id)).toEqual(["r1", "r3"]);
  });

  test("a strategy of which nothing is left has nothing to do", async () => {
    const everything: KeepRuleSpec = { kind: "human", atMost: { tokens: 9000 } };
    const people = Array.from({ length: 9 }, (_, index) => human(`u${index}`, words(100)));
    const { fit } = session(people, [everything], { trigger: { atLeast: { tokens: 500 } } });
    const outcome = await fit();
    expect(outcome).toMatchObject({ kind: "failed" });
    expect(stepsOf(outcome).slice(0, 1)).toEqual(["summarize not-applicable"]);
  });
});

describe("a rule of somebody's own", () => {
  const own = (kind: string, rule: KeepChoice) =>
    defineKeepRule({ kind, schema: z.strictObject({ kind: z.literal(kind) }), rule: () => rule });
  const atMost = { tokens: 2000 };
  const SECOND = own("every-second", {
    keeps: "messages",
    atMost,
    choose: ({ messages }) => messages.flatMap((_, index) => (index % 2 === 1 ? [{ from: index, through: index }] : [])),
  });
  const thrown = new Error("not today");
  const choose = () => {
    throw thrown;
  };
  const FAILING = own("failing", { keeps: "messages", atMost, choose });
  const UNREADABLE = own("unreadable", { keeps: "units", atMost, worth: choose });
  const kinds = withKinds({ keepRules: [SECOND, FAILING, UNREADABLE] });

  test("is obeyed", async () => {
    const { fit, ids, events } = smallSession(turns(8), { policy: keeping([{ kind: "every-second" }]), kinds });
    await fit();
    expect(shown(ids(), turns(8))).toEqual(["+", "a0", "a1", "a2", "a3", "u7", "a7"]);
    expect(events.at(-1)).toMatchObject({ unkept: ["keep every-second: 5 of 8 kept, 3 beyond its amount"] });
  });

  test.each<[string, readonly number[], number, string]>([
    ["kept all that it chose", [3, 7], 0, "2 of 2 kept"],
    ["chose once, too much", [0], 15, "0 of 1 kept, 1 beyond its amount"],
    ["chose nothing", [], 0, "chose nothing"],
  ])("says that it %s", async (_, places, more, said) => {
    const choose = () => places.map((at) => ({ from: at, through: at + more }));
    const some = own("some", { keeps: "messages", atMost, choose });
    const { fit, events } = smallSession(turns(8), {
      policy: keeping([{ kind: "some" }]),
      kinds: withKinds({ keepRules: [some] }),
    });
    await fit();
    expect(events.at(-1)).toMatchObject({ strategies: ["summarize"], unkept: [`keep some: ${said}`] });
  });

  test("that fails keeps nothing, and the record says so", async () => {
    const { fit, ids, events } = smallSession(turns(8), { policy: keeping([{ kind: "failing" }]), kinds });
    const outcome = await fit();
    expect(events.at(-1)).toMatchObject({ type: "compaction-end", unkept: ["keep failing failed: not today"] });
    expect(recordOf(outcome)?.steps[0]).toEqual({ strategy: "keep failing", outcome: "failed", detail: "not today" });
    expect(events.at(-1)).toMatchObject({ entry: { record: { steps: [{ cause: thrown }, {}] } } });
    expect(shown(ids(), turns(8))).toEqual(["+", "u7", "a7"]);
  });

  test("that fails to recall stops no strategy, and the record says so", async () => {
    const asked = human("port", "The port is 4711.\nThe host is alpha-beta.");
    const { fit } = smallSession([asked, ...turns(8)], { policy: keeping([{ kind: "unreadable" }]), kinds });
    expect(stepsOf(await fit())).toEqual(["summarize applied", "keep unreadable failed"]);
  });
});

describe("the person's messages beyond the amount", () => {
  const said = [human("first", words(2000)), ...turns(6)];

  test.each<[string, readonly Message[], number, readonly string[], string | undefined]>([
    ["the first stays, whatever its size", said, 1400, ["first", "+", "u5", "a5"], "2 of 7 kept, no room for 5"],
    ["the first and the newest stay", turns(8), 1400, ["u0", "+", "u6", "u7", "a7"], "3 of 8 kept, no room for 5"],
    ["nothing is said if none went", turns(8), 9000, ["u0", "+", "u1", "u2", "u3"], undefined],
  ])("%s", async (_, messages, tokens, ids, detail) => {
    const run = session(messages, [{ kind: "human", atMost: { tokens } }]);
    const outcome = await run.fit();
    expect(shown(run.ids(), messages).slice(0, ids.length)).toEqual(ids);
    expect(recordOf(outcome)?.steps.find(({ strategy }) => strategy === "keep human")?.detail).toBe(detail);
  });
});

describe("the fallback", () => {
  const rules: readonly KeepRuleSpec[] = [
    { kind: "pinned", messageIds: ["a1"], atMost: { tokens: 600 } },
    { kind: "human", atMost: { tokens: 2500 } },
  ];

  test("at the last recovery from an overflow all rules are released at once", async () => {
    const { fit, ids } = session(turns(8), rules, {
      overflow: { keep: [{ kind: "recent", messages: 6 }, ...rules], maxRecoveries: 2 },
    });
    const outcome = await fit({ gate: "on-overflow", recovery: 2 });
    expect(stepsOf(outcome).slice(0, 2)).toEqual(["keep human released", "keep pinned released"]);
    expect(shown(ids(), turns(8))).toEqual(["+", "u7"]);
  });
});

test("what is pinned stays as it is, or the record says that it was released", async () => {
  const came = { kept: 0, released: 0 };
  const sizes = fc.array(fc.integer({ min: 50, max: 900 }), { minLength: 12, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }), async (tokens, places) => {
      const messages = tokens.map((size, index) =>
        index % 3 === 0 ? human(`m${index}`, words(size)) : reply(`m${index}`, words(size)),
      );
      const messageIds = places.map((place) => `m${place % messages.length}`);
      const { fit, manager } = session(messages, [{ kind: "pinned", messageIds, atMost: { tokens: 4000 } }]);
      const record = recordOf(await fit());
      fc.pre(record !== null);
      const isReleased = record?.steps.some(({ outcome }) => outcome === "released") === true;
      const view = new Set(manager.context().messages);
      const isWhole = messages.filter(({ id }) => messageIds.includes(id)).every((message) => view.has(message));
      expect(isReleased || isWhole).toBe(true);
      came[isReleased ? "released" : "kept"] += 1;
    }),
    { seed: 20_261_122, numRuns: 60 },
  );
  expect(came.kept).toBeGreaterThan(20);
});
