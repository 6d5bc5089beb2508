import { describe, expect, test } from "vitest";
import { human } from "../testing/builders.ts";
import { cutKeepingMessages, cutKeepingTokens } from "./recent.ts";

const messages = [100, 50, 30, 20, 10].map((tokens, index) => human(`u${index}`, "x".repeat(tokens)));
const length = (message: (typeof messages)[number]) =>
  message.parts.map((part) => ("text" in part ? part.text.length : 0)).reduce((a, b) => a + b);

test.each([
  ["keep nothing", 0, 5],
  ["keep the newest two", 2, 3],
  ["keep all", 5, 0],
  ["keep more than there are", 9, 0],
])("cutKeepingMessages: %s", (_, count, cut) => {
  expect(cutKeepingMessages(messages, count)).toBe(cut);
});

describe("cutKeepingTokens", () => {
  test.each([
    ["keep nothing", 0, 5],
    ["less than the newest", 5, 4],
    ["exactly the newest", 10, 4],
    ["one token more takes one message more", 11, 3],
    ["the message that reaches it is kept", 55, 2],
    ["exactly all", 210, 0],
    ["P-7: all together do not reach it", 1000, 0],
  ])("%s", (_, keepTokens, cut) => {
    expect(cutKeepingTokens(messages, keepTokens, (message) => (message.role === "user" ? length(message) : 0))).toBe(cut);
  });

  test("prices only what is kept", () => {
    const priced: string[] = [];
    cutKeepingTokens(messages, 25, (message) => {
      priced.push(message.id);
      return 10;
    });
    expect(priced).toEqual(["u4", "u3", "u2"]);
  });
});
