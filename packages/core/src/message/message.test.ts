import { expect, test } from "vitest";
import { human } from "../testing/builders.ts";
import { sharedPrefixCount } from "./message.ts";

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
