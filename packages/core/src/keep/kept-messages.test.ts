import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openStepStart, safeCuts } from "../cut-point.ts";
import { isDeclared, isHuman, type Message } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import { arbitraryMessageSoup, arbitraryValidMessages } from "../testing/arbitrary-transcript.ts";
import { calling, human, reply, result } from "../testing/builders.ts";
import type { KeepRule, MessageRange } from "./keep-rule.ts";
import { keptMessages } from "./kept-messages.ts";

const view = (messages: readonly Message[], limitTokens = 10_000) => {
  return { messages, budget: { windowTokens: 10_000, inputBudgetTokens: 10_000 }, messageTokens: messageChars, limitTokens };
};

const at = (...indexes: readonly number[]): readonly MessageRange[] =>
  indexes.map((index) => ({ from: index, through: index }));

const wanting = (ranges: readonly MessageRange[], tokens = 1000, beyondAmount = 0): KeepRule => {
  return { kind: "wanted", beyondAmount, keeps: "messages", atMost: { tokens }, choose: () => ranges };
};

const kept = (messages: readonly Message[], rules: readonly KeepRule[], limitTokens = 10_000) =>
  keptMessages(rules, view(messages, limitTokens)).map((answer) => answer.messages.map((message) => messages.indexOf(message)));

/** Ten tokens each, calls and results aside. */
const talk = [
  human("u0", "0123456789"),
  reply("a1", "0123456789"),
  human("u2", "0123456789"),
  reply("a3", "0123456789"),
  human("u4", "0123456789"),
  reply("a5", "0123456789"),
];
const batch = [
  human("u0", "0"),
  calling("a1", ["c", "d"], "calls"),
  result("r2", "c", "result"),
  result("r3", "d", "result"),
  human("u4", "4"),
];

describe("kept messages", () => {
  test.each<[string, readonly KeepRule[], readonly (readonly number[])[]]>([
    ["without rules nothing", [], []],
    ["rules of other kinds keep none", [{ kind: "recent", keeps: "newest", amount: { messages: 2 } }], []],
    ["what a rule wants", [wanting(at(0, 3))], [[0, 3]]],
    ["in the view's order, whatever their worth", [wanting(at(3, 0))], [[0, 3]]],
    ["the worthiest, up to the amount", [wanting(at(3, 0, 1), 20)], [[0, 3]]],
    ["exactly the amount", [wanting(at(0), 10)], [[0]]],
    ["none that is larger than the amount", [wanting(at(0), 9)], [[]]],
    ["a smaller one if a worthier does not fit", [wanting([{ from: 0, through: 2 }, ...at(3)], 10)], [[3]]],
    ["a range as a whole", [wanting([{ from: 1, through: 3 }])], [[1, 2, 3]]],
    ["the same message once", [wanting([...at(1), { from: 0, through: 1 }], 20)], [[0, 1]]],
    ["each rule its own amount", [wanting(at(0, 1), 10), wanting(at(2, 3), 10)], [[0], [2]]],
    ["what a rule before it keeps costs nothing", [wanting(at(0), 10), wanting(at(0, 1), 10)], [[0], [1]]],
    ["what stays anyway costs nothing: the last human message", [wanting(at(4, 0), 10)], [[0]]],
  ])("%s", (_, rules, indexes) => {
    expect(kept(talk, rules)).toEqual(indexes);
  });

  test.each([
    ["stays, the others go", 10_000, [[0]]],
    ["goes if all rules together have no room for it", 9, [[]]],
  ])("beyond the amount the worthiest %s", (_, limitTokens, indexes) => {
    expect(kept(talk, [wanting(at(0, 1, 2), 5, 1)], limitTokens)).toEqual(indexes);
  });

  test("all rules together keep no more than the limit, the first before the others", () => {
    expect(kept(talk, [wanting(at(0, 1)), wanting(at(2))], 20)).toEqual([[0, 1], []]);
    expect(kept(talk, [wanting(at(0))], -1)).toEqual([[]]);
  });

  test.each<[string, readonly MessageRange[], readonly number[]]>([
    ["a result keeps its call and the calls made with it", at(3), [1, 2, 3]],
    ["a call keeps its results", at(1), [1, 2, 3]],
    ["what is next to a batch is not part of it", at(0), [0]],
    ["a range that ends in a batch takes all of it", [{ from: 0, through: 1 }], [0, 1, 2, 3]],
  ])("%s", (_, ranges, indexes) => {
    expect(kept(batch, [wanting(ranges)])).toEqual([indexes]);
  });

  test("a batch that does not fit as a whole is not kept", () => {
    const tokens = batch.slice(1, 4).reduce((sum, message) => sum + messageChars(message), 0);
    expect(kept(batch, [wanting(at(2), tokens)])).toEqual([[1, 2, 3]]);
    expect(kept(batch, [wanting(at(2), tokens - 1)])).toEqual([[]]);
  });

  test("the open step stays anyway, and costs nothing", () => {
    expect(kept(batch.slice(0, 3), [wanting(at(2), 0)])).toEqual([[]]);
  });

  test.each<[string, MessageRange]>([
    ["before the view", { from: -1, through: 0 }],
    ["behind the view", { from: 0, through: 6 }],
    ["that runs backwards", { from: 2, through: 1 }],
    ["of half a message", { from: 0.5, through: 1 }],
  ])("a range %s keeps nothing, and is named", (_, range) => {
    const [failed, next] = keptMessages([wanting([...at(0), range]), wanting(at(1))], view(talk));
    expect(failed).toMatchObject({ kind: "wanted", messages: [], tokens: 0, failure: expect.any(RangeError) });
    expect(next?.messages).toEqual([talk[1]]);
  });

  test("whatever rules want of whatever view: valid indexes in order, whole batches, no rule above its amount, none twice", () => {
    const messages = fc
      .oneof(arbitraryValidMessages, arbitraryMessageSoup)
      .map((list) => [...new Set(list)])
      .filter((list) => list.length > 0);
    const rule = fc.record({ tokens: fc.nat(4000), wanted: fc.array(fc.tuple(fc.nat(50), fc.nat(4)), { maxLength: 12 }) });
    fc.assert(
      fc.property(messages, fc.array(rule, { maxLength: 4 }), fc.nat(6000), (list, rules, limitTokens) => {
        const bound = rules.map(({ tokens, wanted }) => {
          const ranges = wanted.map(([from, more]): MessageRange => {
            const first = from % list.length;
            return { from: first, through: Math.min(first + more, list.length - 1) };
          });
          return wanting(ranges, tokens);
        });
        const answers = keptMessages(bound, view(list, limitTokens));
        expect(keptMessages(bound, view(list, limitTokens))).toEqual(answers);
        const all = answers.flatMap((answer) => answer.messages.map((message) => list.indexOf(message)));
        expect(new Set(all).size).toBe(all.length);
        const safe = safeCuts(list);
        const lastHuman = list.findLastIndex(isHuman);
        const free = new Set(
          list.flatMap((message, index) =>
            index >= openStepStart(list) || index === lastHuman || isDeclared(message) ? [index] : [],
          ),
        );
        for (const [order, { messages: ofRule, tokens }] of answers.entries()) {
          const indexes = ofRule.map((message) => list.indexOf(message));
          expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
          expect(tokens).toBeLessThanOrEqual(rules[order]?.tokens ?? 0);
          expect(ofRule.reduce((sum, message) => sum + messageChars(message), 0)).toBe(tokens);
          const set = new Set([...all, ...free]);
          for (const index of indexes)
            expect(safe[index + 1] === true || index + 1 === list.length || set.has(index + 1)).toBe(true);
          for (const index of indexes) expect(safe[index] === true || set.has(index - 1)).toBe(true);
        }
        expect(answers.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(limitTokens);
      }),
    );
  });

  test("a rule's worth is respected: what was passed over did not fit together with what came before it", () => {
    fc.assert(
      fc.property(arbitraryValidMessages, fc.nat(3000), (list, tokens) => {
        const texts = list.flatMap((message, index) => (message.role === "user" && !isDeclared(message) ? [index] : []));
        const newestFirst = texts.toReversed();
        const [answer] = keptMessages([wanting(at(...newestFirst), tokens)], view(list));
        const keptIndexes = new Set(answer?.messages.map((message) => list.indexOf(message)));
        let usedTokens = 0;
        for (const index of newestFirst.filter((each) => each !== list.findLastIndex(isHuman))) {
          const message = list[index];
          const size = message === undefined ? 0 : messageChars(message);
          if (keptIndexes.has(index)) usedTokens += size;
          else expect(usedTokens + size).toBeGreaterThan(tokens);
        }
      }),
    );
  });
});
