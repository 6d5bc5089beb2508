import fc from "fast-check";

/** Pieces that have broken something somewhere: every script, joined and lone surrogates, blanks, what looks like markup or a token. */
const PIECES = [
  "a",
  "The quick brown fox.",
  "const x = { y: [1, 2, 3] };",
  "packages/core/src/text.ts:12:5",
  "https://example.org/a?b=c#d",
  "0x9e3779b97f4a7c15",
  "naïve café Zürich",
  "Навіщо стискати контекст?",
  "Η γραμμή φόρτωσης",
  "خط التحميل",
  "קו המים",
  "जहाज़ का निशान",
  "เส้นบรรทุก",
  "会話の履歴を短くする",
  "压缩上下文",
  "대화 기록",
  "👍🏽👨‍👩‍👧‍👦✅",
  "e\u0301\u0323",
  "\ud800",
  "\udc00",
  "\udc00\ud800",
  "\u200b\u2028\ufeff",
  "\0\u001b[31m",
  " ",
  "\t",
  "\n",
  "\r\n",
  "<|endoftext|>",
  "</conversation>",
  "$& $1 $$",
  '{"type":"tool_result"}',
  "\\u0000 %s \\",
] as const;

/** Any text: empty, blank, in all scripts, with lone surrogates. */
export const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join("")) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\n\n") },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...PIECES), fc.integer({ min: 100, max: 3000 }))
      .map(([piece, times]) => piece.repeat(times)),
  },
);

/** Text with at least one visible character. */
export const arbitraryVisibleText: fc.Arbitrary<string> = arbitraryText.map((text) => (text.trim() === "" ? `${text}x` : text));
