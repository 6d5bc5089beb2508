import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryMessageSoup, arbitraryValidMessages } from "../testing/arbitrary-transcript.ts";
import { assistant, calling, human, reply, result } from "../testing/builders.ts";
import { checkMessages, STRICT_WIRE_RULES, type WireRules } from "./check.ts";
import { type Message, toolCallsOf, wellFormedMessage } from "./message.ts";
import { MISSING_RESULT_TEXT, repairMessages } from "./repair.ts";

const u = (id: string) => human(id, "question");
const a = (id: string) => reply(id, "answer");
const ask = (id: string, ...callIds: readonly string[]) => calling(id, callIds);
const r = (id: string, callId: string) => result(id, callId, "done");
const thought = { type: "reasoning", text: "why", opaque: "signature" } as const;
const said = { type: "text", text: "so" } as const;

/** Ids in order; a made-up result as `no result of` its call. */
function outline(messages: readonly Message[]): readonly string[] {
  const isMissing = (message: Message) =>
    message.parts.some((part) => part.type === "text" && part.text === MISSING_RESULT_TEXT);
  return messages.map((message) =>
    message.role === "tool-result" && isMissing(message) ? `no result of ${message.callId}` : message.id,
  );
}

describe("repairMessages", () => {
  test.each<[string, readonly Message[], string, string]>([
    [
      "O-i: a call that was never answered gets an error result right behind it",
      [u("u"), ask("a", "c"), u("v")],
      "u, a, no result of c, v",
      "call-without-result 1 c add-result",
    ],
    ["a call open at its end", [u("u"), ask("a", "c")], "u, a, no result of c", "call-without-result 1 c add-result"],
    [
      "O-i: results of a batch are in the order of its calls if one was missing",
      [ask("a", "c", "d", "e"), r("t", "e"), r("r", "c"), u("u")],
      "a, r, no result of d, t, u",
      "call-without-result 0 d add-result",
    ],
    ["O-i: a lone result goes", [u("u"), r("r", "c"), a("a")], "u, a", "result-without-call 1 c remove-message"],
    [
      "O-i: a second result of a call goes",
      [ask("a", "c"), r("r", "c"), r("s", "c"), u("u"), r("t", "c")],
      "a, r, u",
      "duplicate-result 2 c remove-message, duplicate-result 4 c remove-message",
    ],
    [
      "O-i: late results go to their calls",
      [ask("a", "c", "d"), u("u"), r("s", "d"), r("r", "c")],
      "a, r, s, u",
      "result-not-after-call 2 d move, result-not-after-call 3 c move",
    ],
    [
      "interleaved batches are taken apart",
      [ask("a", "c"), ask("b", "d"), r("r", "c"), r("s", "d")],
      "a, r, b, s",
      "result-not-after-call 2 c move",
    ],
    ["a result before its call", [r("r", "c"), u("u"), ask("a", "c")], "u, a, r", "result-without-call 0 c move"],
    [
      "blank messages and blank texts go",
      [human("u", " "), assistant("a", [{ type: "text", text: "" }, said]), u("v")],
      "a, v",
      "empty-content 0 u remove-message, empty-content 1 a remove-part",
    ],
    ["reasoning alone goes", [u("u"), assistant("a", [thought]), u("v")], "u, v", "empty-content 1 a remove-message"],
    [
      "reasoning that led to nothing goes",
      [assistant("a", [thought, said, thought]), u("u")],
      "a, u",
      "reasoning-at-end 0 a remove-part",
    ],
    [
      "a blank message between a call and its result is no obstacle",
      [ask("a", "c"), human("u", ""), r("r", "c")],
      "a, r",
      "empty-content 1 u remove-message",
    ],
  ])("%s", (_, messages, ids, repairs) => {
    const repaired = repairMessages(messages);
    expect(outline(repaired.messages).join(", ")).toBe(ids);
    const done = repaired.repairs.map(({ code, index, subject, action }) => `${code} ${index} ${subject} ${action}`);
    expect(done.join(", ")).toBe(repairs);
  });

  test("a made-up result is an error of its tool", () => {
    const [, made] = repairMessages([calling("a", ["c"])]).messages;
    expect(made).toMatchObject({ role: "tool-result", callId: "c", toolName: "tool", isError: true });
  });

  test("calls that share an id get ids of their own, each with the results behind it", () => {
    const messages = [calling("a", ["c"]), r("r", "c"), calling("b", ["c"]), r("s", "c"), u("u")];
    const { messages: after, repairs } = repairMessages(messages);
    expect(after.map((message) => message.id)).toEqual(["a", "r", "b", "s", "u"]);
    expect([after[0] === messages[0], after[1] === messages[1]]).toEqual([true, true]);
    expect(repairs).toEqual([{ code: "duplicate-call-id", index: 2, subject: "c", action: "rename" }]);
    expect(checkMessages(after)).toEqual([]);
  });

  test("a call that was cut off and made again under its id keeps no result of the second", () => {
    const { messages: after } = repairMessages([calling("a", ["c"]), calling("b", ["c"]), r("r", "c")]);
    expect(outline(after)).toEqual(["a", "no result of c", "b", "r"]);
  });

  test("two calls of one message that share an id get their results in order", () => {
    const { messages: after } = repairMessages([calling("a", ["c", "c"]), r("r", "c"), r("s", "c")]);
    expect(after.map((message) => message.id)).toEqual(["a", "r", "s"]);
    expect(checkMessages(after, { ...STRICT_WIRE_RULES, lastMessage: "any" })).toEqual([]);
  });

  test("a message whose id is taken gets another, the same at each repair", () => {
    const messages = [u("u"), a("a"), u("u")];
    const { messages: after, repairs } = repairMessages(messages);
    expect(repairs).toEqual([{ code: "duplicate-message-id", index: 2, subject: "u", action: "rename" }]);
    expect([after[0]?.id, new Set(after.map((message) => message.id)).size]).toEqual(["u", 3]);
    expect(repairMessages(messages).messages).toEqual(after);
  });

  test("says where each message stood", () => {
    const { sourceIndexes } = repairMessages([r("x", "x"), calling("a", ["c", "d"]), u("u"), r("s", "d")]);
    expect(sourceIndexes).toEqual([1, null, 3, 2]);
  });

  test("keeps what a lenient wire takes", () => {
    const messages = [calling("a", ["c"]), human("u", ""), r("r", "c"), assistant("b", [thought])];
    const rules: WireRules = {
      ...STRICT_WIRE_RULES,
      emptyContent: "accept",
      resultPlacement: "anywhere-after-call",
      trailingReasoning: "accept",
    };
    expect(repairMessages(messages, rules).messages).toBe(messages);
  });

  test("the empty list stays empty", () => {
    expect(repairMessages([]).messages).toEqual([]);
  });
});

describe("whatever the list", () => {
  const strict: WireRules = { ...STRICT_WIRE_RULES, lastMessage: "any" };
  const wires: readonly (readonly [string, WireRules])[] = [
    ["strict", strict],
    ["narrow call ids", { ...strict, callIds: "word-characters", maximumCallIdChars: 40 }],
    ["results anywhere", { ...strict, resultPlacement: "anywhere-after-call" }],
    ["blank content", { ...strict, emptyContent: "accept" }],
    ["trailing reasoning", { ...strict, trailingReasoning: "accept" }],
    ["blank content and trailing reasoning", { ...strict, emptyContent: "accept", trailingReasoning: "accept" }],
  ];
  const codes = (messages: readonly Message[], rules: WireRules) =>
    checkMessages(messages, rules).map((violation) => violation.code);

  test.each(wires)("a repaired list passes: %s", (_, rules) => {
    fc.assert(
      fc.property(arbitraryMessageSoup, (messages) => {
        const { messages: after } = repairMessages(messages, rules);
        expect(codes(after, rules)).toEqual(after.length === 0 ? ["no-messages"] : []);
      }),
    );
  });

  test.each(wires)("a list that passes comes back as it is: %s", (_, rules) => {
    fc.assert(
      fc.property(arbitraryMessageSoup, (messages) => {
        const once = repairMessages(messages, rules).messages;
        expect(repairMessages(once, rules)).toEqual({ messages: once, repairs: [], sourceIndexes: [...once.keys()] });
      }),
    );
  });

  test("valid lists come back as they are", () => {
    fc.assert(
      fc.property(arbitraryValidMessages, (messages) => {
        expect(checkMessages(messages, strict)).toEqual([]);
        expect(repairMessages(messages).messages).toBe(messages);
      }),
    );
  });

  test("what is left is what was there: each message once, in the order of those that are no results", () => {
    fc.assert(
      fc.property(arbitraryMessageSoup, (messages) => {
        const { messages: after, sourceIndexes } = repairMessages(messages);
        const sources = sourceIndexes.filter((index) => index !== null);
        expect(new Set(sources).size).toBe(sources.length);
        const others = sources.filter((index) => messages[index]?.role !== "tool-result");
        expect(others).toEqual([...others].sort((left, right) => left - right));
        expect(after.map(({ role }) => role)).toEqual(
          sourceIndexes.map((index) => (index === null ? "tool-result" : messages[index]?.role)),
        );
      }),
    );
  });

  test("no call and no sent word is lost", () => {
    fc.assert(
      fc.property(arbitraryMessageSoup, (messages) => {
        const { messages: after } = repairMessages(messages);
        const words = (list: readonly Message[]) =>
          list.flatMap((message) =>
            message.role === "tool-result"
              ? []
              : message.parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : [])),
          );
        expect(words(after)).toEqual(words(messages.map(wellFormedMessage)));
        expect(after.flatMap(toolCallsOf).length).toBe(messages.flatMap(toolCallsOf).length);
      }),
    );
  });

  test("messages with nothing wrong keep their identity", () => {
    fc.assert(
      fc.property(arbitraryMessageSoup, (messages) => {
        const { messages: after, sourceIndexes } = repairMessages(messages);
        const same = after.map((message, index) => [message, messages[sourceIndexes[index] ?? -1]] as const);
        const equal = same.filter(([message, source]) => JSON.stringify(message) === JSON.stringify(source));
        expect(equal.every(([message, source]) => message === source)).toBe(true);
      }),
    );
  });
});
