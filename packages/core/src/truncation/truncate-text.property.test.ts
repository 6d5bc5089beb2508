import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8Bytes } from "../text.ts";
import { OUTPUT_CATEGORIES } from "../tool.ts";
import { truncateToolResult } from "./truncate-text.ts";

const NOTICE = /\n?\[… (?:(\d+) lines? \/ )?(\d+) bytes omitted\](?:\n\[… a hint\])?\n?/;

/** Text of all scripts, with lone surrogates, CRLF, no line end at all, one huge line, words of errors and exit codes. */
const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("\ud800", "\udfff", "a", "世", "😀", "\n"), maxLength: 40 }),
  fc.constantFrom("\n", "\r\n", "\n\n", "error: no\n", "exit code 1\n", "x".repeat(900), "é".repeat(500), "line\n".repeat(150)),
);
const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join("").replaceAll("[…", ""));
const capTokens = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1500 }));
const hint = fc.constantFrom({}, { hint: "a hint" });

describe.each(OUTPUT_CATEGORIES)("truncateToolResult of %s", (category) => {
  test("never exceeds the cap, never grows, and leaves what fits as it is", () => {
    fc.assert(
      fc.property(text, capTokens, hint, (content, cap, advice) => {
        const cut = truncateToolResult(content, { category, capTokens: cap, ...advice });
        expect(utf8Bytes(cut.text)).toBeLessThanOrEqual(cap * 4);
        expect(cut.text.length).toBeLessThanOrEqual(content.length);
        expect(cut.isTruncated).toBe(utf8Bytes(content) > cap * 4);
        expect(cut.isTruncated || cut.text === content).toBe(true);
        expect(cut.text === "" && content !== "").toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test("keeps literal pieces in order and counts the rest truly", () => {
    fc.assert(
      fc.property(text, capTokens, hint, (content, cap, advice) => {
        const cut = truncateToolResult(content, { category, capTokens: cap, ...advice });
        const notices = [...cut.text.matchAll(new RegExp(NOTICE, "g"))];
        const kept = cut.text.split(new RegExp(NOTICE.source.replaceAll(/\((?!\?)/g, "(?:"))).filter((part) => part !== "");
        let from = 0;
        for (const part of kept) {
          const at = content.indexOf(part, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + part.length;
        }
        expect(content.startsWith(kept[0] ?? "")).toBe(true);
        const told = notices.map((notice) => Number(notice[2])).reduce((sum, bytes) => sum + bytes, 0);
        expect(notices.length === 0 || told === cut.omittedBytes).toBe(true);
        const toldLines = notices.map((notice) => Number(notice[1] ?? 0)).reduce((sum, lines) => sum + lines, 0);
        expect([0, cut.omittedLines]).toContain(toldLines);
        // Piece by piece: two halves of a character would become one if the pieces were joined.
        const keptBytes = kept.reduce((sum, part) => sum + utf8Bytes(part), 0);
        const lineEnds = utf8Bytes(content) - cut.omittedBytes - keptBytes;
        expect(lineEnds).toBeGreaterThanOrEqual(0);
        expect(lineEnds).toBeLessThanOrEqual(2 * notices.length);
      }),
      { numRuns: 300, examples: [["\ud800\n𐀀 𐀀𐀀 𐀀𐀀 𐀀\ud800\ud800\ud800\ud800\ud800\n\udfffࠀ𐀀", 12, {}]] },
    );
  });

  test("never cuts inside a character", () => {
    const wellFormed = fc.string({ unit: fc.constantFrom("😀", "世", "é", "a", "\n", "\r\n"), maxLength: 400 });
    fc.assert(
      fc.property(wellFormed, fc.integer({ min: 1, max: 120 }), (content, cap) => {
        const cut = truncateToolResult(content, { category, capTokens: cap });
        expect(/\p{Surrogate}/u.test(cut.text)).toBe(false);
      }),
    );
  });
});
