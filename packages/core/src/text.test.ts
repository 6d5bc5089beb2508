import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  characterBoundaryAtOrBefore,
  codePointCount,
  createLineSplitter,
  isSurrogatePairAt,
  lineCount,
  scriptedSha256Hex,
  sha256Hex,
  shortHash,
  utf8Bytes,
} from "./text.ts";

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

describe.each([
  ["sha256Hex", sha256Hex],
  ["scriptedSha256Hex", scriptedSha256Hex],
])("%s", (_, hex) => {
  // The examples of FIPS 180-4 and its test vectors; the last one from the long-message vectors.
  test.each([
    ["the empty text", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["one block", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "two blocks, because the length no longer fits the first",
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
    [
      "several blocks",
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
    ],
    ["a million letters", "a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
  ])("gives the published digest: %s", (_, text, digest) => {
    expect(hex(text)).toBe(digest);
  });

  test("equals the platform's digest for well-formed text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
      }),
    );
  });

  test.each(Array.from({ length: 10 }, (_, index) => [55 + index]))("pads %i bytes as the standard says", (byteCount) => {
    const text = "x".repeat(byteCount);
    expect(hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
  });

  test.each([
    ["a lone surrogate and its replacement character", "\ud800", "\ufffd"],
    ["two lone surrogates", "\ud800", "\ud801"],
    ["a low surrogate before a high one, and the pair", "\udc00\ud800", "\ud800\udc00"],
  ])("tells apart %s", (_, left, right) => {
    expect(hex(left)).not.toBe(hex(right));
  });
});

test("both ways of hashing give the same for any text", () => {
  fc.assert(fc.property(anyUnits, (text) => sha256Hex(text) === scriptedSha256Hex(text)));
});

test("shortHash is the first 128 bits", () => {
  expect(shortHash("abc")).toBe("ba7816bf8f01cfea414140de5dae2223");
});

describe("a line splitter", () => {
  const linesOf = (pieces: readonly string[], mostChars = 10) => {
    const splitter = createLineSplitter(mostChars);
    return [...pieces.flatMap((piece) => splitter.take(piece)), splitter.end()];
  };

  test.each([
    ["gives lines without their ends", ["a\nb\r\nc\rd"], ["a", "b", "c", "d"]],
    ["joins a line that came in pieces", ["a", "b", "", "c\nd", "e"], ["abc", "de"]],
    ["takes a line end whose halves came apart as one", ["a\r", "\nb"], ["a", "b"]],
    ["takes it as one with nothing in between", ["a\r", "", "\nb"], ["a", "b"]],
    ["keeps empty lines", ["a\n", "\n\r", "\r"], ["a", "", "", "", ""]],
    ["gives null for a line that is too long, and goes on", ["123456", "78901", "2\nb\n", "12345678901"], [null, "b", null]],
    ["takes a line of the most", ["12345", "67890\n"], ["1234567890", ""]],
  ])("%s", (_, pieces, lines) => {
    expect(linesOf(pieces)).toEqual(lines);
  });

  test("gives the lines of the whole, however it is cut", () => {
    const anyLines = fc.array(fc.constantFrom("a", "bc", "\n", "\r", "\r\n"), { maxLength: 30 });
    fc.assert(
      fc.property(anyLines, anyLines, (one, other) => {
        const pieces = [...one, other.join("")];
        expect(linesOf(pieces, 1_000)).toEqual(pieces.join("").split(/\r\n|\n|\r/));
      }),
    );
  });

  test("searches each character once", () => {
    const split = vi.spyOn(String.prototype, "split");
    onTestFinished(() => split.mockRestore());
    expect(
      linesOf(
        Array.from({ length: 1_000 }, () => "word"),
        4_000,
      ),
    ).toEqual(["word".repeat(1_000)]);
    expect(split.mock.contexts.reduce<number>((chars, text) => chars + String(text).length, 0)).toBe(4_000);
  });
});
