import { describe, expect, test } from "vitest";
import { human } from "../testing/builders.ts";
import { charClass } from "./char-class.ts";
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
