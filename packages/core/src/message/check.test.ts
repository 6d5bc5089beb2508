import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Sequence, sequenceOf } from "../sequence.ts";
import { arbitraryMessageSoup } from "../testing/arbitrary-transcript.ts";
import { absentImage, assistant, calling, human, reply, result } from "../testing/builders.ts";
import { checkMessages, createWaitingCalls, followingChecks, STRICT_WIRE_RULES, type WireRules } from "./check.ts";
import type { Message } from "./message.ts";

const u = (id: string) => human(id, "question");
const a = (id: string) => reply(id, "answer");
const ask = (id: string, ...callIds: readonly string[]) => calling(id, callIds);
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
    ["a call and its result", [u("u"), ask("a", "c"), r("r", "c")]],
    ["parallel calls, results in any order", [ask("a", "c", "d"), r("s", "d"), r("r", "c"), u("u")]],
    ["a result without content", [ask("a", "c"), { ...r("r", "c"), parts: [] }]],
    ["a result with an image", [ask("a", "c"), { ...r("r", "c"), parts: [absentImage()] }]],
    ["reasoning before what it led to", [assistant("a", [thought, { type: "text", text: "so" }]), u("u")]],
    ["calls without text", [assistant("a", ask("a", "c").parts.slice(1)), r("r", "c")]],
    ["neighbours of one role", [u("u"), u("v"), a("a"), a("b"), u("w")]],
    ["a summary that begins with the assistant", [a("a"), u("u")]],
  ])("%s", (_, messages) => {
    expect(checkMessages(messages)).toEqual([]);
  });
});

describe("a violation with its code, its place and its subject", () => {
  test.each<[string, readonly Message[], string]>([
    ["no messages", [], "no-messages 0 "],
    ["two messages of one id", [u("u"), a("u"), u("v")], "duplicate-message-id 1 u"],
    [
      "two calls of one id in different messages",
      [ask("a", "c"), r("r", "c"), ask("b", "c"), r("s", "c")],
      "duplicate-call-id 2 c",
    ],
    [
      "a late result of the first of two calls of one id",
      [ask("a", "c"), ask("b", "c"), r("r", "c"), r("s", "c"), a("d"), ask("e", "c"), r("t", "c")],
      "call-without-result 0 c, duplicate-call-id 1 c, result-not-after-call 3 c, duplicate-call-id 5 c",
    ],
    ["two of one id in a message", [ask("a", "c", "c"), r("r", "c")], "duplicate-call-id 0 c, call-without-result 0 c"],
    ["a result without a call", [u("u"), r("r", "c")], "result-without-call 1 c"],
    ["a result before its call", [r("r", "c"), ask("a", "c")], "result-without-call 0 c, call-without-result 1 c"],
    ["two results of one call", [ask("a", "c"), r("r", "c"), r("s", "c")], "duplicate-result 2 c"],
    [
      "a result behind another message",
      [ask("a", "c"), u("u"), r("r", "c")],
      "call-without-result 0 c, result-not-after-call 2 c",
    ],
    [
      "interleaved batches",
      [ask("a", "c"), ask("b", "d"), r("r", "c"), r("s", "d")],
      "call-without-result 0 c, result-not-after-call 2 c",
    ],
    ["a call without a result", [ask("a", "c"), u("u")], "call-without-result 0 c"],
    ["a call that is still open at the end", [u("u"), ask("a", "c")], "call-without-result 1 c"],
    ["one of two calls without a result", [ask("a", "c", "d"), r("r", "d"), u("u")], "call-without-result 0 c"],
    ["a message without parts", [assistant("a", []), u("u")], "empty-content 0 a"],
    ["a blank text", [human("u", " \n\t")], "empty-content 0 u"],
    ["a blank text next to a call", [calling("a", ["c"], ""), r("r", "c")], "empty-content 0 a"],
    ["reasoning alone", [assistant("a", [thought]), u("u")], "empty-content 0 a, reasoning-at-end 0 a"],
    ["reasoning behind the text", [assistant("a", [{ type: "text", text: "so" }, thought]), u("u")], "reasoning-at-end 0 a"],
    [
      "several, in order of position",
      [r("r", "x"), human("u", ""), ask("a", "c")],
      "result-without-call 0 x, empty-content 1 u, call-without-result 2 c",
    ],
  ])("%s", (_, messages, expected) => {
    expect(violations(messages).join(", ")).toBe(expected);
  });

  test.each<[string, Partial<WireRules>, readonly Message[], string]>([
    ["the assistant's message last", { lastMessage: "not-assistant" }, [u("u"), a("a")], "last-is-assistant 1 a"],
    ["the assistant's message first", { firstMessage: "user" }, [a("a"), u("u")], "first-not-user 0 a"],
    [
      "a result first",
      { firstMessage: "user", resultPlacement: "anywhere-after-call" },
      [r("r", "c"), u("u")],
      "result-without-call 0 c, first-not-user 0 r",
    ],
    [
      "an image in a result",
      { resultImages: "reject" },
      [ask("a", "c"), { ...r("r", "c"), parts: [absentImage()] }],
      "image-in-result 1 r",
    ],
    ["user after user", { sameRole: "reject" }, [u("u"), u("v"), a("a"), u("w")], "same-role-in-a-row 1 v"],
    ["assistant after assistant", { sameRole: "reject" }, [u("u"), a("a"), a("b"), u("w")], "same-role-in-a-row 2 b"],
    ["a batch's results are no neighbours", { sameRole: "reject" }, [ask("a", "c", "d"), r("r", "c"), r("s", "d")], ""],
    ["an id of other signs", { callIds: "word-characters" }, [ask("a", "c|1"), r("r", "c|1")], "unusable-call-id 0 c|1"],
    ["a call id too long", { maximumCallIdChars: 3 }, [ask("a", "call"), r("r", "call")], "unusable-call-id 0 call"],
    ["more messages than it takes", { maximumMessages: 2 }, [u("u"), a("a"), u("v"), a("b")], "too-many-messages 2 v"],
  ])("%s, if the wire forbids it", (_, rules, messages, expected) => {
    expect(violations(messages, rules).join(", ")).toBe(expected);
  });

  test.each<[string, readonly Message[]]>([
    ["a blank text", [human("u", "")]],
    ["a message without parts", [assistant("a", [])]],
    ["reasoning alone", [assistant("a", [thought])]],
    ["a result behind another message", [ask("a", "c"), u("u"), r("r", "c")]],
    ["interleaved batches", [ask("a", "c"), ask("b", "d"), r("r", "c"), r("s", "d")]],
    ["the assistant's message last", [u("u"), a("a")]],
  ])("none if the wire allows it: %s", (_, messages) => {
    expect(checkMessages(messages, lenient)).toEqual([]);
  });

  test("a call without a result is one wherever results may stand", () => {
    expect(violations([ask("a", "c"), u("u")], lenient)).toEqual(["call-without-result 0 c"]);
  });
});

/** Rules that reject and accept the opposite of the strict ones. */
const OTHER_RULES: WireRules = {
  ...STRICT_WIRE_RULES,
  firstMessage: "user",
  lastMessage: "any",
  resultPlacement: "anywhere-after-call",
  resultImages: "reject",
  sameRole: "reject",
  callIds: "word-characters",
  maximumCallIdChars: 20,
  maximumMessages: 5,
};

/** Events between two calls: messages come, and an edit may take some out or put another in their place. */
const happenings = fc.array(
  fc.record({
    arrived: fc.nat(4),
    edit: fc.option(fc.record({ from: fc.nat(20), count: fc.nat(5), isReplaced: fc.boolean() }), { freq: 3 }),
  }),
  { maxLength: 12 },
);

/** The lists that are sent, one a call. */
function listsOf(messages: readonly Message[], happened: typeof happenings extends fc.Arbitrary<infer T> ? T : never) {
  const lists: Sequence<Message>[] = [];
  let list = sequenceOf<Message>();
  let taken = 0;
  for (const { arrived, edit } of happened) {
    for (const message of messages.slice(taken, taken + arrived)) list = list.append(message);
    taken += arrived;
    const stub = edit?.isReplaced ? [human(`edit-${taken}`, "replaced")] : [];
    if (edit !== null) list = sequenceOf(list.slice().toSpliced(edit.from, edit.count, ...stub));
    lists.push(list);
  }
  return lists;
}

test("a check that follows says of every list what a check of it alone says", () => {
  let violations = 0;
  fc.assert(
    fc.property(arbitraryMessageSoup, happenings, (messages, happened) => {
      const lists = listsOf(messages, happened);
      for (const rules of [STRICT_WIRE_RULES, OTHER_RULES]) {
        const checks = followingChecks(rules);
        // The second check finds the contents that the first one read.
        for (const check of [checks(), checks()])
          for (const list of lists) {
            const found = check(list);
            expect(found).toEqual(checkMessages(list.slice(), rules));
            violations += found.length;
          }
      }
    }),
    { seed: 20_261_123, numRuns: 300 },
  );
  expect(violations).toBeGreaterThan(1000);
});

test("a message value is read once, whoever checks it and however often", () => {
  let reads = 0;
  const parts = human("watched", "text").parts;
  const watched: Message = {
    ...human("watched", "text"),
    get parts() {
      reads += 1;
      return parts;
    },
  };
  const rules: WireRules = { ...STRICT_WIRE_RULES, emptyContent: "accept", malformedText: "accept" };
  const checks = followingChecks(rules);
  const [one, other] = [checks(), checks()];
  const list = sequenceOf([watched]);
  one(list);
  const readOnce = reads;
  one(list.append(human("next", "text")));
  one(list);
  other(list);
  expect(readOnce).toBeGreaterThan(0);
  expect(reads).toBe(readOnce);
});

/** Which call each result answers: a message of calls is a list of `id=call`, a result is an id. */
function pairsIn(list: readonly (readonly string[] | string)[]): readonly (string | null)[] {
  const calls = createWaitingCalls<string>();
  return list.flatMap((each, at) => {
    if (typeof each === "string") return [calls.answered(each)];
    for (const call of each) calls.met(call.split("=")[0] ?? "", call, at);
    return [];
  });
}

test.each<[string, readonly (readonly string[] | string)[], readonly (string | null)[]]>([
  ["an id in every step: the newest", [["a=1"], "a", ["a=2"], "a", ["a=3"], "a"], ["a=1", "a=2", "a=3"]],
  ["an id twice in a batch: in order", [["a=1", "a=2"], "a", "a"], ["a=1", "a=2"]],
  ["a batch out of order: by id", [["a=1", "b=2"], "b", "a"], ["b=2", "a=1"]],
  ["a late result: the call that still waits", [["a=1"], ["a=2"], "a", "a"], ["a=2", "a=1"]],
  ["one result too many: none", [["a=1"], "a", "a"], ["a=1", null]],
  ["a result before its call: none yet", ["a", ["a=1"]], [null]],
])("a result answers by place first: %s", (_, list, expected) => {
  expect(pairsIn(list)).toEqual(expected);
});
