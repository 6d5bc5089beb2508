import { describe, expect, test } from "vitest";
import { docCommentProblems, whatComments } from "./doc-comments.mjs";

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
