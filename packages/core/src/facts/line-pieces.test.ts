import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linePieces } from "./line-pieces.ts";

const piecesOf = (text: string) => [...linePieces(text)];

describe("line pieces", () => {
  test("lines come without the white space around them, empty ones not at all", () => {
    expect(piecesOf("  one\n\n \ntwo \r\nthree").map(({ text }) => text)).toEqual(["one", "two", "three"]);
  });

  test("a line of 320 characters is whole, a longer one comes in pieces that are whole lines themselves", () => {
    expect(piecesOf("x".repeat(320)).map(({ text }) => text.length)).toEqual([320]);
    expect(piecesOf("x".repeat(500)).map(({ text }) => text.length)).toEqual([240, 320, 260, 100]);
  });

  test("the pieces' own parts are the line, each character once", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 1200 }), (text) => {
        const line = text.split("\n").join(" ").trim();
        expect(
          piecesOf(line)
            .map((piece) => piece.text.slice(piece.ownStart, piece.ownEnd))
            .join(""),
        ).toBe(line);
      }),
    );
  });
});
