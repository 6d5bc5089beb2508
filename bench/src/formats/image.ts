import { inflateSync } from "node:zlib";
import type { ImagePart } from "@plimsoll/core";
import { pdfPageCount } from "@plimsoll/providers";

/** How much of an image's encoding is decoded to find its size, in base64 characters: a JPEG's frame header may stand late. */
const HEADER_BASE64_CHARS = 1 << 16;

const UNKNOWN_SIZE: PixelSize = { widthPx: null, heightPx: null };

/** The longest that one compressed stream of a PDF may become: page objects are short, and a stream may be made to explode. Chosen. */
const MAX_INFLATED_BYTES = 8_000_000;

/** An image or document given as base64: its sizes and a PDF's pages are read off, its bytes are not kept. */
export function imageFromBase64(mediaType: string | null, base64: string): ImagePart {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  const pageCount = mediaType === "application/pdf" ? pdfPageCount(base64, inflated) : null;
  const head = Buffer.from(base64.slice(0, HEADER_BASE64_CHARS), "base64");
  return {
    type: "image",
    mediaType: mediaType ?? "application/octet-stream",
    ...(pixelSizeOf(head) ?? UNKNOWN_SIZE),
    sizeBytes: Math.max(0, Math.floor((base64.length * 3) / 4) - padding),
    ...(pageCount === null ? {} : { pageCount }),
    source: { kind: "absent" },
  };
}

/** An image given as an address: a `data:` address is read like base64, any other is kept as it is. */
export function imageFromUrl(url: string, mediaType: string | null = null): ImagePart {
  const comma = url.indexOf(",");
  if (url.startsWith("data:") && comma > 0) {
    const [declared = ""] = url.slice("data:".length, comma).split(";");
    return imageFromBase64(declared === "" ? mediaType : declared, url.slice(comma + 1));
  }
  const source = url === "" || url.startsWith("data:") ? { kind: "absent" as const } : { kind: "url" as const, url };
  return { type: "image", mediaType: mediaType ?? "image/*", ...UNKNOWN_SIZE, sizeBytes: null, source };
}

function inflated(deflated: string): string | null {
  try {
    return inflateSync(Buffer.from(deflated, "latin1"), { maxOutputLength: MAX_INFLATED_BYTES }).toString("latin1");
  } catch {
    // A damaged stream, or one of another filter: its pages are not known.
    return null;
  }
}

/** The size of an image in pixels, `null` if it is not known. */
export interface PixelSize {
  readonly widthPx: number | null;
  readonly heightPx: number | null;
}

/**
 * The pixel size that the first bytes of a PNG, GIF, JPEG or WebP file tell; `null` for other files or if the header is
 * cut off. Layouts: PNG (RFC 2083, 4.1.1), GIF89a (17), JPEG (ITU T.81, B.2.2), WebP (RFC 9649).
 */
export function pixelSizeOf(bytes: Buffer): PixelSize | null {
  const magic = bytes.toString("latin1", 0, 12);
  if (magic.startsWith("\x89PNG") && bytes.length >= 24) return size(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  if (magic.startsWith("GIF8") && bytes.length >= 10) return size(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
  if (magic.startsWith("\xff\xd8")) return jpegSize(bytes);
  if (magic.startsWith("RIFF") && magic.endsWith("WEBP") && bytes.length >= 30) return webpSize(bytes);
  return null;
}

function size(widthPx: number, heightPx: number): PixelSize {
  return { widthPx, heightPx };
}

/** Walks the segments up to the frame header (SOF0–SOF15 without DHT, JPG and DAC), which holds the size. */
function jpegSize(bytes: Buffer): PixelSize | null {
  let offset = 2;
  while (offset + 9 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes[offset + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return size(bytes.readUInt16BE(offset + 7), bytes.readUInt16BE(offset + 5));
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return null;
}

function webpSize(bytes: Buffer): PixelSize | null {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return size((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
    }
    case "VP8X":
      return size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return null;
  }
}
