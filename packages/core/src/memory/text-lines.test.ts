import { describe, expect, test } from "vitest";
import { lineHash, textHash, textLines } from "./text-lines.ts";

/** Each line behind its number, or behind a dash. */
function linesOf(text: string): readonly string[] {
  return textLines(text).map(({ number, start, end }) => `${number ?? "-"} ${text.slice(start, end)}`);
}

describe("lines of a text", () => {
  test.each<[string, string, readonly string[]]>([
    ["an empty text has one empty line", "", ["- "]],
    ["a line end at the end begins another line", "a\n", ["- a", "- "]],
    ["numbers with an arrow go", "  9→one\n 10→\ttwo", ["9 one", "10 \ttwo"]],
    ["numbers with a tab go", "1\tone\n2\ttwo", ["1 one", "2 two"]],
    ["a space behind a colon or bar belongs to the number", "1: one\n2|two", ["1 one", "2 two"]],
    ["a line that is only its number is empty", "1\tone\n2\t\n3\tthree", ["1 one", "2 ", "3 three"]],
    ["one number is none", "1\tone", ["- 1\tone"]],
    ["numbers on fewer than three of four lines are none", "1\tone\n2\ttwo\nthree", ["- 1\tone", "- 2\ttwo", "- three"]],
    ["a note among many numbered lines keeps its text", "1\ta\n2\tb\n3\tc\nnote", ["1 a", "2 b", "3 c", "- note"]],
    ["a number of eight digits is data", "12345678\ta\n12345679\tb", ["- 12345678\ta", "- 12345679\tb"]],
    ["a text may begin with a line end", "\na", ["- ", "- a"]],
    ["empty lines do not count", "1\ta\n\n\n2\tb", ["1 a", "- ", "- ", "2 b"]],
    ["a number stands twelve blanks or tabs in at most", `${" ".repeat(12)}1\ta\n${"\t".repeat(12)}2\tb`, ["1 a", "2 b"]],
    [
      "what stands further in is data",
      `${" ".repeat(13)}1\ta\n${" ".repeat(13)}2\tb`,
      [`- ${" ".repeat(13)}1\ta`, `- ${" ".repeat(13)}2\tb`],
    ],
    ["a table of bars is data", "| a | b |\n| c | d |", ["- | a | b |", "- | c | d |"]],
    ["a number alone is data among numbered lines, too", "1\ta\n2\tb\n3\tc\n4", ["1 a", "2 b", "3 c", "- 4"]],
    [
      "a space behind a tab or an arrow belongs to the line, one behind a bar to the number",
      "1\t a\n2→ b\n3| c\n4: d",
      ["1  a", "2  b", "3 c", "4 d"],
    ],
    ["a number alone is data", "1\n2", ["- 1", "- 2"]],
  ])("%s", (_, text, lines) => {
    expect(linesOf(text)).toEqual(lines);
  });

  test.each<[string, string, boolean]>([
    ["  const a = 1;", "const a = 1;\r", true],
    ["const a = 1;", "const a = 2;", false],
    ["const a = 1;", "const  a = 1;", false],
  ])("%j and %j say the same: %s", (a, b, isSame) => {
    const hash = (text: string) => lineHash(text, { start: 0, end: text.length });
    expect(hash(a) === hash(b)).toBe(isSame);
  });

  test("a word of four characters tells something", () => {
    expect(lineHash("  else", { start: 0, end: 6 })).not.toBe(0);
  });

  test("no text has the hash of a line that says nothing", () => {
    // One of 150 printable texts of six characters whose 32 bits are all 0.
    expect(textHash("0xC45f", 0, 6)).toBe(1);
  });

  test.each(["", "   ", "}", "  });"])("%j says too little to be told from others", (text) => {
    expect(lineHash(text, { start: 0, end: text.length })).toBe(0);
  });
});
