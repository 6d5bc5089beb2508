import { shortHash } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { nativeShortHash } from "./log-items.ts";

test.each([
  ["nothing", ""],
  ["ASCII", "a\nb"],
  ["two, three and four bytes a character", "é漢😀"],
  ["half of a pair at the end", "a\ud83d"],
  ["the other half alone", "\ude00b"],
  ["halves in the wrong order", "\ude00\ud83d"],
  ["several blocks", "0123456789abcdef".repeat(100)],
])("%s has the hash that core gives it", (_, text) => {
  expect(nativeShortHash(text)).toBe(shortHash(text));
});
