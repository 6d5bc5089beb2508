import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { unpackedZstd } from "./zstd.ts";

/** A body that was to be unpacked. `name` is its encoding as the header names it, in lower case. */
type Unpacked =
  | { readonly kind: "plain" | "unpacked"; readonly bytes: Buffer }
  | { readonly kind: "unknown" | "too-large"; readonly name: string }
  | { readonly kind: "damaged"; readonly name: string; readonly reason: string };

/** A stream that is unpacked while it passes. */
type UnpackedStream =
  | { readonly kind: "plain" }
  | { readonly kind: "unpacked"; readonly body: Readable }
  | { readonly kind: "unknown"; readonly name: string };

type Layer = (packed: AsyncIterable<Buffer>, maximumBytes?: number) => AsyncIterable<Buffer>;

const through = (make: (options: { readonly chunkSize: number }) => Transform): Layer => {
  return (packed) => pipeline(packed, make({ chunkSize: CHUNK_BYTES }), () => undefined);
};

/** In bytes. Chosen. */
const CHUNK_BYTES = 64 * 1024;

/** Deflate by RFC 9110 has the header of zlib; some clients send it bare, which its first byte shows. */
async function* inflated(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces = packed[Symbol.asyncIterator]();
  let first = await pieces.next();
  while (first.done !== true && first.value.length === 0) first = await pieces.next();
  const isBare = first.done !== true && (first.value.readUInt8(0) & 15) !== 8;
  const all = async function* () {
    for (let next = first; next.done !== true; next = await pieces.next()) yield next.value;
  };
  yield* through(isBare ? createInflateRaw : createInflate)(all());
}

const LAYERS: ReadonlyMap<string, Layer> = new Map([
  ["gzip", through(createGunzip)],
  ["x-gzip", through(createGunzip)],
  ["deflate", inflated],
  ["br", through(createBrotliDecompress)],
  ["zstd", unpackedZstd],
]);

/** More layers do not occur in practice; each holds memory. Chosen. */
const MAXIMUM_LAYERS = 4;

/** How bytes are packed, by how they begin: RFC 1952 and RFC 8878; `null` for anything else. */
export function packingOf(first: Uint8Array): "gzip" | "zstd" | null {
  const beginning = Buffer.from(first.subarray(0, 4)).toString("hex");
  if (beginning.startsWith("1f8b")) return "gzip";
  return /^(28b52ffd|5.2a4d18)$/.test(beginning) ? "zstd" : null;
}

const TOO_LARGE = new Error("it is too large");

/** The pieces of one layer. One of many is bounded as all are: it may hold much, and nothing in the end. */
async function* atMost(pieces: AsyncIterable<Buffer>, maximumBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maximumBytes) throw TOO_LARGE;
    yield piece;
  }
}

/** Unpacks a whole body, packed once or several times as `Content-Encoding` lists it. Stops at more than `maximumBytes`. */
export async function unpackWhole(packed: Buffer, encoding: string | undefined, maximumBytes: number): Promise<Unpacked> {
  const { name, unpack } = packingIn(encoding);
  if (name === "") return { kind: "plain", bytes: packed };
  if (unpack === null) return { kind: "unknown", name };
  const pieces: Buffer[] = [];
  try {
    for await (const piece of unpack(Readable.from([packed]), maximumBytes)) pieces.push(piece);
  } catch (error) {
    return error === TOO_LARGE ? { kind: "too-large", name } : { kind: "damaged", name, reason: reasonOf(error) };
  }
  return { kind: "unpacked", bytes: Buffer.concat(pieces) };
}

/** Unpacks a stream, which may be cut off, as servers' streams are. The body rejects if the source breaks, and if it is damaged, which calls `onDamage`. */
export function unpackStream(
  source: AsyncIterable<Buffer>,
  encoding: string | undefined,
  onDamage: (name: string, reason: string) => void,
): UnpackedStream {
  const { name, unpack } = packingIn(encoding);
  if (name === "") return { kind: "plain" };
  if (unpack === null) return { kind: "unknown", name };
  let isBroken = false;
  const watched = async function* () {
    try {
      yield* source;
    } catch (error) {
      isBroken = true;
      throw error;
    }
  };
  const unpacked = async function* () {
    try {
      yield* unpack(watched());
    } catch (error) {
      const reason = reasonOf(error);
      if (!isBroken && CUT_OFF.test(reason)) return;
      if (!isBroken) onDamage(name, reason);
      throw error;
    }
  };
  // Its readers may be gone when it breaks.
  return { kind: "unpacked", body: Readable.from(unpacked()).on("error", () => undefined) };
}

/** How zlib and the decoder of zstd say that a body ends too early; all before it was unpacked. */
const CUT_OFF = /^unexpected (end of file|EOF)$/;

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The encodings of a header as one name, empty if there is none; `unpack` is `null` if one is not known, or there are too many. */
function packingIn(encoding = ""): { readonly name: string; readonly unpack: Layer | null } {
  const all = encoding.split(",").map((each) => each.trim().toLowerCase());
  const names = all.filter((each) => each !== "" && each !== "identity");
  const layers = names.flatMap((each) => LAYERS.get(each) ?? []).toReversed();
  const isKnown = layers.length === names.length && layers.length <= MAXIMUM_LAYERS;
  const unpack: Layer = (packed, maximumBytes = Number.POSITIVE_INFINITY) =>
    layers.reduce((body, layer) => atMost(layer(body), maximumBytes), packed);
  return { name: names.join(", "), unpack: isKnown ? unpack : null };
}
