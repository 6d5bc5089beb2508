/** A block of RFC 8878: stored as it is, or one byte so many times. */
type Block = { readonly stored: Buffer } | { readonly byte: number; readonly times: number };

/** One frame with a window of 128 KiB, of blocks as they are given: Node 20 packs no zstd. */
export function zstdFrame(blocks: readonly Block[], windowByte = 0x38): Buffer {
  const written = blocks.map((block, index) => {
    const [kind, size, content] =
      "stored" in block ? [0, block.stored.length, block.stored] : [1, block.times, Buffer.from([block.byte])];
    const header = Buffer.alloc(3);
    header.writeUIntLE((size << 3) | (kind << 1) | Number(index === blocks.length - 1), 0, 3);
    return Buffer.concat([header, content]);
  });
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, windowByte]), ...written]);
}

/** Stores the bytes in one frame. */
export function storedZstd(bytes: Buffer | string): Buffer {
  const all = Buffer.from(bytes);
  const count = Math.max(1, Math.ceil(all.length / BLOCK_BYTES));
  return zstdFrame(
    Array.from({ length: count }, (_, at) => ({ stored: all.subarray(at * BLOCK_BYTES, (at + 1) * BLOCK_BYTES) })),
  );
}

/** The largest block that RFC 8878 allows. */
const BLOCK_BYTES = 128 * 1024;
