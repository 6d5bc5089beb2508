/** Largest window of a frame, in bytes: 8 MiB, as RFC 9659 bounds it for bodies; `zstd` packs logs so up to its level 19. */
const MAXIMUM_WINDOW_BYTES = 8 * 1024 * 1024;
/** RFC 8878, 3.1.1.2.4. */
const MAXIMUM_BLOCK_BYTES = 128 * 1024;
/** The decoder moves its window once for each block, and a body may have millions. 64 GiB for a piece are 6 s; a block itself costs as much as 64 KiB (measured 2026-11-29, Node 20). */
const MAXIMUM_MOVED_BYTES = 64 * 1024 ** 3;
const BLOCK_COSTS_BYTES = 64 * 1024;

/**
 * Unpacks frames of RFC 8878, a block of at most 128 KiB at a time. The decoder takes any window and any number of blocks; here both are bounded. Loads the
 * decoder when the first byte comes. Throws if the bytes are no such frames: if they end inside of one, after all that could be unpacked.
 */
export async function* unpackedZstd(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { Decompress } = await import("fzstd");
  const made: Buffer[] = [];
  const decoder = new Decompress(({ buffer, byteOffset, length }) => {
    if (length > 0) made.push(Buffer.from(buffer, byteOffset, length));
  });
  let movedBytes = 0;
  const steps = frameSteps((bytes) => {
    movedBytes += bytes;
    if (movedBytes > MAXIMUM_MOVED_BYTES) throw new Error("its blocks are too many");
  });
  let missing = steps.next().value;
  const held: Buffer[] = [];
  for await (const piece of packed) {
    movedBytes = 0;
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + missing);
      from += part.length;
      missing -= part.length;
      held.push(part);
      if (missing > 0) continue;
      const unit = Buffer.concat(held.splice(0));
      missing = steps.next(unit).value;
      decoder.push(unit);
      yield* made.splice(0);
    }
  }
  decoder.push(Buffer.concat(held), true);
  yield* made;
}

/** Walks through frames and their blocks by the bytes that it is handed, and throws at one that asks for too much. */
function* frameSteps(charge: (bytes: number) => void): Generator<number, never, Buffer> {
  for (;;) {
    const magic = (yield 4).readUInt32LE();
    if (magic >>> 4 === 0x184d2a5) {
      // A frame that is to be skipped.
      for (let rest = (yield 4).readUInt32LE(); rest > 0; rest -= MAXIMUM_BLOCK_BYTES)
        yield Math.min(rest, MAXIMUM_BLOCK_BYTES);
      continue;
    }
    if (magic !== 0xfd2fb528) throw new Error("it is not zstd");
    const flags = (yield 1).readUInt8();
    if ((flags & 3) !== 0) throw new Error("it needs a dictionary");
    const isSingle = (flags & 32) !== 0;
    const sizeBytes = flags >> 6 === 0 ? Number(isSingle) : 2 ** (flags >> 6);
    const header = yield Number(!isSingle) + sizeBytes;
    // A frame in one piece has its size for a window; in two bytes it begins to count at 256.
    const size = [...header].reduceRight((sum, byte) => sum * 256 + byte, 0) + (sizeBytes === 2 ? 256 : 0);
    const windowByte = header[0] ?? 0;
    const windowBytes = isSingle ? size : 2 ** (10 + (windowByte >> 3)) * (1 + (windowByte & 7) / 8);
    if (windowBytes > MAXIMUM_WINDOW_BYTES) throw new Error(`its window is above ${MAXIMUM_WINDOW_BYTES} bytes`);
    for (let isLast = false; !isLast; ) {
      const block = (yield 3).readUIntLE(0, 3);
      isLast = (block & 1) === 1;
      charge(windowBytes + BLOCK_COSTS_BYTES);
      if (block >> 3 > MAXIMUM_BLOCK_BYTES) throw new Error("its block is too large");
      const storedBytes = ((block >> 1) & 3) === 1 ? 1 : block >> 3;
      if (storedBytes > 0) yield storedBytes;
    }
    if ((flags & 4) !== 0) yield 4;
  }
}
