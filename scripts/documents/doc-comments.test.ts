import { describe, expect, test } from "vitest";
import { docCommentProblems, relativesPerThousand, whatComments } from "./doc-comments.mjs";

test("no doc comment begins with What: say the thing, or who does it", () => {
  expect(docCommentProblems()).toEqual([]);
});

describe("a doc comment", () => {
  test.each([
    ["begins so", "/** What a tool says. */", ["1: What a tool says."]],
    ["begins so on its second line", "x\n/**\n * What it is.\n */", ["2: What it is."]],
    ["has the word inside", "/** Says what it is. What else? */", []],
    ["begins with a word like it", "/** Whatever. */", []],
  ])("%s", (_, text, lines) => {
    expect(whatComments(text)).toEqual(lines);
  });
});

describe("free relatives in 1,000 words", () => {
  test.each([
    ["a clause as subject", "What fills the window is named.", 166.7],
    ["a clause as object, of a person", "Tells whoever waits.", 333.3],
    ["a question", "Who waits? Nothing does. What is left?", 0],
    ["code and quotations", 'It says `what` and "who waits" only.', 0],
    ["a word like it", "Somewhat whole.", 0],
  ])("%s", (_, text, expected) => {
    expect(relativesPerThousand([text])).toBe(expected);
  });
});
