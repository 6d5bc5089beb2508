import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkMessages, STRICT_WIRE_RULES } from "../message/check.ts";
import { type Message, type Part, toolCallsOf } from "../message/message.ts";
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
  const parts = messages.flatMap((message): readonly Part[] => message.parts);
  const isResult = (message: Message) => message.role === "tool-result";
  test.each([
    ["parallel calls", messages.some((message) => toolCallsOf(message).length > 1)],
    ["failed calls", messages.some((message) => message.role === "tool-result" && message.isError)],
    ["empty results", messages.some((message) => isResult(message) && message.parts.length === 0)],
    ["reasoning and images", parts.some(({ type }) => type === "reasoning") && parts.some(({ type }) => type === "image")],
    ["giant texts", parts.some((part) => part.type === "text" && part.text.length > 20_000)],
  ])("hold %s", (_, holds) => {
    expect(holds).toBe(true);
  });
});

test("soup holds lists with each violation", () => {
  const codes = fc.sample(arbitraryMessageSoup, sample).flatMap((list) => checkMessages(list).map(({ code }) => code));
  const made = "duplicate-message-id duplicate-call-id result-without-call duplicate-result result-not-after-call";
  const more = "call-without-result empty-content malformed-text reasoning-at-end last-is-assistant no-messages";
  expect([...new Set<string>(codes)]).toEqual(expect.arrayContaining(`${made} ${more}`.split(" ")));
});
