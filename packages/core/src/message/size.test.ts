import { expect, test } from "vitest";
import { absentImage, assistant, human, humanImage, result, toolCall } from "../testing/builders.ts";
import { coverageOf, messageChars, partChars } from "./size.ts";

test.each([
  ["text", human("a", "four"), 4],
  [
    "reasoning as its text, without what only the vendor reads",
    assistant("a", [{ type: "reasoning", text: "why", opaque: "signature" }]),
    3,
  ],
  ["a call as name and arguments", toolCall("a", "c", { name: "aaaa", argumentsJson: "bbbbbbbb" }), 12],
  ["an image as nothing", humanImage("a"), 0],
  [
    "all parts of a result",
    { ...result("a", "c", "four"), parts: [{ type: "text", text: "four" } as const, absentImage()] },
    4,
  ],
])("messageChars counts %s", (_, message, chars) => {
  expect(messageChars(message)).toBe(chars);
});

test("partChars counts UTF-16 units", () => {
  expect(partChars({ type: "text", text: "😀" })).toBe(2);
});

test("coverageOf adds up messages, parts and characters", () => {
  const both = assistant("b", [
    { type: "text", text: "see" },
    { type: "reasoning", text: "why", opaque: null },
  ]);
  expect(coverageOf([human("a", "four"), both])).toEqual({ messages: 2, parts: 3, chars: 10 });
  expect(coverageOf([])).toEqual({ messages: 0, parts: 0, chars: 0 });
});
