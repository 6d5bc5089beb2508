import { describe, expect, test } from "vitest";
import { absentImage, assistant, calling, human, reply, result } from "../testing/builders.ts";
import { checkMessages, STRICT_WIRE_RULES, type WireRules } from "./check.ts";
import type { Message } from "./message.ts";

const u = (id: string) => human(id, "question");
const a = (id: string) => reply(id, "answer");
const r = (id: string, callId: string) => result(id, callId, "done");
const thought = { type: "reasoning", text: "why", opaque: "signature" } as const;
const lenient: WireRules = {
  ...STRICT_WIRE_RULES,
  lastMessage: "any",
  emptyContent: "accept",
  resultPlacement: "anywhere-after-call",
  trailingReasoning: "accept",
};

/** Violations as `code index subject`. */
function violations(messages: readonly Message[], rules: Partial<WireRules> = {}): readonly string[] {
  return checkMessages(messages, { ...STRICT_WIRE_RULES, lastMessage: "any", ...rules }).map(
    ({ code, index, subject }) => `${code} ${index} ${subject}`,
  );
}

describe("a list that can be sent", () => {
  test.each<[string, readonly Message[]]>([
    ["a question", [u("u")]],
    ["question and answer", [u("u"), a("a"), u("v")]],
    ["a call and its result", [u("u"), calling("a", ["c"]), r("r", "c")]],
    ["parallel calls, results in any order", [calling("a", ["c", "d"]), r("s", "d"), r("r", "c"), u("u")]],
    ["a result without content", [calling("a", ["c"]), { ...r("r", "c"), parts: [] }]],
    ["a result with an image", [calling("a", ["c"]), { ...r("r", "c"), parts: [absentImage()] }]],
    ["reasoning before what it led to", [assistant("a", [thought, { type: "text", text: "so" }]), u("u")]],
    ["calls without text", [assistant("a", calling("a", ["c"]).parts.slice(1)), r("r", "c")]],
    ["neighbours of one role", [u("u"), u("v"), a("a"), a("b"), u("w")]],
    ["a summary that begins with the assistant", [a("a"), u("u")]],
  ])("%s", (_, messages) => {
    expect(checkMessages(messages)).toEqual([]);
  });
});

describe("a violation with its code, its place and its subject", () => {
  test.each<[string, readonly Message[], readonly string[]]>([
    ["no messages", [], ["no-messages 0 "]],
    ["two messages of one id", [u("u"), a("u"), u("v")], ["duplicate-message-id 1 u"]],
    [
      "two calls of one id in different messages",
      [calling("a", ["c"]), r("r", "c"), calling("b", ["c"]), r("s", "c")],
      ["duplicate-call-id 2 c"],
    ],
    [
      "a late result of the first of two calls of one id",
      [calling("a", ["c"]), calling("b", ["c"]), r("r", "c"), r("s", "c"), a("d"), calling("e", ["c"]), r("t", "c")],
      ["call-without-result 0 c", "duplicate-call-id 1 c", "result-not-after-call 3 c", "duplicate-call-id 5 c"],
    ],
    [
      "two calls of one id in one message",
      [calling("a", ["c", "c"]), r("r", "c")],
      ["duplicate-call-id 0 c", "call-without-result 0 c"],
    ],
    ["a result without a call", [u("u"), r("r", "c")], ["result-without-call 1 c"]],
    ["a result before its call", [r("r", "c"), calling("a", ["c"])], ["result-without-call 0 c", "call-without-result 1 c"]],
    ["two results of one call", [calling("a", ["c"]), r("r", "c"), r("s", "c")], ["duplicate-result 2 c"]],
    [
      "a result behind another message",
      [calling("a", ["c"]), u("u"), r("r", "c")],
      ["call-without-result 0 c", "result-not-after-call 2 c"],
    ],
    [
      "interleaved batches",
      [calling("a", ["c"]), calling("b", ["d"]), r("r", "c"), r("s", "d")],
      ["call-without-result 0 c", "result-not-after-call 2 c"],
    ],
    ["a call without a result", [calling("a", ["c"]), u("u")], ["call-without-result 0 c"]],
    ["a call that is still open at the end", [u("u"), calling("a", ["c"])], ["call-without-result 1 c"]],
    ["one of two calls without a result", [calling("a", ["c", "d"]), r("r", "d"), u("u")], ["call-without-result 0 c"]],
    ["a message without parts", [assistant("a", []), u("u")], ["empty-content 0 a"]],
    ["a blank text", [human("u", " \n\t")], ["empty-content 0 u"]],
    ["a blank text next to a call", [calling("a", ["c"], ""), r("r", "c")], ["empty-content 0 a"]],
    ["reasoning alone", [assistant("a", [thought]), u("u")], ["empty-content 0 a", "reasoning-at-end 0 a"]],
    ["reasoning behind the text", [assistant("a", [{ type: "text", text: "so" }, thought]), u("u")], ["reasoning-at-end 0 a"]],
    [
      "several, in order of position",
      [r("r", "x"), human("u", ""), calling("a", ["c"])],
      ["result-without-call 0 x", "empty-content 1 u", "call-without-result 2 c"],
    ],
  ])("%s", (_, messages, expected) => {
    expect(violations(messages)).toEqual(expected);
  });

  test.each<[string, Partial<WireRules>, readonly Message[], readonly string[]]>([
    ["the assistant's message last", { lastMessage: "not-assistant" }, [u("u"), a("a")], ["last-is-assistant 1 a"]],
    ["the assistant's message first", { firstMessage: "user" }, [a("a"), u("u")], ["first-not-user 0 a"]],
    [
      "a result first",
      { firstMessage: "user", resultPlacement: "anywhere-after-call" },
      [r("r", "c"), u("u")],
      ["result-without-call 0 c", "first-not-user 0 r"],
    ],
    [
      "an image in a result",
      { resultImages: "reject" },
      [calling("a", ["c"]), { ...r("r", "c"), parts: [absentImage()] }],
      ["image-in-result 1 r"],
    ],
    ["user after user", { sameRole: "reject" }, [u("u"), u("v"), a("a"), u("w")], ["same-role-in-a-row 1 v"]],
    ["assistant after assistant", { sameRole: "reject" }, [u("u"), a("a"), a("b"), u("w")], ["same-role-in-a-row 2 b"]],
    [
      "results of one batch are no neighbours",
      { sameRole: "reject" },
      [calling("a", ["c", "d"]), r("r", "c"), r("s", "d")],
      [],
    ],
    [
      "a call id of other characters",
      { callIds: "word-characters" },
      [calling("a", ["c|1"]), r("r", "c|1")],
      ["unusable-call-id 0 c|1"],
    ],
    [
      "a call id that is too long",
      { maximumCallIdChars: 3 },
      [calling("a", ["call"]), r("r", "call")],
      ["unusable-call-id 0 call"],
    ],
    ["more messages than it takes", { maximumMessages: 2 }, [u("u"), a("a"), u("v"), a("b")], ["too-many-messages 2 v"]],
  ])("%s, if the wire forbids it", (_, rules, messages, expected) => {
    expect(violations(messages, rules)).toEqual(expected);
  });

  test.each<[string, readonly Message[]]>([
    ["a blank text", [human("u", "")]],
    ["a message without parts", [assistant("a", [])]],
    ["reasoning alone", [assistant("a", [thought])]],
    ["a result behind another message", [calling("a", ["c"]), u("u"), r("r", "c")]],
    ["interleaved batches", [calling("a", ["c"]), calling("b", ["d"]), r("r", "c"), r("s", "d")]],
    ["the assistant's message last", [u("u"), a("a")]],
  ])("none if the wire allows it: %s", (_, messages) => {
    expect(checkMessages(messages, lenient)).toEqual([]);
  });

  test("a call without a result is one wherever results may stand", () => {
    expect(violations([calling("a", ["c"]), u("u")], lenient)).toEqual(["call-without-result 0 c"]);
  });
});
