import { Readable } from "node:stream";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { storedZstd, zstdFrame } from "../testing/zstd-frames.ts";
import { packingOf, unpackStream, unpackWhole } from "./index.ts";

const TEXT = Array.from({ length: 40 }, (_, i) => `{"line":${i},"text":"café number ${i * i}, and so on"}\n`).join("");

/** The text by `zstd -3` from a pipe, which states no size; by `zstd -19 --check` from a file, with size and checksum. */
const PIPED = Buffer.from(
  "KLUv/QBYlQYAAgoeHrAnHcwRhjQJQxPGtBCGpm5qKJlIuaWUKTVEd5PMJbg//U3ddsOb3ZP9yZ77/alV2coqnVZoo/V850u2/J6vqwptxtzb/J2dzEz3UvdUPtGYdvuzGaCBFnOYxBks5SDpIJbAQbGO40FQBChBzWJpEJIStKyCATECT6ghiHz9PwOQM5K2ARGcEDxCcJbnA2d9n6Buh3K3PnC37WPFq0IVOVwWjzVo5KE/2AxFOyXxz50o3+atctq+gS7fNbsNm7SWp162kKvyzPN4FApHAFUB",
  "base64",
);
const FILED = Buffer.from(
  "KLUv/WSYBnUGAKINJB2gKR3/WVX50WSWueymt3YA+LFybymTTMDi3rvVCvU17X+TJVpRumjuWXurmlVtxaxVZVmf0k8oOY2QESH6jGdEd6fP/HS7f131ctGyt6VmMiqesWdfMfsm1vrXrdtWtdqUx5RHaHg+7NPuFjA5C8MwHMawDEygTONAWEAWQ6kgBoUjOI/I4XECJTiHJaE4kk+oEbCofP3vwDMzHBGcEJwQPHsciO1NfiZcfO7xiq6i6GSB1+LV0mpqVbWyhpROYFhQpYhgMClwBEgVhwFdPg==",
  "base64",
);
/** A frame that decoders skip: four bytes of the sender's own. */
const SKIPPED = Buffer.from("502a4d180400000061626364", "hex");
const MAXIMUM = 1_000_000;

const PACKED: readonly (readonly [string, string, Buffer])[] = [
  ["gzip", "gzip", gzipSync(TEXT)],
  ["gzip by its old name, in upper case", " X-GZIP ", gzipSync(TEXT)],
  ["deflate", "deflate", deflateSync(TEXT)],
  ["deflate without its header", "deflate", deflateRawSync(TEXT)],
  ["br", "br", brotliCompressSync(TEXT)],
  ["zstd without a size", "zstd", PIPED],
  ["zstd with a size and a checksum", "Zstd", FILED],
  ["zstd that stores", "zstd", storedZstd(TEXT)],
  ["zstd in several frames, one of them to be skipped", "zstd", Buffer.concat([SKIPPED, PIPED, storedZstd("more"), SKIPPED])],
  ["gzip, then zstd", "gzip, zstd", storedZstd(gzipSync(TEXT))],
  ["zstd, then br", "identity, zstd,br", brotliCompressSync(FILED)],
];
const expectedOf = (name: string) => (name.includes("several frames") ? `${TEXT}more` : TEXT);

async function streamed(packed: Buffer, encoding: string, size: number) {
  const pieces = Array.from({ length: Math.ceil(packed.length / size) }, (_, at) =>
    packed.subarray(at * size, (at + 1) * size),
  );
  const told: string[] = [];
  const source = async function* () {
    yield* pieces;
  };
  const stream = unpackStream(source(), encoding, (name, reason) => told.push(`${name}: ${reason}`));
  const body = stream.kind === "unpacked" ? stream.body : expect.fail(stream.kind);
  const out: Buffer[] = [];
  const read = async () => {
    for await (const piece of body) out.push(piece);
  };
  const failure = await read().then(
    () => null,
    (error: Error) => error.message,
  );
  return { text: Buffer.concat(out).toString("utf8"), failure, told };
}

describe.each(PACKED)("%s", (name, encoding, packed) => {
  test("is read whole", async () => {
    const read = await unpackWhole(packed, encoding, MAXIMUM);
    expect(read.kind === "unpacked" && read.bytes.toString("utf8")).toBe(expectedOf(name));
  });

  test.each([1, 5, 1_000_000])("is read as a stream in pieces of %i", async (size) => {
    expect(await streamed(packed, encoding, size)).toEqual({ text: expectedOf(name), failure: null, told: [] });
  });

  test("is damaged if its end lacks; a stream of it gives what there was", async () => {
    const cut = packed.subarray(0, packed.length - 9);
    expect(await unpackWhole(cut, encoding, MAXIMUM)).toMatchObject({ kind: "damaged", reason: expect.stringMatching(/./) });
    const { text, failure } = await streamed(cut, encoding, 100);
    expect(failure).toBeNull();
    expect(expectedOf(name).startsWith(text.replace(/\uFFFD+$/, ""))).toBe(true);
  });

  test("stops at the bound", async () => {
    expect(await unpackWhole(packed, encoding, TEXT.length / 2)).toMatchObject({ kind: "too-large" });
  });
});

test("each event of a stream is there before the next is sent", async () => {
  const events = ["data: 1\n\n", "data: 22\n\n", "data: 333 is the last\n\n"].map((text) => ({ stored: Buffer.from(text) }));
  const frame = zstdFrame(events);
  let sent = 0;
  const source = async function* () {
    for (const size of [18, 13, frame.length - 31]) {
      sent += size;
      yield frame.subarray(sent - size, sent);
    }
  };
  const stream = unpackStream(source(), "zstd", () => undefined);
  const seen: [string, number][] = [];
  for await (const piece of stream.kind === "unpacked" ? stream.body : []) seen.push([String(piece), sent]);
  expect(seen.map(([text]) => text)).toEqual(events.map(({ stored }) => stored.toString()));
  expect(seen[0]?.[1]).toBeLessThan(frame.length);
});

test.each<[string, string | undefined, object]>([
  ["no encoding", undefined, { kind: "plain" }],
  ["identity", "identity", { kind: "plain" }],
  ["one that is not known", "Snappy", { kind: "unknown", name: "snappy" }],
  ["one that is not known below one that is", "dcb, gzip", { kind: "unknown", name: "dcb, gzip" }],
  ["more layers than anybody uses", "gzip,gzip,gzip,gzip,gzip", { kind: "unknown" }],
])("%s", async (_, encoding, expected) => {
  expect(await unpackWhole(Buffer.from("x"), encoding, MAXIMUM)).toMatchObject(expected);
  const stream = unpackStream(Readable.from([Buffer.from("x")]), encoding, () => undefined);
  expect(stream).toMatchObject(expected);
});

const repeated = (times: number) => ({ byte: 0x20, times });

describe("what asks for too much is refused", () => {
  test.each<[string, Buffer, object]>([
    ["a small body of much text", zstdFrame(Array.from({ length: 50_000 }, () => repeated(128 * 1024))), { kind: "too-large" }],
    ["the same in gzip", gzipSync(Buffer.alloc(70 * MAXIMUM)), { kind: "too-large" }],
    ["a window of 16 MB", zstdFrame([repeated(1)], 0x70), { kind: "damaged", reason: "its window is above 8388608 bytes" }],
    ["a frame of 2 GB", Buffer.from("28b52ffda0ffffff7f010000", "hex"), { reason: "its window is above 8388608 bytes" }],
    ["a block of 2 MB", zstdFrame([repeated(2_000_000)]), { reason: "its block is too large" }],
    [
      "blocks of nothing without end",
      zstdFrame(
        Array.from({ length: 9_000 }, () => repeated(1)),
        0x68,
      ),
      { reason: "its blocks are too many" },
    ],
    ["a dictionary", Buffer.from("28b52ffd2101000000", "hex"), { reason: "it needs a dictionary" }],
    ["no zstd at all", Buffer.from('{"model":"m"}'), { reason: "it is not zstd" }],
  ])("%s", async (_, packed, expected) => {
    expect(await unpackWhole(packed, packingOf(packed) ?? "zstd", MAXIMUM)).toMatchObject(expected);
  });
});

test("a layer of much that holds nothing is refused", async () => {
  const none = gzipSync("");
  const packed = gzipSync(Buffer.alloc(2 * MAXIMUM, none));
  expect(await unpackWhole(packed, "gzip, gzip", MAXIMUM)).toEqual({ kind: "too-large", name: "gzip, gzip" });
});

test("a stream that is damaged says so, and one whose source breaks does not", async () => {
  const { failure, told } = await streamed(Buffer.concat([storedZstd("data: 1\n\n"), Buffer.from("garbage")]), "zstd", 10);
  expect([failure, told]).toEqual(["it is not zstd", ["zstd: it is not zstd"]]);
  const told2: string[] = [];
  const source = async function* () {
    yield storedZstd("data: 1\n\n");
    throw new Error("reset");
  };
  const stream = unpackStream(source(), "zstd", (name) => told2.push(name));
  const all = async () => stream.kind === "unpacked" && (await stream.body.toArray());
  await expect(all()).rejects.toThrow("reset");
  expect(told2).toEqual([]);
});

test.each([
  ["gzip", gzipSync("x"), "gzip"],
  ["zstd", PIPED, "zstd"],
  ["zstd behind a frame to be skipped", SKIPPED, "zstd"],
  ["text", Buffer.from("P*M"), null],
])("%s is known by how it begins", (_, bytes, expected) => {
  expect(packingOf(bytes)).toBe(expected);
});
