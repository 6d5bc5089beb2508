import { expect, onTestFinished, test, vi } from "vitest";
import { flushed, LINE_START, wrapPiece } from "./word-wrap.ts";

/** Shows pieces that come one after the other on a terminal of ten columns. */
function shown(pieces: readonly string[]): string {
  let text = "";
  let state = LINE_START;
  for (const piece of pieces) {
    const wrapped = wrapPiece(state, piece, 10);
    state = wrapped.state;
    text += wrapped.text;
  }
  return text + flushed(state, 10).text;
}

test.each([
  ["breaks between words", ["all is well with it"], "all is \nwell with \nit"],
  ["waits for the end of a word that comes in pieces", ["all is we", "ll and", " good"], "all is \nwell and \ngood"],
  ["keeps lines and their indent", ["one\n  two\n\nthree"], "one\n  two\n\nthree"],
  ["gives a word that is too long a line of its own", ["a 123456789012 b"], "a \n123456789012\nb"],
  ["leaves what fits", ["1234567890"], "1234567890"],
  ["drops the blank at which a full line ends", ["1234567890 next"], "1234567890\nnext"],
])("%s", (_rule, pieces, text) => {
  expect(shown(pieces)).toBe(text);
});

test("however it is cut into pieces, it reads the same", () => {
  const text = "A text of some words, with a very-long-word-in-it,\nand a second line that goes on.";
  const whole = shown([text]);
  expect(shown([...text])).toBe(whole);
  expect(shown(text.split(/(?<=e)/))).toBe(whole);
  expect(whole.split(/\s+/)).toEqual(text.split(/\s+/));
});

test("a word without an end is searched once, in however many pieces it comes", () => {
  const split = vi.spyOn(String.prototype, "split");
  onTestFinished(() => split.mockRestore());
  expect(shown(Array.from({ length: 1_000 }, () => "word"))).toBe("word".repeat(1_000));
  expect(split.mock.contexts.reduce<number>((chars, text) => chars + String(text).length, 0)).toBe(4_000);
});
