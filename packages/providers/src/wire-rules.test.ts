import { type Message, repairMessages } from "@plimsoll/core";
import { checkMessages, type WireRules } from "@plimsoll/core/extend";
import { arbitraryMessageSoup, assistant, calling, human, reply, result } from "@plimsoll/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ANTHROPIC_WIRE_RULES } from "./anthropic/encode.ts";
import { OPENAI_CHAT_WIRE_RULES } from "./openai-chat/encode.ts";
import { OPENAI_RESPONSES_WIRE_RULES } from "./openai-responses/encode.ts";

const wires = [ANTHROPIC_WIRE_RULES, OPENAI_CHAT_WIRE_RULES, OPENAI_RESPONSES_WIRE_RULES];

/** Violations that encoding mends by itself, without a change to the messages. */
const LEFT_TO_ENCODING = ["first-not-user", "unusable-call-id", "image-in-result"];

describe("a list that passes the strict rules", () => {
  test.each(wires)("passes $name, but for what encoding puts right", (rules) => {
    fc.assert(
      fc.property(arbitraryMessageSoup, (soup) => {
        const messages = [...repairMessages(soup).messages, human("the newest", "go on")];
        const codes = checkMessages(messages, rules).map((violation) => violation.code);
        expect(checkMessages(messages)).toEqual([]);
        expect(codes.filter((code) => !LEFT_TO_ENCODING.includes(code))).toEqual([]);
      }),
    );
  });
});

describe("what a vendor's API rejects", () => {
  const late = [human("u", "go"), calling("a", ["c"]), human("v", "wait"), result("r", "c", "done")];
  const thinking = [human("u", "go"), assistant("a", [{ type: "reasoning", text: "why", opaque: null }]), human("v", "and?")];
  const blank = [human("u", "go"), reply("a", " "), human("v", "and?")];

  test.each<[string, WireRules, readonly Message[], readonly string[]]>([
    ["Anthropic: a late result", ANTHROPIC_WIRE_RULES, late, ["call-without-result", "result-not-after-call"]],
    ["OpenAI Chat: a late result", OPENAI_CHAT_WIRE_RULES, late, ["call-without-result", "result-not-after-call"]],
    ["OpenAI Responses: a late result", OPENAI_RESPONSES_WIRE_RULES, late, []],
    ["Anthropic: reasoning alone", ANTHROPIC_WIRE_RULES, thinking, ["empty-content", "reasoning-at-end"]],
    ["OpenAI Chat: reasoning alone", OPENAI_CHAT_WIRE_RULES, thinking, []],
    ["OpenAI Responses: reasoning alone", OPENAI_RESPONSES_WIRE_RULES, thinking, ["reasoning-at-end"]],
    ["Anthropic: blank text", ANTHROPIC_WIRE_RULES, blank, ["empty-content"]],
    ["OpenAI Chat: blank text", OPENAI_CHAT_WIRE_RULES, blank, []],
    ["Anthropic: a reply at the end", ANTHROPIC_WIRE_RULES, [human("u", "go"), reply("a", "done")], ["last-is-assistant"]],
    ["OpenAI Chat: a reply at the end", OPENAI_CHAT_WIRE_RULES, [human("u", "go"), reply("a", "done")], []],
    [
      "Anthropic: call ids of another vendor",
      ANTHROPIC_WIRE_RULES,
      [human("u", "go"), calling("a", ["functions.read:0"]), result("r", "functions.read:0", "done")],
      ["unusable-call-id"],
    ],
    [
      "OpenAI Chat: long call ids",
      OPENAI_CHAT_WIRE_RULES,
      [human("u", "go"), calling("a", ["c".repeat(41)]), result("r", "c".repeat(41), "done")],
      ["unusable-call-id"],
    ],
  ])("%s", (_, rules, messages, codes) => {
    expect(checkMessages(messages, rules).map((violation) => violation.code)).toEqual(codes);
  });
});
