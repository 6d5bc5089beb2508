import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { characterBoundaryAtOrBefore, codePointCount, isSurrogatePairAt, lineCount, utf8Bytes } from "./text.ts";

const anyText = fc.string({ unit: "binary", maxLength: 60 });
const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }).map((units) => String.fromCharCode(...units));

describe("utf8Bytes", () => {
  test.each([
    ["nothing", "", 0],
    ["ASCII", "abc", 3],
    ["two bytes a character", "é", 2],
    ["three bytes a character", "世", 3],
    ["a pair of surrogates", "😀", 4],
    ["a lone high surrogate", "\ud800", 3],
    ["a lone low surrogate", "\udc00", 3],
    ["surrogates the wrong way round", "\udc00\ud800", 6],
    ["a high surrogate before a pair", "\ud83d😀", 7],
  ])("counts %s", (_, text, bytes) => {
    expect(utf8Bytes(text)).toBe(bytes);
  });

  test("counts what the encoder writes, lone surrogates included", () => {
    fc.assert(
      fc.property(anyUnits, (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text, "utf8"));
      }),
    );
  });
});

test("codePointCount counts what iterating the text gives", () => {
  fc.assert(
    fc.property(anyUnits, (text) => {
      expect(codePointCount(text)).toBe([...text].length);
    }),
  );
});

test.each([
  ["at the pair", 1, true],
  ["inside the pair", 2, false],
  ["at a letter", 0, false],
  ["past the end", 9, false],
])("isSurrogatePairAt %s", (_, index, isPair) => {
  expect(isSurrogatePairAt("a😀", index)).toBe(isPair);
});

describe("characterBoundaryAtOrBefore", () => {
  test.each([
    ["before the text", "a😀b", -1, 0],
    ["at a boundary", "a😀b", 1, 1],
    ["inside a pair", "a😀b", 2, 1],
    ["after a pair", "a😀b", 3, 3],
    ["past the text", "a😀b", 99, 4],
    ["between lone surrogates", "\udc00\ud800", 1, 1],
  ])("gives the boundary %s", (_, text, index, boundary) => {
    expect(characterBoundaryAtOrBefore(text, index)).toBe(boundary);
  });

  test("cuts well-formed text into two well-formed halves", () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 130 }), (text, index) => {
        const cut = characterBoundaryAtOrBefore(text, index);
        expect([...text.slice(0, cut), ...text.slice(cut)]).toEqual([...text]);
        expect(Math.min(index, text.length) - cut).toBeLessThanOrEqual(1);
      }),
    );
  });
});

test.each([
  ["nothing", "", 0],
  ["one line", "a", 1],
  ["one line with its break", "a\n", 1],
  ["two lines", "a\nb", 2],
  ["blank lines", "\n\n", 2],
  ["CRLF", "a\r\nb\r\n", 2],
])("lineCount counts %s", (_, text, lines) => {
  expect(lineCount(text)).toBe(lines);
});
