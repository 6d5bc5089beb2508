import type { Transform } from "node:stream";
import * as zlib from "node:zlib";

/** Largest body that is read and unpacked, in bytes: what it is packed into may be much smaller. Chosen: twice what Anthropic takes, so that old media can be cut from what is above that. */
export const MAXIMUM_BODY_BYTES: number = 64 * 1024 * 1024;

/** The body as text; `null` for a coding that is not known here, for a body that is damaged or too large, and for one that is no text. */
export function unpacked(body: Buffer, coding: string | undefined): string | null {
  const options = { maxOutputLength: MAXIMUM_BODY_BYTES };
  try {
    switch ((coding ?? "").trim().toLowerCase()) {
      case "":
      case "identity":
        return body.toString("utf8");
      case "gzip":
      case "x-gzip":
        return zlib.gunzipSync(body, options).toString("utf8");
      case "deflate":
        return zlib.inflateSync(body, options).toString("utf8");
      case "br":
        return zlib.brotliDecompressSync(body, options).toString("utf8");
      default:
        return null;
    }
  } catch {
    // What cannot be unpacked is not ours to judge: it goes on as it came.
    return null;
  }
}

/** Unpacks an answer while it passes; `null` for an answer that is not packed, `"unknown"` for a coding that is not known here. */
export function unpacker(coding: string | undefined): Transform | "unknown" | null {
  switch ((coding ?? "").trim().toLowerCase()) {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip();
    case "deflate":
      return zlib.createInflate();
    case "br":
      return zlib.createBrotliDecompress();
    default:
      return "unknown";
  }
}
