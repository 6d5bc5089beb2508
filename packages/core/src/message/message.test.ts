import { describe, expect, test } from "vitest";
import { wellFormed, wellFormedJson } from "../json.ts";
import { assistant, calling, human, reply, result } from "../testing/builders.ts";
import { checkMessages, STRICT_WIRE_RULES } from "./check.ts";
import {
  chainId,
  extendViewHash,
  type Message,
  type MessageDraft,
  overheadHash,
  sharedPrefixCount,
  wellFormedMessage,
  withId,
  withIds,
} from "./message.ts";
import { repairMessages } from "./repair.ts";

const a = human("a", "one");
const b = human("b", "two");
const c = human("c", "three");

test.each([
  ["all of an extended view", [a, b], [a, b, c], 2],
  ["up to the first other message", [a, b, c], [a, c, b], 1],
  ["nothing after an edit at the beginning", [a, b], [c, b], 0],
  ["nothing of an empty view", [], [a], 0],
  ["no copy, however equal", [a, b], [a, { ...b }], 1],
])("sharedPrefixCount counts %s", (_, before, after, count) => {
  expect(sharedPrefixCount(before, after)).toBe(count);
});

const question: MessageDraft = human("ignored", "What is a Plimsoll line?");

describe("chainId", () => {
  test("is the same at each import", () => {
    expect(chainId("before", question)).toBe(chainId("before", structuredClone(question)));
  });

  test("has the form of a hash of 128 bits", () => {
    expect(chainId(null, question)).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each<[string, string | null, MessageDraft]>([
    ["place", "elsewhere", question],
    ["role", "before", reply("ignored", "What is a Plimsoll line?")],
    ["text", "before", human("ignored", "What is a Plimsoll line!")],
    ["origin", "before", { ...human("ignored", "What is a Plimsoll line?"), origin: "injected" }],
    ["beginning of a session", null, question],
  ])("differs by %s", (_, previousId, draft) => {
    expect(chainId(previousId, draft)).not.toBe(chainId("before", question));
  });

  test.each<[string, MessageDraft, MessageDraft]>([
    ["time", question, { ...question, atMs: 1_700_000_000_000 }],
    ["its request", reply("a", "yes"), { ...reply("b", "yes"), modelId: "other", requestId: "other", stopReason: "length" }],
    [
      "paths, which are worked out and not sent",
      assistant("a", [{ type: "tool-call", callId: "c", toolName: "t", argumentsJson: "{}", paths: [] }]),
      assistant("a", [
        { type: "tool-call", callId: "c", toolName: "t", argumentsJson: "{}", paths: [{ path: "x", access: "read" }] },
      ]),
    ],
  ])("does not depend on %s", (_, left, right) => {
    expect(chainId(null, left)).toBe(chainId(null, right));
  });

  test.each([
    ["the call", result("a", "call-2", "done")],
    ["failure", { ...result("a", "call-1", "done"), isError: true }],
  ])("of a result depends on %s", (_, other) => {
    expect(chainId(null, other)).not.toBe(chainId(null, result("a", "call-1", "done")));
  });
});

test.each([
  ["the source's id if it has one", "source-7", "source-7"],
  ["the chain id if it has none", undefined, chainId("before", question)],
])("withId gives %s", (_, sourceId, id) => {
  expect(withId(question, "before", sourceId).id).toBe(id);
});

test("withIds chains each draft to the one before it", () => {
  const first = withId(question, "before");
  expect(withIds([question, question], "before")).toEqual([first, withId(question, first.id)]);
});

test("overheadHash depends on the system text and on the tools", () => {
  const hashes = [overheadHash("", []), overheadHash("be brief", []), overheadHash("", [{ name: "read" }])];
  expect(new Set(hashes).size).toBe(3);
  expect(overheadHash("be brief", [{ name: "read" }])).toBe(overheadHash("be brief", [{ name: "read" }]));
});

test("extendViewHash depends on the order of messages", () => {
  expect(extendViewHash(extendViewHash("", "a"), "b")).not.toBe(extendViewHash(extendViewHash("", "b"), "a"));
});

const HIGH = "\ud83d";
const LOW = "\ude00";
const SMILE = `${HIGH}${LOW}`;
const MARK = "\ufffd";

describe("wellFormed", () => {
  test.each<[string, unknown, unknown]>([
    ["a high surrogate alone", `a${HIGH}b`, `a${MARK}b`],
    ["a low surrogate alone", `${LOW}b`, `${MARK}b`],
    ["a pair the wrong way round", `${LOW}${HIGH}`, `${MARK}${MARK}`],
    ["a pair and a half", `${SMILE}${HIGH}`, `${SMILE}${MARK}`],
    ["texts and keys inside", { [HIGH]: [1, null, { text: LOW }] }, { [MARK]: [1, null, { text: MARK }] }],
  ])("replaces %s", (_, value, mended) => {
    expect(wellFormed(value)).toEqual(mended);
  });

  test.each<[string, unknown]>([
    ["text with pairs", `a${SMILE}`],
    ["an object without lone surrogates", { text: SMILE, list: [{ key: "value" }] }],
    ["an address", new URL("https://example.com/")],
    ["bytes", new Uint8Array([1, 2])],
    ["nothing", null],
  ])("leaves %s as it is", (_, value) => {
    expect(wellFormed(value)).toBe(value);
  });
});

describe("wellFormedJson", () => {
  test.each<[string, string, string]>([
    ["an escape of half a character", '{"a":"\\ud83d"}', '{"a":"\\ufffd"}'],
    ["an escape of the other half", '{"a":"x\\uDE00"}', '{"a":"x\\ufffd"}'],
    ["half an escaped pair before a text", '"\\ud83d\\u0041"', '"\\ufffd\\u0041"'],
    ["an escape that a bare half would complete", `"\\ud83d${LOW}"`, `"\\ufffd${MARK}"`],
    ["an escaped backslash before an escape", '"\\\\\\ud83d"', '"\\\\\\ufffd"'],
    ["what is no JSON", `${HIGH} no json \\udc00`, `${MARK} no json \\ufffd`],
  ])("replaces %s", (_, json, mended) => {
    expect(wellFormedJson(json)).toBe(mended);
  });

  test.each<[string, string]>([
    ["an escaped pair", '{"a":"\\ud83d\\ude00"}'],
    ["a backslash before letters that look like an escape", '"\\\\ud83d"'],
    ["other escapes", '"\\n\\u0041\\t"'],
    ["a backslash at the end", "\\"],
  ])("leaves %s as it is", (_, json) => {
    expect(wellFormedJson(json)).toBe(json);
  });
});

const call = { type: "tool-call", callId: "c", toolName: "read", argumentsJson: "{}", paths: [] } as const;
const answered = (message: Message): readonly Message[] => [message, result("r", "c", "done")];

describe("half a character in a message is a violation, and is mended where it stands", () => {
  test.each<[string, readonly Message[], number]>([
    ["a person's text", [human("u", `look${HIGH}`)], 0],
    ["a reply's text", [human("u", "look"), assistant("a", [{ type: "text", text: LOW }]), human("v", "on")], 1],
    ["a result's text", [calling("a", ["c"]), result("r", "c", `x${HIGH}y`)], 1],
    ["a result's tool", [calling("a", ["c"]), { ...result("r", "c", "x"), toolName: HIGH }], 1],
    ["a call's tool", answered(assistant("a", [{ ...call, toolName: HIGH }])), 0],
    ["a call's arguments", answered(assistant("a", [{ ...call, argumentsJson: `{"a":"${HIGH}"}` }])), 0],
    ["an escape in a call's arguments", answered(assistant("a", [{ ...call, argumentsJson: '{"a":"\\ud83d"}' }])), 0],
    ["reasoning", answered(assistant("a", [{ type: "reasoning", text: HIGH, opaque: "signature" }, call])), 0],
  ])("%s", (_, messages, index) => {
    const id = messages[index]?.id;
    expect(checkMessages(messages).map((each) => [each.code, each.index, each.subject])).toEqual([
      ["malformed-text", index, id],
    ]);
    const repaired = repairMessages(messages);
    expect(repaired.repairs).toEqual([{ code: "malformed-text", index, subject: id, action: "replace-characters" }]);
    expect(checkMessages(repaired.messages)).toEqual([]);
    expect(repaired.messages.map((message, place) => message === messages[place])).toEqual(
      messages.map((_message, place) => place !== index),
    );
  });

  test("reasoning whose text was changed loses what vouched for it", () => {
    expect(wellFormedMessage(assistant("a", [{ type: "reasoning", text: HIGH, opaque: "signature" }, call]))).toMatchObject({
      parts: [{ type: "reasoning", text: MARK, opaque: null }, call],
    });
  });

  test("ids stay: a call keeps its result", () => {
    const messages = [assistant("a", [{ ...call, callId: HIGH }]), { ...result("r", HIGH, `x${HIGH}`) }];
    expect(repairMessages(messages).messages[1]).toMatchObject({ id: "r", callId: HIGH, parts: [{ text: `x${MARK}` }] });
  });

  test("rules that leave it to encoding are not told of it, and nothing is repaired", () => {
    const messages = [human("u", HIGH)];
    const rules = { ...STRICT_WIRE_RULES, malformedText: "accept" } as const;
    expect(checkMessages(messages, rules)).toEqual([]);
    expect(repairMessages(messages, rules).messages).toBe(messages);
  });
});
