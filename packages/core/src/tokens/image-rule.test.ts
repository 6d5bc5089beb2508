import { describe, expect, test } from "vitest";
import { absentImage } from "../testing/builders.ts";
import type { ImageRule } from "./image-rule.ts";
import { imageTokensOf } from "./image-rule.ts";

const area: ImageRule = { kind: "area", pixelsPerToken: 750, maximumTokens: 1600, unknownTokens: 1500, pageTokens: 2000 };
const tiles: ImageRule = {
  kind: "tiles",
  baseTokens: 85,
  tileTokens: 170,
  tilePx: 512,
  longestPx: 2048,
  shorterPx: 768,
  singleTilePx: 512,
  unknownTokens: 765,
  pageTokens: 500,
};

describe("imageTokensOf", () => {
  test.each<[string, ImageRule, number | null, number | null, number]>([
    ["by area", area, 1000, 750, 1000],
    ["by area, never above the maximum", area, 4000, 3000, 1600],
    ["a size that is not known", area, null, null, 1500],
    ["one tile", tiles, 512, 512, 255],
    ["tiles after scaling to the shorter side", tiles, 1024, 1024, 85 + 4 * 170],
    ["tiles after scaling to both", tiles, 4096, 2048, 85 + 6 * 170],
  ])("%s", (_, rule, widthPx, heightPx, tokens) => {
    expect(imageTokensOf([{ ...absentImage(), widthPx, heightPx }], rule)).toBe(tokens);
  });

  test.each([
    ["its pages", 12, 12 * 2000],
    ["none", 0, 0],
    ["five if they are not known", undefined, 5 * 2000],
  ])("a document counts %s, whatever its size", (_, pageCount, tokens) => {
    const pages = pageCount === undefined ? {} : { pageCount };
    const document = {
      ...absentImage(),
      mediaType: "application/pdf",
      sizeBytes: 9_000_000,
      widthPx: 100,
      heightPx: 100,
      ...pages,
    };
    expect(imageTokensOf([document], area)).toBe(tokens);
  });

  test("bytes say nothing: a document is priced by pages", () => {
    const document = (sizeBytes: number) => ({ ...absentImage(), mediaType: "application/pdf", sizeBytes });
    expect(imageTokensOf([document(1000)], area)).toBe(imageTokensOf([document(10_000_000)], area));
  });
});
