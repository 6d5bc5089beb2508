import { describe, expect, test } from "vitest";
import type { ImagePart } from "../message/message.ts";
import { absentImage } from "../testing/builders.ts";
import { type ImageRule, imageTokensOf } from "./measure.ts";

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

  const timed = (mediaType: string, more: Partial<ImagePart>) =>
    imageTokensOf([{ ...absentImage(), mediaType, ...more }], area);

  test.each<[string, string, Partial<ImagePart>, number]>([
    ["compressed audio at 64 kbit/s", "audio/mpeg", { sizeBytes: 80_000 }, 10 * 32],
    ["PCM at 32 kB a second", "audio/wav", { sizeBytes: 320_000 }, 10 * 32],
    ["a WAV file by its header", "audio/wav", { source: { kind: "base64", data: wav(176_400, 2) } }, 2 * 32 + 1],
    ["a video at 1 Mbit/s", "video/mp4", { sizeBytes: 1_250_000 }, 10 * 263],
    ["audio of which nothing is known", "audio/mpeg", { source: { kind: "url", url: "https://e.org/a.mp3" } }, 60 * 32],
    ["a video of which nothing is known", "video/mp4", {}, 60 * 263],
    ["a damaged header", "audio/wav", { source: { kind: "base64", data: "UklGR" } }, 1],
  ])("by seconds: %s", (_, mediaType, more, tokens) => {
    expect(timed(mediaType, more)).toBe(tokens);
  });

  test("by the seconds that a vendor states", () => {
    const audio = { ...absentImage(), mediaType: "audio/mpeg", sizeBytes: 80_000 };
    expect(imageTokensOf([audio], { ...area, audioTokensPerSecond: 10 })).toBe(100);
    expect(
      imageTokensOf([{ ...audio, mediaType: "video/mp4", sizeBytes: 250_000 }], { ...area, videoTokensPerSecond: 70 }),
    ).toBe(140);
  });
});

/** The base64 of a WAV file of silence. */
function wav(bytesPerSecond: number, seconds: number): string {
  const bytes = Buffer.alloc(44 + bytesPerSecond * seconds);
  bytes.write("RIFF", 0);
  bytes.write("WAVE", 8);
  bytes.writeUInt32LE(bytesPerSecond, 28);
  return bytes.toString("base64");
}
