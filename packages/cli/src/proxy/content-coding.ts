import type { Transform } from "node:stream";
import * as zlib from "node:zlib";

/** Largest body that is read and unpacked, in bytes: what it is packed into may be much smaller. Chosen: twice what Anthropic takes, so that old media can be cut from what is above that. */
export const MAXIMUM_BODY_BYTES: number = 64 * 1024 * 1024;

const CODINGS: ReadonlyMap<string, readonly [typeof zlib.gunzipSync, () => Transform]> = new Map([
  ["gzip", [zlib.gunzipSync, zlib.createGunzip] as const],
  ["x-gzip", [zlib.gunzipSync, zlib.createGunzip] as const],
  ["deflate", [zlib.inflateSync, zlib.createInflate] as const],
  ["br", [zlib.brotliDecompressSync, zlib.createBrotliDecompress] as const],
]);

const NOT_PACKED = ["", "identity"];
const nameOf = (coding = "") => coding.trim().toLowerCase();

/** The body as text; `null` for a coding that is not known here, for a body that is damaged or too large, and for one that is no text. */
export function unpacked(body: Buffer, coding: string | undefined): string | null {
  if (NOT_PACKED.includes(nameOf(coding))) return body.toString("utf8");
  const [unpack] = CODINGS.get(nameOf(coding)) ?? [];
  try {
    return unpack?.(body, { maxOutputLength: MAXIMUM_BODY_BYTES }).toString("utf8") ?? null;
  } catch {
    // What cannot be unpacked is not ours to judge: it goes on as it came.
    return null;
  }
}

/** Unpacks an answer while it passes; `null` for an answer that is not packed, `"unknown"` for a coding that is not known here. */
export function unpacker(coding: string | undefined): Transform | "unknown" | null {
  if (NOT_PACKED.includes(nameOf(coding))) return null;
  return CODINGS.get(nameOf(coding))?.[1]() ?? "unknown";
}
