import type { ImagePart } from "./message.ts";

/** The longest side of an image in pixels, as its part says or the head of its file (PNG, GIF, WebP, JPEG); zero if neither does. */
export function longestSidePx({ widthPx, heightPx, source }: ImagePart): number {
  if (widthPx !== null && heightPx !== null) return Math.max(widthPx, heightPx);
  if (source.kind !== "base64") return 0;
  const { data } = source;
  if (data.startsWith("iVBOR")) return Math.max(number(data, PNG.width, "big", 4), number(data, PNG.height, "big", 4));
  if (data.startsWith("R0lGOD")) return Math.max(number(data, GIF.width, "little", 2), number(data, GIF.height, "little", 2));
  if (data.startsWith("UklGR")) return webpSidePx(data);
  return data.startsWith("/9j/") ? jpegSidePx(data) : 0;
}

/** Where the formats' specifications have both sides, in bytes from the beginning. */
const PNG = { width: 16, height: 20 } as const;
const GIF = { width: 6, height: 8 } as const;
const WEBP = {
  kind: 15,
  extended: { width: 24, height: 27 },
  lossless: 21,
  lossy: { width: 26, height: 28 },
} as const;

/** A number of so many bytes. */
function number(data: string, at: number, order: "big" | "little", length: number): number {
  let value = 0;
  for (let index = 0; index < length; index++)
    value = value * 256 + byteAt(data, at + (order === "big" ? index : length - 1 - index));
  return value;
}

/** Of a WebP file, whose fourth letter of the first chunk tells the form: sides are written less one but in the lossy form, in 14 bits in both simple ones. */
function webpSidePx(data: string): number {
  const SIDE = 0x4000;
  switch (String.fromCharCode(byteAt(data, WEBP.kind))) {
    case "X": {
      const { width, height } = WEBP.extended;
      return 1 + Math.max(number(data, width, "little", 3), number(data, height, "little", 3));
    }
    case "L": {
      const bits = number(data, WEBP.lossless, "little", 4);
      return 1 + Math.max(bits % SIDE, Math.floor(bits / SIDE) % SIDE);
    }
    default: {
      const { width, height } = WEBP.lossy;
      return Math.max(number(data, width, "little", 2) % SIDE, number(data, height, "little", 2) % SIDE);
    }
  }
}

/** More segments than any JPEG file has before its frame; chosen. */
const MOST_SEGMENTS = 400;

/** Of a JPEG file: the sides of its first frame, which stands behind any number of other segments. */
function jpegSidePx(data: string): number {
  let at = 2;
  for (let segment = 0; segment < MOST_SEGMENTS; segment++) {
    const marker = byteAt(data, at + 1);
    // Frames are C0 to CF but for tables and extensions.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return Math.max(number(data, at + 5, "big", 2), number(data, at + 7, "big", 2));
    const length = number(data, at + 2, "big", 2);
    if (byteAt(data, at) !== 0xff || length < 2) return 0;
    at += 2 + length;
  }
  return 0;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** One byte of base64; zero behind its end. */
export function byteAt(data: string, index: number): number {
  const start = Math.floor(index / 3) * 4;
  const three = [0, 1, 2, 3].reduce((sum, at) => sum * 64 + Math.max(0, BASE64.indexOf(data.charAt(start + at))), 0);
  return Math.floor(three / 256 ** (2 - (index % 3))) % 256;
}
