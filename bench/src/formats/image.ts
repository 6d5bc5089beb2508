import type { ImagePart } from "@plimsoll/core";
import { type PixelSize, pixelSizeOf } from "./image-header.ts";

/** How much of an image's encoding is decoded to find its size, in base64 characters: a JPEG's frame header may stand late. */
const HEADER_BASE64_CHARS = 1 << 16;

const UNKNOWN_SIZE: PixelSize = { widthPx: null, heightPx: null };

/** An image or document given as base64: its sizes are read off, its bytes are not kept. */
export function imageFromBase64(mediaType: string | null, base64: string): ImagePart {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  const head = Buffer.from(base64.slice(0, HEADER_BASE64_CHARS), "base64");
  return {
    type: "image",
    mediaType: mediaType ?? "application/octet-stream",
    ...(pixelSizeOf(head) ?? UNKNOWN_SIZE),
    sizeBytes: Math.max(0, Math.floor((base64.length * 3) / 4) - padding),
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
