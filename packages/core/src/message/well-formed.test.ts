import { describe, expect, test } from "vitest";
import { wellFormed, wellFormedJson } from "../json.ts";
import { assistant, calling, human, result } from "../testing/builders.ts";
import { checkMessages, STRICT_WIRE_RULES } from "./check.ts";
import { type Message, wellFormedMessage } from "./message.ts";
import { repairMessages } from "./repair.ts";

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
