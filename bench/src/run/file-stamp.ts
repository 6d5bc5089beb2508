import { type BigIntStats, statSync } from "node:fs";

/** What a file system says of a file without reading it: its device and number, its size, and when its content and its state changed. */
export type FileStamp = Buffer;

/** Its length: five numbers of eight bytes. */
export const STAMP_BYTES = 40;

/**
 * A change within so many milliseconds of the one before may leave the times as they are: file systems tick in up to two seconds
 * (FAT; learn.microsoft.com/windows/win32/sysinfo/file-times), most of them in a few milliseconds.
 */
const TICK_MS = 2000n;

const NS_IN_MS = 1_000_000n;

/**
 * The stamp of a file at a time in milliseconds since 1970. Any later change gives another one: whatever sets a file's content or its times also sets the
 * time at which its state changed, which nobody can set, and a file in its place has another number. `null` if that does not hold
 * (the file changed just now, or its system keeps no such time) and if there is no file.
 */
export function stampOfFile(path: string, nowMs: number): FileStamp | null {
  const stats = statsOf(path);
  if (stats === null || !stats.isFile() || !isSettled(stats, BigInt(Math.floor(nowMs)))) return null;
  const stamp = Buffer.alloc(STAMP_BYTES);
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  for (const [place, value] of [dev, ino, size, mtimeNs, ctimeNs].entries())
    stamp.writeBigUInt64LE(BigInt.asUintN(64, value), place * 8);
  return stamp;
}

function isSettled({ ino, ctimeNs }: BigIntStats, nowMs: bigint): boolean {
  return ino > 0n && ctimeNs > 0n && ctimeNs / NS_IN_MS + TICK_MS <= nowMs;
}

function statsOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    // The import says what is wrong with it.
    return null;
  }
}
