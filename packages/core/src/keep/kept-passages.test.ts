import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { excerptsIn, excerptsText } from "../prompts/notices.ts";
import { createRecallIndex, type RecallView } from "../recall/recall-index.ts";
import { arbitraryText } from "../testing/arbitrary-text.ts";
import { human, humanImage, reply, result } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import type { KeepRule, Passage, ReadableText } from "./keep-rule.ts";
import { passageQuoter } from "./kept-passages.ts";

const budget = { windowTokens: 10_000, inputBudgetTokens: 8000 };

/** Plain text that leaves, too: half of what leaves may be quoted. */
const plain = reply("plain", "and so on ".repeat(400));

function quoter(rules: readonly KeepRule[], roomTokens = 8000, log: RecallView | null = null) {
  const work = createWorkCounter();
  return { work, ...passageQuoter(rules, { budget, roomTokens, inHandTokens: 0, charsPerToken: 1, log, work }) };
}

/** A rule that wants the passages of the words given, in that order, wherever they are. */
function wanting(wanted: readonly string[], tokens = 1000): KeepRule {
  const passagesOf = (word: string, texts: readonly ReadableText[]) =>
    texts.flatMap(({ text, leaves }, index): readonly Passage[] => {
      const start = text.indexOf(word);
      return leaves && start >= 0 ? [{ text: index, start, end: start + word.length }] : [];
    });
  return {
    kind: "wanted",
    keeps: "passages",
    atMost: { tokens },
    choose: (texts) => wanted.flatMap((word) => passagesOf(word, texts)),
  };
}

function linesOf(rules: readonly KeepRule[], leaving: readonly Message[], roomTokens = 8000): readonly string[] {
  const text = quoter(rules, roomTokens)
    .quote([plain, ...leaving], [])
    .join("\n");
  return excerptsIn({ ...human("n", text), origin: "notice" }).flatMap(({ lines }) => lines);
}

describe("kept passages", () => {
  test("without a rule that chooses passages nothing is quoted, and nothing read", () => {
    const { work, atMostTokens, quote } = quoter([{ kind: "recent", keeps: "newest", amount: { messages: 2 } }]);
    expect([atMostTokens, quote([plain], [])]).toEqual([0, []]);
    expect(work.total().charactersScanned).toBe(0);
  });

  test.each<[string, readonly number[], number, number]>([
    ["what the policy says", [100], 8000, 100],
    ["of two rules both amounts", [100, 50], 8000, 150],
    ["a quarter of the room at most", [4000], 8000, 2000],
    ["of two rules together, too", [1500, 1500], 8000, 2000],
    ["nothing without room", [4000], 0, 0],
    ["nothing in a room that is overdrawn", [4000], -10, 0],
  ])("take %s", (_, amounts, roomTokens, atMostTokens) => {
    expect(
      quoter(
        amounts.map((tokens) => wanting([], tokens)),
        roomTokens,
      ).atMostTokens,
    ).toBe(atMostTokens);
  });

  test("take no more than half of what leaves, and what is read is counted", () => {
    const words = Array.from({ length: 60 }, (_, index) => `line of name_${index}`);
    const leaving = result("r", "c", words.join("\n"));
    const { work, quote } = quoter([wanting(words, 4000)]);
    const text = quote([leaving], [human("u", "go on")]).join("\n");
    const leavingChars = words.join("\n").length;
    expect(text.length).toBeGreaterThan(leavingChars / 4);
    expect(text.length).toBeLessThanOrEqual(leavingChars / 2 + "<excerpts>\n\n</excerpts>".length);
    expect(work.total()).toMatchObject({ charactersScanned: leavingChars + "go on".length, messagesVisited: 2 });
  });

  const recalling: KeepRule = { kind: "recall", keeps: "units", atMost: { tokens: 1000 }, worth: () => 1 };
  const port = human("u", "The port is 4711.");
  const portBlock = "<recalled>\n[person; handle u]\nThe port is 4711.\n</recalled>";

  test.each<[string, readonly KeepRule[], readonly Message[], readonly string[]]>([
    ["what is recalled of the log stands alone without a rule that quotes", [recalling], [plain], [portBlock]],
    ["and before what is quoted with one", [recalling, wanting(["so"])], [plain], [portBlock, "so"]],
    [
      "what is quoted stands alone if nothing is to be recalled",
      [recalling, wanting(["4711"])],
      [plain, port],
      [portBlock, "4711"],
    ],
    ["a block takes half of what leaves at most", [recalling], [reply("short", "x".repeat(80))], []],
  ])("%s", (_, rules, leaving, expected) => {
    const log = createRecallIndex(createWorkCounter());
    log.add(port);
    const texts = quoter(rules, 8000, log.now()).quote(leaving, []);
    const shown = texts.map((text) => excerptsIn({ ...human("n", text), origin: "notice" })[0]?.lines.join() ?? text);
    expect(shown).toEqual(expected);
  });

  test("without a room for any rule nothing is asked of it", () => {
    const none = passageQuoter([], {
      budget,
      roomTokens: 0,
      inHandTokens: 0,
      charsPerToken: 1,
      log: null,
      work: createWorkCounter(),
    });
    expect([none.atMostTokens, none.quote([plain], []), [...none.failures()]]).toEqual([0, [], []]);
  });

  test("a token is taken for as many characters as it is said to be", () => {
    const room = { budget, roomTokens: 8000, inHandTokens: 0, charsPerToken: 4, log: null, work: createWorkCounter() };
    const [text = ""] = passageQuoter([wanting(["so on and so on and so on"], 14)], room).quote([plain], []);
    expect(text).toContain("so on and so on and so on");
  });

  test("rules share the half of what leaves: what one takes the next lacks", () => {
    const leaving = result("r", "c", `${"one ".repeat(12)}\n${"two ".repeat(12)}`);
    const { quote } = quoter([wanting(["one ".repeat(5)]), wanting(["two ".repeat(5)])]);
    const [text = ""] = quote([leaving], []);
    expect([text.includes("one"), text.includes("two")]).toEqual([true, false]);
  });

  test("what a notice and a summary quoted can be quoted again, under the message that it was of", () => {
    const earlier = excerptsText([{ source: "read", handle: "r0", lines: ["line one", "line two"] }]) ?? "";
    const notices = (["notice", "summary"] as const).map((origin): Message => ({ ...human(origin, earlier), origin }));
    for (const notice of notices) {
      const [text = ""] = quoter([wanting(["line two"])]).quote([plain, notice], []);
      expect(excerptsIn({ ...human("n", text), origin: "notice" })).toEqual([
        { source: "read", handle: "r0", lines: ["line two"] },
      ]);
    }
  });

  test("an image between texts has none", () => {
    const image: Message = {
      ...human("u", "some words"),
      parts: [...humanImage("u").parts, ...human("u", "some words").parts],
    };
    expect(linesOf([wanting(["some words"])], [image])).toEqual(["some words"]);
  });

  test("passages of two texts of one message are parted", () => {
    const parts = [...human("u", "one\ntwo").parts, ...human("u", "three\nfour").parts];
    expect(linesOf([wanting(["one\ntwo", "three\nfour"])], [{ ...human("u", ""), parts }])).toEqual([
      "one",
      "two",
      "…",
      "three",
      "four",
    ]);
  });

  const lines = result("r", "c", "one\n  two\n\nthree\nfour\nfive");
  test.each<[string, readonly KeepRule[], readonly Message[], readonly string[]]>([
    ["the worthiest first, in their own order", [wanting(["three", "one", "four"], 33)], [lines], ["one", "three"]],
    ["a shorter one if a worthier one does not fit", [wanting(["one\n  two\n\nthree", "four"], 27)], [lines], ["four"]],
    ["a message's head is charged once", [wanting(["one", "four"], 32)], [lines], ["one", "four"]],
    ["each message has its own", [wanting(["one", "six"], 32)], [lines, result("s", "d", "six")], ["one"]],
    ["a text once", [wanting(["same"])], [result("r", "c", "same"), result("s", "d", "same")], ["same"]],
    ["several lines with what is between them", [wanting(["  two\n\nthree"])], [lines], ["  two", "", "three"]],
    ["what borders on it joins it", [wanting(["one\n  two", "three"])], [lines], ["one", "  two", "three"]],
    ["a gap if it does not", [wanting(["one\n  two", "five"])], [lines], ["one", "  two", "…", "five"]],
    ["what overlaps is quoted once", [wanting(["one\n  two", "  two\n\nthree"])], [lines], ["one", "  two", "", "three"]],
    ["the worthier rule is filled first", [wanting(["four"], 27), wanting(["one"], 4000)], [lines], ["one", "four"]],
    ["a rule takes no more than its own amount", [wanting(["four"], 10), wanting(["one"], 26)], [lines], ["one"]],
    [
      "what a rule before it keeps costs a rule nothing",
      [wanting(["one"]), wanting(["one", "four"], 6)],
      [lines],
      ["one", "four"],
    ],
  ])("%s", (_, rules, leaving, expected) => {
    expect(linesOf(rules, leaving)).toEqual(expected);
  });

  test.each<[string, Passage]>([
    ["of no text", { text: 5, start: 0, end: 1 }],
    ["that begins nowhere", { text: 0, start: -1, end: 1 }],
    ["that ends nowhere", { text: 0, start: 0, end: 999_999 }],
    ["that runs backwards", { text: 0, start: 5, end: 1 }],
    ["that begins in half a character", { text: 0, start: 0.5, end: 1 }],
    ["that ends in half a character", { text: 0, start: 0, end: 1.5 }],
    ["of a text that stays", { text: 1, start: 0, end: 1 }],
  ])("a rule with a passage %s has failed and quotes nothing, the others what they want", (_, passage) => {
    const kept: Passage = { text: 0, start: 0, end: 6 };
    const failing: KeepRule = { kind: "failing", keeps: "passages", atMost: { tokens: 100 }, choose: () => [kept, passage] };
    const { quote, failures } = quoter([failing, wanting(["so on"])]);
    const text = quote([plain], [human("u", "stays")]).join("\n");
    expect(excerptsIn({ ...human("n", text), origin: "notice" }).flatMap(({ lines: each }) => each)).toEqual(["so on"]);
    expect([...failures()]).toEqual([["failing", expect.any(RangeError)]]);
  });

  test("whatever rules want, no rule takes more than its amount, and every line is one of what leaves", () => {
    const passages = fc.array(fc.tuple(fc.nat(5), fc.nat(300), fc.nat(300)), { maxLength: 20 });
    const rule = fc.record({ tokens: fc.nat(400), passages });
    fc.assert(
      fc.property(fc.array(arbitraryText, { minLength: 1, maxLength: 6 }), fc.array(rule, { maxLength: 3 }), (said, rules) => {
        const bound = rules.map(
          ({ tokens, passages: places }): KeepRule => ({
            kind: "wanted",
            keeps: "passages",
            atMost: { tokens },
            choose: (texts) =>
              places.map(([at, from, length]) => {
                const text = at % texts.length;
                const chars = texts[text]?.text.length ?? 0;
                const start = Math.min(from, chars);
                return { text, start, end: Math.min(start + length, chars) };
              }),
          }),
        );
        const leaving = said.map((text, index) => result(`r${index}`, `c${index}`, text));
        const { quote, atMostTokens } = quoter(bound);
        const text = quote(leaving, []).join("\n");
        expect(quote(leaving, []).join("\n")).toBe(text);
        const kept = excerptsIn({ ...human("n", text), origin: "notice" });
        const keptChars = kept
          .flatMap(({ handle, lines: each }) => [handle, ...each])
          .reduce((sum, line) => sum + line.length, 0);
        expect(keptChars).toBeLessThanOrEqual(atMostTokens);
        for (const { handle, lines: each } of kept)
          for (const line of each.filter((one) => one !== "…")) expect(said[Number(handle.slice(1))]).toContain(line);
      }),
    );
  });
});

test.each<[string, readonly KeepRule[], number]>([
  ["rules of nothing read nothing", [wanting(["and"], 0), wanting(["so"], 0)], 0],
  ["next to one that may quote, only that one reads", [wanting(["and"], 0), wanting(["so"])], 1],
  ["of two that may quote each reads once", [wanting(["and"]), wanting(["so"])], 2],
])("%s", (_, rules, readings) => {
  const { quote, work } = quoter(rules);
  quote([plain], []);
  expect(work.total().charactersScanned).toBe(readings * "and so on ".repeat(400).length);
});
