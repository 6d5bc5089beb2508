import type { FileHandle } from "node:fs/promises";
import { branchEntry, noSuchEntry } from "../agent/memory-session-store.ts";
import { entryIdOf } from "../entry.ts";
import type { EntryListener, SessionBranch } from "../ports.ts";
import { encodeEntry, MORE_FOLLOWS } from "../session/codec.ts";
import { createLogIndex, type LogIndex, type ReadableLog, readLog } from "./log-reader.ts";

/** The part of a log that a branch begins with: where it is in the source, and its first line as the branch has it. */
export interface BranchedPart {
  readonly source: FileHandle;
  readonly index: LogIndex;
  readonly throughIndex: number;
  readonly firstLine: string;
}

/**
 * Reads a log for a branch and hands over the branch's entries.
 *
 * @throws PlimsollError `bad-input` if the log has no such entry, and what {@link readLog} throws.
 */
export async function readBranch(log: ReadableLog, branch: SessionBranch, onEntry: EntryListener): Promise<BranchedPart> {
  const index = createLogIndex();
  let firstLine = "";
  let throughIndex = -1;
  await readLog(log, index, (entry) => {
    if (throughIndex >= 0) return;
    const branched = branchEntry(entry, branch);
    if (index.entryCount() === 0) firstLine = encodeEntry(branched);
    if (entryIdOf(entry) === branch.throughEntryId) throughIndex = index.entryCount();
    onEntry(branched);
  });
  if (throughIndex < 0) throw noSuchEntry(branch);
  return { source: log.file, index, throughIndex, firstLine };
}

/** How much is copied at once; chosen. */
const CHUNK_BYTES = 1024 * 1024;
const LINE_END = "\n";
const MORE_FOLLOWS_BYTE = MORE_FOLLOWS.charCodeAt(0);
/** In the place of the mark before a line that is the last one of a branch. */
const SPACE_BYTE = 0x20;

/** Writes a branch's entries to an empty file: the lines as they are in the source, but for the first. Returns the file's size in bytes. */
export async function writeBranch(part: BranchedPart, target: FileHandle, index: LogIndex): Promise<number> {
  const { source, throughIndex, firstLine } = part;
  await target.writeFile(firstLine);
  index.add(0, Buffer.byteLength(firstLine));
  if (throughIndex === 0) return index.endByte();
  const from = part.index.bytesOf(1)?.startByte ?? 0;
  const through = part.index.bytesOf(throughIndex)?.endByte ?? from;
  const shift = index.endByte() - from;
  const lastStart = part.index.bytesOf(throughIndex)?.startByte ?? from;
  const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, through - from));
  let last = "";
  for (let at = from; at < through; ) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, through - at), at);
    if (at <= lastStart && chunk[lastStart - at] === MORE_FOLLOWS_BYTE) chunk[lastStart - at] = SPACE_BYTE;
    await target.writeFile(chunk.subarray(0, bytesRead));
    last = chunk.toString("latin1", bytesRead - 1, bytesRead);
    at += bytesRead;
  }
  for (let entry = 1; entry <= throughIndex; entry++) {
    const place = part.index.bytesOf(entry);
    if (place !== null) index.add(place.startByte + shift, place.endByte + shift);
  }
  if (last === LINE_END) return through + shift;
  await target.writeFile(LINE_END);
  return through + shift + 1;
}
