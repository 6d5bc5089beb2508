import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { comparableText, numberedLines } from "./texts.ts";

describe("comparableText", () => {
  test.each([
    ["line ends are one, and a carriage return alone is none", "a\r\nb\rc", "a\nb\rc"],
    ["white space at the end of a line goes", "a \t\n  b", "a\n  b"],
    ["numbers with an arrow go on any line", "note\n     7→  code\nother", "note\n  code\nother"],
    ["an empty numbered line becomes an empty one", "1→a\n2→\n3→b", "a\n\nb"],
    ["numbers with a tab go if most lines have one", "1\ta\n2\tb\n3\tc\nend", "a\nb\nc\nend"],
    ["a line that has only a number and a tab becomes empty", "1\ta\n2\t\n3\tb", "a\n\nb"],
    ["numbers with a colon and a bar, too", "1: a\n2| b", "a\nb"],
    ["a space behind them is the text's own if one line has none", "1:a\n2:  b", "a\n  b"],
    ["few numbers stay", "1: a\nb\nc\nd", "1: a\nb\nc\nd"],
    ["one line alone is no numbering", "1: a", "1: a"],
    ["what only looks like a number stays", "12 a\n13 b", "12 a\n13 b"],
    ["long digits are no line number", "123456789→a", "123456789→a"],
  ])("%s", (_, text, expected) => {
    expect(comparableText(text)).toBe(expected);
  });
});

test("numbers are those that the expressions of docs/evidence.md find", () => {
  const piece = fc.constantFrom(" ", "\t", "            ", "1", "234567", "→", ":", "|", "a", "", "\n", "\n1:", "\n2: ");
  const text = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, (given) => {
      expect(comparableText(given)).toBe(comparableByExpressions(given));
    }),
    { numRuns: 2000 },
  );
});

function comparableByExpressions(text: string): string {
  const lines = text.split("\n");
  const numbered = lines.filter((line) => /^[ \t]{0,12}\d{1,7}[\t:|]/.test(line));
  const filled = lines.filter((line) => line.trimEnd() !== "");
  const isNumbered = numbered.length >= 2 && numbered.length >= 0.75 * filled.length;
  const isSpaced = numbered.every((line) => /^\s*\d+(?:\t|[:|](?: |\s*$))/.test(line));
  const marked = isSpaced ? /^[ \t]{0,12}\d{1,7}(?:\t|[:|] ?)/ : /^[ \t]{0,12}\d{1,7}[\t:|]/;
  const numberOf = (line: string) => (/^[ \t]{0,12}\d{1,7}→/.exec(line) ?? (isNumbered ? marked.exec(line) : null))?.[0] ?? "";
  return lines.map((line) => line.slice(numberOf(line).length).trimEnd()).join("\n");
}

describe("numberedLines", () => {
  test.each<[string, string, readonly (readonly [number, string])[] | null]>([
    [
      "knows each line's number",
      "  10→a\n  11→b",
      [
        [10, "a"],
        [11, "b"],
      ],
    ],
    ["skips what has none", "head\n3→c", [[3, "c"]]],
    ["says so if there are none", "a\nb", null],
  ])("%s", (_, text, expected) => {
    const lines = numberedLines(text);
    expect(lines === null ? null : [...lines]).toEqual(expected);
  });
});
