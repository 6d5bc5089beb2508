import { inflateSync } from "node:zlib";
import type { ImagePart } from "@plimsoll/core";
import { pixelSizeOf } from "@plimsoll/core/extend";
import { pdfPageCount } from "@plimsoll/providers";

/** Characters of an image's encoding that are searched for its size: a JPEG's frame header may come late. */
const HEADER_BASE64_CHARS = 1 << 16;

const UNKNOWN_SIZE = { widthPx: null, heightPx: null };

/** The longest that one compressed stream of a PDF may become: page objects are short, and a stream may be made to explode. Chosen. */
const MAX_INFLATED_BYTES = 8_000_000;

/** An image or document given as base64: its sizes and a PDF's pages are read off, its bytes are not kept. */
export function imageFromBase64(mediaType: string | null, base64: string): ImagePart {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  const pageCount = mediaType === "application/pdf" ? pdfPageCount(base64, inflated) : null;
  return {
    type: "image",
    mediaType: mediaType ?? "application/octet-stream",
    ...(pixelSizeOf(base64.slice(0, HEADER_BASE64_CHARS)) ?? UNKNOWN_SIZE),
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
