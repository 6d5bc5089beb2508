import type { CharsPerTokenSpec } from "@plimsoll/core/build";
import { charClass, charsPerToken, createWorkCounter } from "@plimsoll/core/build";
import { loadTokenCounter } from "@plimsoll/providers/tokenizers";
import type { Comparison } from "./comparison.ts";

/** Texts that tokenizers choke on, and one that is usual. */
const TEXTS = {
  "lines of code": 'export const value = read("src/part.ts");\n'.repeat(8000),
  "minified code": "function(a,b){return a<b?-1:a>b?1:0};".repeat(8000),
  base64: "QWxhZGRpbjpvcGVuIHNlc2FtZQ0K".repeat(10_000),
  "one letter": "a".repeat(1_000_000),
  emoji: "😀".repeat(50_000),
  "unbroken Chinese": "漢".repeat(100_000),
  "special tokens": "<|endoftext|>".repeat(20_000),
} as const;

/** Characters that the exact count is compared on: enough for its cache of pieces to be warm. */
const COUNTED_CHARS = 40_000;

/** The estimate that most agents make. */
const BYTES_PER_FOUR: CharsPerTokenSpec = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf8-bytes",
  rounding: "floor",
  perMessageTokens: 0,
  minimumMessageTokens: 0,
  imageTokens: 0,
};

/** One pass over the text against parsing it, for every text; then the exact count and the plain division against the one pass. */
export async function estimatorComparisons(): Promise<readonly Comparison[]> {
  const work = createWorkCounter();
  const classes = charClass(work);
  const quarter = charsPerToken(BYTES_PER_FOUR, work);
  const o200k = await loadTokenCounter("o200k_base");
  const code = TEXTS["lines of code"].slice(0, COUNTED_CHARS);
  return [
    ...Object.entries(TEXTS).map(([name, text]): Comparison => {
      const json = JSON.stringify(text);
      return {
        slow: `char-class, ${name}`,
        fast: "JSON.parse of the text",
        runSlow: () => classes.textTokens(text),
        runFast: () => JSON.parse(json),
        unlike: null,
      };
    }),
    {
      slow: "o200k_base tokens of lines of code",
      fast: "char-class",
      runSlow: () => o200k.countTokens(code),
      runFast: () => classes.textTokens(code),
      unlike: "the one is exact for one vendor, the other within some per cent for all",
    },
    {
      slow: "char-class of lines of code",
      fast: "UTF-8 bytes / 4",
      runSlow: () => classes.textTokens(code),
      runFast: () => quarter.textTokens(code),
      unlike: "the division is 28 % too low for code",
    },
  ];
}
