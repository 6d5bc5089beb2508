import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { sequenceOf } from "../sequence.ts";
import { absentImage, assistant, human, humanImage, result, toolCall } from "../testing/builders.ts";
import type { UserMessage } from "./message.ts";
import { coverageOf, createRequestSizes, longestSidePx, messageChars, messageSize, partChars } from "./size.ts";

test.each([
  ["text", human("a", "four"), 4],
  [
    "reasoning as its text, without what only the vendor reads",
    assistant("a", [{ type: "reasoning", text: "why", opaque: "signature" }]),
    3,
  ],
  ["a call as name and arguments", toolCall("a", "c", { name: "aaaa", argumentsJson: "bbbbbbbb" }), 12],
  ["an image as nothing", humanImage("a"), 0],
  ["all of a result", { ...result("a", "c", "four"), parts: [{ type: "text", text: "four" } as const, absentImage()] }, 4],
])("messageChars counts %s", (_, message, chars) => {
  expect(messageChars(message)).toBe(chars);
});

test("partChars counts UTF-16 units", () => {
  expect(partChars({ type: "text", text: "😀" })).toBe(2);
});

test("coverageOf adds up messages, parts and characters", () => {
  const both = assistant("b", [
    { type: "text", text: "see" },
    { type: "reasoning", text: "why", opaque: null },
  ]);
  expect(coverageOf([human("a", "four"), both])).toEqual({ messages: 2, parts: 3, chars: 10 });
  expect(coverageOf([])).toEqual({ messages: 0, parts: 0, chars: 0 });
});

const image = (id: string, widthPx: number, data: string): UserMessage => ({
  ...humanImage(id),
  parts: [{ ...absentImage(), mediaType: "image/png", widthPx, heightPx: 1, source: { kind: "base64", data } }],
});
const [wide, heavy] = [image("a", 90, "aaaa"), image("b", 20, "bbbbbbbb")];

test("of two pieces images add up, and the limits of one image are the larger one's", () => {
  const size = { images: 2, pages: 2, imageBytes: 8, imagePx: 90 };
  expect(createRequestSizes().of(sequenceOf([wide, heavy]))).toMatchObject({ ...size, bytes: 252 });
});

test("what was answered is the most of each unit of any request", () => {
  const sizes = createRequestSizes();
  for (const message of [wide, heavy]) {
    sizes.add(message, sequenceOf());
    sizes.add(assistant("c", []), sequenceOf([message]));
  }
  expect(sizes.answered()).toMatchObject({ images: 1, imageBytes: 8, imagePx: 90, bytes: messageSize(heavy).bytes });
});

function head(bytes: number, write: (file: Buffer) => void): string {
  const file = Buffer.alloc(bytes);
  write(file);
  return file.toString("base64");
}

const PNG = head(40, (file) => {
  file.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  file.writeUInt32BE(640, 16);
  file.writeUInt32BE(70_000, 20);
});
const GIF = head(20, (file) => {
  file.write("GIF89a", "latin1");
  file.writeUInt16LE(300, 6);
  file.writeUInt16LE(301, 8);
});
const webp = (kind: string, write: (file: Buffer) => void) =>
  head(40, (file) => {
    file.write(`RIFF\0\0\0\0WEBP${kind}`, "latin1");
    write(file);
  });
const JPEG = head(600, (file) => {
  file.write("\xff\xd8\xff\xe1", "latin1");
  file.writeUInt16BE(500, 4);
  file.write("\xff\xc2", 504, "latin1");
  file.writeUInt16BE(17, 506);
  file.writeUInt16BE(3000, 509);
  file.writeUInt16BE(4000, 511);
});

test.each([
  ["PNG", PNG, 70_000],
  ["GIF", GIF, 301],
  ["WebP, lossy", webp("VP8 ", (file) => file.writeUInt16LE(1234, 26)), 1234],
  ["WebP, lossless", webp("VP8L", (file) => file.writeUInt32LE(99 + 799 * 0x4000, 21)), 800],
  ["WebP, extended", webp("VP8X", (file) => file.writeUIntLE(20_000, 27, 3)), 20_001],
  ["JPEG behind other segments", JPEG, 4000],
  ["a JPEG that is cut off", JPEG.slice(0, 100), 0],
  ["anything else", Buffer.from("BM and more").toString("base64"), 0],
])("the longest side of %s", (_, data, sidePx) => {
  const source = { kind: "base64", data } as const;
  expect(longestSidePx({ type: "image", mediaType: "image/x", widthPx: null, heightPx: null, sizeBytes: null, source })).toBe(
    sidePx,
  );
});
