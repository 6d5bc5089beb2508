import { describe, expect, test } from "vitest";
import type { WordedLine } from "./best-lines.ts";
import { bestLines } from "./best-lines.ts";

const line = (text: string, worth: number, order: number, handle = "m"): WordedLine => ({
  text,
  source: "read",
  handle,
  order,
  worth,
});
const textsOf = (lines: readonly WordedLine[], maximumChars: number) => bestLines(lines, maximumChars).map(({ text }) => text);

describe("best lines", () => {
  test.each<[string, readonly WordedLine[], number, readonly string[]]>([
    [
      "the worthiest for their length, in their own order",
      [line("aaaa", 1, 0), line("bbbb", 9, 1), line("cccc", 5, 2)],
      34,
      ["bbbb", "cccc"],
    ],
    ["nothing that is worth nothing", [line("aaaa", 0, 0)], 100, []],
    ["a text once, its newest place", [line("same", 1, 0), line("other", 1, 1), line("same", 1, 2)], 100, ["other", "same"]],
    ["a shorter line where a better one does not fit", [line("a".repeat(80), 9, 0), line("bb", 0.1, 1)], 40, ["bb"]],
    ["of equal ones the newest", [line("aaaa", 1, 0), line("bbbb", 1, 1)], 27, ["bbbb"]],
    ["nothing without room", [line("aaaa", 1, 0)], 0, []],
  ])("%s", (_, lines, maximumChars, texts) => {
    expect(textsOf(lines, maximumChars)).toEqual(texts);
  });

  test("a message's head is charged once", () => {
    const [one, two] = [line("aaaa", 1, 0), line("bbbb", 1, 1)];
    expect(textsOf([one, two], 33)).toEqual(["aaaa", "bbbb"]);
    expect(textsOf([one, { ...two, handle: "n" }], 33)).toEqual(["bbbb"]);
  });
});
