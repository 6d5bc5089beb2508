import { openPlace } from "./open-place.ts";

/** The beginning of a file as text. */
export interface FileText {
  readonly text: string;
  readonly isBinary: boolean;
  readonly totalBytes: number;
  /** False where the file is larger than what was read. */
  readonly isWhole: boolean;
}

/**
 * The first bytes of a regular file at its real place as text, at most so many. Invalid UTF-8 becomes U+FFFD; a NUL byte among the first ones
 * makes it binary.
 */
export async function readTextFile(place: string, maximumBytes: number): Promise<FileText> {
  const file = await openPlace(place, "file");
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, maximumBytes));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const bytes = buffer.subarray(0, length);
    const isBinary = bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
    const text = isBinary ? "" : new TextDecoder("utf-8").decode(bytes);
    return { text, isBinary, totalBytes: size, isWhole: size <= maximumBytes };
  } finally {
    await file.close();
  }
}

/** How far a NUL byte is looked for, as git does. */
const BINARY_PROBE_BYTES = 8_000;
