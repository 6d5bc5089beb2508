/** The size of an image in pixels, `null` where it is not known. */
export interface PixelSize {
  readonly widthPx: number | null;
  readonly heightPx: number | null;
}

/**
 * The pixel size that the first bytes of a PNG, GIF, JPEG or WebP file tell; `null` for other files or where the header is
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
