import type { ImagePart } from "./message.ts";

/** Sides of an image in pixels. */
type PixelSize = Readonly<Record<"widthPx" | "heightPx", number>>;

/** The longest side of an image in pixels, as its part says or the head of its file; zero if neither does. */
export function longestSidePx({ widthPx, heightPx, source }: ImagePart): number {
  const stated = widthPx === null || heightPx === null ? null : { widthPx, heightPx };
  const size = stated ?? (source.kind === "base64" ? pixelSizeOf(source.data) : null);
  return size === null ? 0 : Math.max(size.widthPx, size.heightPx);
}

/**
 * Reads an image's width and height in pixels from the head of a file in base64; `null` for other files, or if the head is cut off. Layouts: PNG (RFC 2083, 4.1.1), GIF89a (17), JPEG
 * (ITU T.81, B.2.2), WebP (RFC 9649). Reads a few bytes.
 */
export function pixelSizeOf(base64: string): PixelSize | null {
  const bytes = Math.floor((base64.length * 3) / 4);
  if (base64.startsWith("iVBOR") && bytes >= 24) return sized(number(base64, 16, "big", 4), number(base64, 20, "big", 4));
  if (base64.startsWith("R0lGOD") && bytes >= 10) return sized(number(base64, 6, "little", 2), number(base64, 8, "little", 2));
  if (base64.startsWith("UklGR") && bytes >= 30) return webpSize(base64);
  return base64.startsWith("/9j/") ? jpegSize(base64, bytes) : null;
}

function sized(widthPx: number, heightPx: number): PixelSize {
  return { widthPx, heightPx };
}

/** A number of so many bytes. */
function number(data: string, at: number, order: "big" | "little", length: number): number {
  let value = 0;
  for (let index = 0; index < length; index++)
    value = value * 256 + byteAt(data, at + (order === "big" ? index : length - 1 - index));
  return value;
}

/** The fourth letter of the first chunk tells the form of a WebP file: sides are written less one but in the lossy form, in 14 bits in both simple ones. */
function webpSize(data: string): PixelSize | null {
  const SIDE = 0x4000;
  switch (String.fromCharCode(...[12, 13, 14, 15].map((at) => byteAt(data, at)))) {
    case "VP8X":
      return sized(1 + number(data, 24, "little", 3), 1 + number(data, 27, "little", 3));
    case "VP8L": {
      const bits = number(data, 21, "little", 4);
      return sized(1 + (bits % SIDE), 1 + (Math.floor(bits / SIDE) % SIDE));
    }
    case "VP8 ":
      return sized(number(data, 26, "little", 2) % SIDE, number(data, 28, "little", 2) % SIDE);
    default:
      return null;
  }
}

/** More segments than any JPEG file has before its frame; chosen. */
const MOST_SEGMENTS = 400;

/** The size in the first frame, which stands behind any number of other segments. */
function jpegSize(data: string, bytes: number): PixelSize | null {
  let at = 2;
  for (let segment = 0; segment < MOST_SEGMENTS && at + 9 <= bytes && byteAt(data, at) === 0xff; segment++) {
    const marker = byteAt(data, at + 1);
    // Frames are C0 to CF but for tables and extensions.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return sized(number(data, at + 7, "big", 2), number(data, at + 5, "big", 2));
    const length = number(data, at + 2, "big", 2);
    if (length < 2) return null;
    at += 2 + length;
  }
  return null;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** One byte of base64; zero behind its end. */
export function byteAt(data: string, index: number): number {
  const start = Math.floor(index / 3) * 4;
  const three = [0, 1, 2, 3].reduce((sum, at) => sum * 64 + Math.max(0, BASE64.indexOf(data.charAt(start + at))), 0);
  return Math.floor(three / 256 ** (2 - (index % 3))) % 256;
}
