import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { human } from "../testing/builders.ts";
import { CHAR_CLASSES, charClass, countClasses, NO_COUNTS } from "./char-class.ts";
import { createWorkCounter } from "./measure.ts";

/** Texts that tokenizers choke on. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ["1 MB of one letter", "a".repeat(1_000_000)],
  ["200 KB of emoji", "😀".repeat(50_000)],
  ["unbroken CJK", "漢".repeat(100_000)],
  ["base64", "QWxhZGRpbjpvcGVuIHNlc2FtZQ0K".repeat(5000)],
  ["minified code", "function(a,b){return a<b?-1:a>b?1:0};".repeat(5000)],
  ["a special token", "<|endoftext|>".repeat(1000)],
  ["lone surrogates", "\ud800".repeat(1000)],
];

describe("charClass", () => {
  test.each(HOSTILE)("%s: read once, a plausible size", (_, text) => {
    const work = createWorkCounter();
    const tokens = charClass(work).messageTokens(human("u", text));
    expect(work.total().charactersScanned).toBe(text.length);
    expect(Number.isSafeInteger(tokens)).toBe(true);
    expect(tokens / text.length).toBeLessThan(2.5);
    expect(tokens).toBeGreaterThan(0);
  });

  test("a message is read once, however often it is priced", () => {
    const work = createWorkCounter();
    const measure = charClass(work);
    const message = human("u", "some words");
    expect(measure.messageTokens(message)).toBe(measure.messageTokens(message));
    expect(work.total()).toEqual({ charactersScanned: 10, messagesVisited: 1, tokenizerCalls: 0 });
  });

  test("English prose measures some four and a half characters a token", () => {
    const text = "The quick brown fox jumps over the lazy dog, and then it rests in the shade of an old tree. ".repeat(20);
    const tokens = charClass(createWorkCounter()).textTokens(text);
    expect(text.length / tokens).toBeGreaterThan(3.5);
    expect(text.length / tokens).toBeLessThan(5.5);
  });
});

function countsOf(text: string): readonly number[] {
  const counts = [...NO_COUNTS];
  countClasses(text, counts);
  return counts;
}

function minus(counts: readonly number[], others: readonly number[]): readonly number[] {
  return counts.map((count, index) => count - (others[index] ?? 0));
}

/** The classes that a text has, with how often. */
function classesOf(text: string): Readonly<Record<string, number>> {
  const counts = countsOf(text);
  return Object.fromEntries(CHAR_CLASSES.flatMap((name, index) => (counts[index] === 0 ? [] : [[name, counts[index] ?? 0]])));
}

describe("countClasses", () => {
  test.each<[string, string, Readonly<Record<string, number>>]>([
    ["nothing", "", {}],
    [
      "a word by the places of its letters",
      "abcdefghij",
      { "lower-start": 1, "letters-2-to-4": 3, "letters-5-to-8": 4, "letters-from-9": 2 },
    ],
    ["a word after a space", "a bc", { "lower-start": 1, space: 1, "spaced-lower-start": 1, "letters-2-to-4": 1 }],
    [
      "upper case starts a word, a run of it is a class of its own",
      "ABc De",
      { "upper-start": 1, "upper-run": 1, "letters-2-to-4": 2, space: 1, "spaced-upper-start": 1 },
    ],
    ["digits, and a letter after one", "12a", { "digit-start": 1, "digit-run": 1, "letter-after-digit": 1 }],
    [
      "a run of letters that no word is as long as: each behind the twentieth costs what it does among digits",
      "thequickbrownfoxjumpsover",
      { "lower-start": 1, "letters-2-to-4": 3, "letters-5-to-8": 4, "letters-from-9": 12, "letter-after-digit": 5 },
    ],
    ["the same in capitals", "MKVLAAGIVGLCAKAYWDEFMKVLW", { "upper-start": 1, "upper-run": 19, "letter-after-digit": 5 }],
    [
      "one letter again and again is no such run",
      "a".repeat(30),
      { "lower-start": 1, "letters-2-to-4": 3, "letters-5-to-8": 4, "letters-from-9": 22 },
    ],
    ["indents and empty lines", "\n\n  ", { newline: 1, "newline-run": 1, space: 1, "space-run": 1 }],
    [
      "punctuation alone, in runs and repeated",
      "(a.b){}--",
      { bracket: 2, "dot-comma": 1, "lower-start": 2, "punctuation-run": 3, "repeated-punctuation": 1 },
    ],
    ["a pair of surrogates counts once", "😀", { astral: 1 }],
    ["scripts", "éж中─", { latin: 1, alphabet: 1, ideograph: 1, symbol: 1 }],
    ["a drawn line", "───", { symbol: 1, "drawing-run": 2 }],
    ["a drawn line that is broken off", "─a─", { symbol: 2, "lower-start": 1 }],
    ["a tab between lines", "\n\t\n", { newline: 1, tab: 1, "newline-run": 1 }],
    ["a word that goes on after other letters", "éab", { latin: 1, "lower-start": 1, "letters-2-to-4": 1 }],
    ["a zero at the beginning", "\0\0a\0", { "repeated-punctuation": 2, "lower-start": 1, "other-punctuation": 1 }],
  ])("%s", (_, text, classes) => {
    expect(classesOf(text)).toEqual(classes);
  });

  test("counts a text that is long enough for two halves as its parts behind spaces", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { maxLength: 80 }), fc.integer({ min: 2, max: 9 }), (units, times) => {
        const part = `${String.fromCharCode(...units)} `;
        const behindSpace = minus(countsOf(` ${part}`), countsOf(" "));
        const expected = behindSpace.map((count, index) => (countsOf(part)[index] ?? 0) + (times - 1) * count);
        expect(countsOf(part.repeat(times))).toEqual(expected);
      }),
    );
  });

  test("counts each code unit at most once, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0xffff), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
        (text) => {
          const counted = Object.values(classesOf(text)).reduce((sum, count) => sum + count, 0);
          expect(counted).toBeLessThanOrEqual(text.length);
          expect(counted).toBeGreaterThanOrEqual(text.length / 2);
        },
      ),
      { seed: 1, numRuns: 60 },
    );
  });
});
