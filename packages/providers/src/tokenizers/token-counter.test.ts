import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import o200k from "js-tiktoken/ranks/o200k_base";
import { describe, expect, test } from "vitest";
import { createTokenCounter, MAX_PIECE_CHARS, piecesOf } from "./token-counter.ts";

const countO200k = createTokenCounter(o200k);
const encodings = [
  { name: "o200k_base", countTokens: countO200k, plain: new Tiktoken(o200k) },
  { name: "cl100k_base", countTokens: createTokenCounter(cl100k), plain: new Tiktoken(cl100k) },
];

const code = `export function chainId(previousId: string | null, draft: MessageDraft): string {
  return shortHash(\`\${previousId ?? ""}\\n\${draft.role}\\n\${canonicalContent(draft)}\`);
}\r\n\t\tif (x>=1_000_000 && !isEmpty(y)) { /* don't */ }`;

const ordinary = [
  ["nothing", ""],
  ["one character", "x"],
  [
    "english",
    "The mark on a ship's hull that says how far it may be loaded, in which water. It's 1,234.56 tonnes; they'll see.",
  ],
  ["code", code],
  ["japanese", "会話の履歴を短くしても、必要な情報は失われません。テストは24件すべて通りました。"],
  ["ukrainian", "Навіщо стискати контекст? Бо вікно моделі обмежене, а кожен виклик читає його знову."],
  ["greek", "Η γραμμή Plimsoll δείχνει πόσο μπορεί να φορτωθεί ένα πλοίο."],
  ["arabic", "خط التحميل هو العلامة على هيكل السفينة"],
  ["hindi", "जहाज़ के पतवार पर बना निशान"],
  ["emoji", "ok 👍🏽, 👨‍👩‍👧‍👦 done ✅"],
  ["white space", "  a\n\n\n   b \t c   \r\n\r\n  "],
  ["numbers", "3.14159265358979323846 0x9e3779b97f4a7c15 2024-11-05T10:15:00Z"],
  ["lone surrogates", "a\ud800b\udc00"],
  ["special tokens", "before <|endoftext|> and <|endofprompt|><|im_start|> after"],
  ["several windows", `${code}\n`.repeat(400)],
] as const;

describe.each(encodings)("$name", ({ countTokens, plain }) => {
  test.each(ordinary)("counts what the plain tokenizer counts: %s", (_, text) => {
    expect(countTokens(text)).toBe(plain.encode(text, [], []).length);
  });

  test.each([
    ["one letter", "a".repeat(1_000)],
    ["capitals", "A".repeat(1_000)],
    ["unbroken CJK", "漢字仮名交文".repeat(80)],
    ["punctuation", "=".repeat(1_000)],
    ["spaces", `${" ".repeat(1_000)}x`],
    ["base64", "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcms".repeat(30)],
  ])("is within two tokens a cut of the plain tokenizer: %s", (_, text) => {
    const exact = plain.encode(text, [], []).length;
    const counted = countTokens(text);
    expect(Math.abs(counted - exact)).toBeLessThanOrEqual((2 * text.length) / MAX_PIECE_CHARS);
  });
});

/** Counts text, and the pieces that are handed to the merge. */
function countWork(text: string) {
  const chars = [...piecesOf(text, o200k.pat_str)].map((piece) => piece.length);
  const longest = chars.reduce((most, each) => Math.max(most, each), 0);
  return { tokens: countO200k(text), pieces: chars.length, chars: chars.reduce((sum, each) => sum + each, 0), longest };
}

/** Far more than a megabyte takes; work is asserted, not time. */
const LONG_TEXT_MS = 60_000;

const mixed = Array.from({ length: 100_000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000))).join("");

test.each([
  ["1 MB of one letter", "a".repeat(1_000_000)],
  ["200 KB of emoji", "😀👍🏽👩‍🚀".repeat(16_000)],
  ["100,000 different unbroken ideographs", mixed],
  ["1 MB of spaces before a letter", `${" ".repeat(1_000_000)}x`],
  ["special tokens without a break", "<|endoftext|>".repeat(20_000)],
  ["marks and signs in turn", "\u0301.".repeat(100_000)],
])("hostile text costs bounded work a character: %s", { timeout: LONG_TEXT_MS }, (_, text) => {
  const work = countWork(text);
  expect(work.chars).toBe(text.length);
  expect(work.longest).toBeLessThanOrEqual(MAX_PIECE_CHARS);
  expect(work.tokens).toBeGreaterThan(text.length / MAX_PIECE_CHARS);
});

test("long runs make pieces in proportion to their length", { timeout: LONG_TEXT_MS }, () => {
  const half = countWork("a".repeat(500_000));
  const whole = countWork("a".repeat(1_000_000));
  expect(whole.pieces).toBeLessThanOrEqual(2 * half.pieces + 1);
  expect(whole.pieces).toBeLessThanOrEqual(1_000_000 / MAX_PIECE_CHARS + 32);
});
