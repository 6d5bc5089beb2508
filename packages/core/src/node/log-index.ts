/** Where each entry of a log file stands: eight bytes an entry. */
export interface LogIndex {
  /** Notes the next entry: its first byte and the one after its last. */
  add(startByte: number, endByte: number): void;
  /** The bytes of an entry, counted from 0; `null` if the log has no such entry. Empty lines before the next entry belong to them. */
  bytesOf(entryIndex: number): { readonly startByte: number; readonly endByte: number } | null;
  entryCount(): number;
  /** The byte after the last entry. */
  endByte(): number;
}

/** How many entries an index has room for at first; it doubles. Chosen. */
const FIRST_ROOM_COUNT = 256;

/** The index of an empty log. */
export function createLogIndex(): LogIndex {
  let starts = new Float64Array(FIRST_ROOM_COUNT);
  let count = 0;
  let end = 0;
  return {
    add: (startByte, endByte) => {
      if (count === starts.length) {
        const larger = new Float64Array(count * 2);
        larger.set(starts);
        starts = larger;
      }
      starts[count] = startByte;
      count += 1;
      end = endByte;
    },
    bytesOf: (entryIndex) => {
      if (!Number.isInteger(entryIndex) || entryIndex < 0 || entryIndex >= count) return null;
      return { startByte: starts[entryIndex] ?? 0, endByte: entryIndex + 1 < count ? (starts[entryIndex + 1] ?? end) : end };
    },
    entryCount: () => count,
    endByte: () => end,
  };
}
