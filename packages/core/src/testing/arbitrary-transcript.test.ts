import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkMessages, STRICT_WIRE_RULES, type WireViolationCode } from "../message/check.ts";
import { toolCallsOf } from "../message/message.ts";
import { arbitraryMessageSoup, arbitraryValidMessages } from "./arbitrary-transcript.ts";

/** One fixed sample, so that its content can be asserted. */
const sample = { numRuns: 300, seed: 1 } as const;

describe("valid lists", () => {
  const lists = fc.sample(arbitraryValidMessages, sample);

  test("can be sent", () => {
    const rules = { ...STRICT_WIRE_RULES, lastMessage: "any" } as const;
    expect(lists.flatMap((messages) => checkMessages(messages, rules))).toEqual([]);
  });

  const messages = lists.flat();
  test.each([
    ["parallel calls", messages.some((message) => toolCallsOf(message).length > 1)],
    ["failed calls", messages.some((message) => message.role === "tool-result" && message.isError)],
    ["empty results", messages.some((message) => message.role === "tool-result" && message.parts.length === 0)],
    ["reasoning", messages.some((message) => message.parts.some((part) => part.type === "reasoning"))],
    ["images", messages.some((message) => message.parts.some((part) => part.type === "image"))],
    [
      "giant texts",
      messages.some((message) => message.parts.some((part) => part.type === "text" && part.text.length > 20_000)),
    ],
  ])("hold %s", (_, holds) => {
    expect(holds).toBe(true);
  });
});

describe("soup", () => {
  const codes = new Set(fc.sample(arbitraryMessageSoup, sample).flatMap((list) => checkMessages(list).map(({ code }) => code)));

  test.each<[WireViolationCode]>([
    ["duplicate-message-id"],
    ["duplicate-call-id"],
    ["result-without-call"],
    ["duplicate-result"],
    ["result-not-after-call"],
    ["call-without-result"],
    ["empty-content"],
    ["malformed-text"],
    ["reasoning-at-end"],
    ["last-is-assistant"],
    ["no-messages"],
  ])("holds lists with %s", (code) => {
    expect(codes).toContain(code);
  });
});
