import { expect, test } from "vitest";
import { wrapped } from "./wrapped.ts";

test.each([
  ["a short text", "one two", ["- one two"]],
  [
    "a long one",
    `${"word ".repeat(20)}end`,
    [`- ${"word ".repeat(15)}word`.slice(0, 76).trimEnd(), `  ${"word ".repeat(5)}end`],
  ],
  ["a word longer than a line", `a ${"x".repeat(90)} b`, ["- a", `  ${"x".repeat(90)}`, "  b"]],
  ["nothing", "", ["- "]],
])("%s", (_what, text, lines) => {
  expect(wrapped(text, { first: "- ", further: "  " })).toEqual(lines);
});
