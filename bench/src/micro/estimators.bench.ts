import { charClass, createWorkCounter } from "@plimsoll/core";
import { bench, describe } from "vitest";

// The time to measure a text that tokenizers choke on, against JSON.parse of the same text.
// Run with: pnpm exec vitest bench --run bench/src/micro/estimators.bench.ts

const TEXTS = {
  "1 MB of one letter": "a".repeat(1_000_000),
  "200 KB of emoji": "😀".repeat(50_000),
  "unbroken CJK": "漢".repeat(100_000),
  base64: "QWxhZGRpbjpvcGVuIHNlc2FtZQ0K".repeat(10_000),
  "minified code": "function(a,b){return a<b?-1:a>b?1:0};".repeat(8_000),
  "special tokens": "<|endoftext|>".repeat(20_000),
  "lines of code": 'export const value = read("src/part.ts");\n'.repeat(8_000),
} as const;

for (const [name, text] of Object.entries(TEXTS)) {
  const json = JSON.stringify(text);
  describe(name, () => {
    bench("JSON.parse", () => {
      JSON.parse(json);
    });
    bench("char-class", () => {
      charClass({ kind: "char-class" }, { work: createWorkCounter() }).textTokens(text);
    });
  });
}
