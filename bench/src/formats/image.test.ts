import { expect, test } from "vitest";
import { imageFromBase64, imageFromUrl } from "./image.ts";

const bytes = (...parts: (number[] | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part)))).toString(
    "base64",
  );

const PNG = bytes("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 3, 32, 0, 0, 2, 88], [8, 2, 0, 0, 0]);
const GIF = bytes("GIF89a", [0x40, 1, 0xf0, 0]);
const JPEG = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 9, 0xff, 0xc2, 0, 17, 8, 1, 0x2c, 2, 0, 3]);
const WEBP_LOSSY = bytes("RIFF", [0, 0, 0, 0], "WEBP", "VP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0x10, 0, 0x20, 0]);
const WEBP_LOSSLESS = bytes("RIFF", [0, 0, 0, 0], "WEBP", "VP8L", [0, 0, 0, 0, 0x2f, 99, 0xc0, 12, 0, 0, 0, 0, 0, 0]);
const WEBP_EXTENDED = bytes("RIFF", [0, 0, 0, 0], "WEBP", "VP8X", [10, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 49, 0, 0]);

test.each([
  ["PNG", PNG, 800, 600],
  ["GIF", GIF, 320, 240],
  ["JPEG, progressive, after a Huffman table", JPEG, 512, 300],
  ["WebP, lossy", WEBP_LOSSY, 16, 32],
  ["WebP, lossless", WEBP_LOSSLESS, 100, 52],
  ["WebP, extended", WEBP_EXTENDED, 100, 50],
  ["a cut-off PNG", PNG.slice(0, 20), null, null],
  ["something else", bytes("%PDF-1.7"), null, null],
  ["nothing", "", null, null],
])("%s: pixel size from the header", (_, base64, widthPx, heightPx) => {
  expect(imageFromBase64("image/x", base64)).toMatchObject({ widthPx, heightPx, source: { kind: "absent" } });
});

test.each([
  ["", 0],
  ["QQ==", 1],
  ["QUI=", 2],
  ["QUJD", 3],
])("size in bytes of %s", (base64, sizeBytes) => {
  expect(imageFromBase64(null, base64).sizeBytes).toBe(sizeBytes);
});

test.each([
  ["data:image/png;base64,QUJD", { mediaType: "image/png", sizeBytes: 3, source: { kind: "absent" } }],
  [
    "https://example.org/a.png",
    { mediaType: "image/*", sizeBytes: null, source: { kind: "url", url: "https://example.org/a.png" } },
  ],
  ["data:", { mediaType: "image/*", sizeBytes: null, source: { kind: "absent" } }],
])("address %s", (url, expected) => {
  expect(imageFromUrl(url)).toMatchObject(expected);
});

test.each([
  [
    "a PDF's pages",
    "application/pdf",
    bytes("%PDF-1.4\n1 0 obj <</Type/Page>> endobj 2 0 obj <</Type/Page>>"),
    { pageCount: 2 },
  ],
  ["nothing of a PDF without a page to be found", "application/pdf", bytes("%PDF-1.4\n"), {}],
  ["nothing of an image", "image/png", PNG, { widthPx: 800 }],
])("%s are read from the bytes", (_, mediaType, base64, expected) => {
  const { pageCount, widthPx } = imageFromBase64(mediaType, base64);
  expect({ ...(pageCount !== undefined && { pageCount }), ...(widthPx !== null && { widthPx }) }).toEqual(expected);
});
