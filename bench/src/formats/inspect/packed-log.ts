import * as zlib from "node:zlib";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import type { Fields } from "../fields.ts";
import type { FileSource } from "../importer.ts";

/** How a zip archive begins (APPNOTE 4.3.7). Inspect writes its logs as one, with the ending `.eval`, if JSON is not asked for. */
export const ZIP_MARK = "PK\u0003\u0004";

/** The limits of an archive: so many files, and bytes of them all when they are unpacked. */
export interface PackedLimits {
  readonly files: number;
  readonly bytes: number;
}

/** Chosen: about what one JSON log can be read of. */
const PACKED_LIMITS: PackedLimits = { files: 100_000, bytes: 512 * 1024 * 1024 };

/**
 * A packed log of Inspect as the JSON log that it is of (`inspect_ai`, src/inspect_ai/log/_recorders/eval.py, read 2026): `header.json` and a file
 * for each sample; a run that did not end has `_journal/start.json` instead of the header. Nothing is written anywhere, and names of files are
 * only compared.
 *
 * @throws PlimsollError `bad-input` for an archive that is no such log, is damaged, or is larger than the limits.
 */
export async function packedLogSource(source: FileSource, limits: PackedLimits = PACKED_LIMITS): Promise<FileSource> {
  const file = source.displayName;
  const log = await readLog(source.path, limits).catch((cause: unknown) => {
    if (isPlimsollError(cause)) throw new PlimsollError("bad-input", `${file}: ${cause.message}`, { file }, cause);
    throw new PlimsollError("bad-input", `${file}: cannot be unpacked (${reasonOf(cause)}); ${CONVERT}`, { file }, cause);
  });
  const { samples: _, ...header } = log;
  return {
    ...source,
    // What a format is known by is in the header.
    *lines() {
      yield { number: 1, text: JSON.stringify(header) };
    },
    text: async () => JSON.stringify(log),
    document: async () => log,
  };
}

const CONVERT = "give the file whole, or convert it: inspect log convert FILE --to json --output-dir json";

const SAMPLE = /^samples\/(.+)_epoch_(\d+)\.json$/;
const SAMPLE_IN_PIECES = /^samples\/.+_epoch_\d+\/sample\.json$/;
const HEADERS = ["header.json", "_journal/start.json"] as const;

async function readLog(path: string, limits: PackedLimits): Promise<Fields> {
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true });
  try {
    const entries = await entriesOf(zip, limits);
    const header = HEADERS.flatMap((name) => entries.get(name) ?? [])[0];
    if (header === undefined) throw refused("a packed file, and no log of Inspect; unpack it first");
    if ([...entries.keys()].some((name) => SAMPLE_IN_PIECES.test(name)))
      throw refused(`its samples are packed in pieces, which are not read; ${CONVERT}`);
    const samples: unknown[] = [];
    for (const entry of inOrder(entries)) samples.push(await jsonOf(zip, entry));
    const start = await jsonOf(zip, header);
    return { status: "started", ...(isRecord(start) ? start : {}), samples };
  } finally {
    zip.close();
  }
}

/** The files by name; of several with one name the last holds, as in Inspect. */
async function entriesOf(zip: ZipFile, limits: PackedLimits): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  if (zip.entryCount > limits.files)
    throw refused(`${zip.entryCount} files are packed in it; at most ${limits.files} are read`);
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
  const bytes = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (bytes > limits.bytes) throw refused(`it unpacks to ${bytes} bytes; at most ${limits.bytes} are read; ${CONVERT}`);
  return entries;
}

/** Samples as Inspect sorts them: by epoch, then by id, numbers by their value. */
function inOrder(entries: ReadonlyMap<string, Entry>): readonly Entry[] {
  const samples = [...entries].flatMap(([name, entry]) => {
    const [, id = "", epoch = ""] = SAMPLE.exec(name) ?? [];
    return id === "" ? [] : [{ entry, key: `${epoch.padStart(ID_CHARS, "0")} ${id.padStart(ID_CHARS, "0")}` }];
  });
  return samples.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ entry }) => entry);
}

/** To what length Inspect fills ids with zeros before it sorts them (`sort_samples`). */
const ID_CHARS = 20;

/** A file of the archive as JSON. It is unpacked to no more bytes than it says of itself. */
async function jsonOf(zip: ZipFile, entry: Entry): Promise<unknown> {
  const isZstd = entry.compressionMethod === ZSTD;
  const stream = await zip.openReadStreamPromise(entry, isZstd ? { decodeFileData: false } : {});
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return JSON.parse((isZstd ? unpackedZstd(bytes, entry.uncompressedSize) : bytes).toString("utf8"));
}

/** Zstandard's number among the ways to pack (APPNOTE 4.4.5): newer versions of Inspect take it. */
const ZSTD = 93;

function unpackedZstd(bytes: Buffer, maxOutputLength: number): Buffer {
  const unpack: unknown = Reflect.get(zlib, "zstdDecompressSync");
  if (typeof unpack !== "function") throw refused(`packed with Zstandard, which Node 22.15 and newer read; ${CONVERT}`);
  const unpacked: unknown = unpack(bytes, { maxOutputLength });
  if (!Buffer.isBuffer(unpacked)) throw refused("Zstandard gave no bytes");
  return unpacked;
}

function refused(why: string): PlimsollError {
  return new PlimsollError("bad-input", why);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
