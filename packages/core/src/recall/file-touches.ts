import type { PathAccess } from "../tool.ts";

/** Knowledge of a file. Distances are in characters of logged texts. */
export interface FileFacts {
  readonly reads: number;
  readonly writes: number;
  readonly sinceTouchChars: number;
  /** Since it was last written; `null` if it never was. */
  readonly sinceWriteChars: number | null;
  /** Whether it was written after the text in question. */
  readonly isWrittenSince: boolean;
}

/** How often and when each file of a log was read and written. */
export interface FileTouches {
  add(access: PathAccess, atChars: number): void;
  /** Returns the knowledge, at one place of the log, about the file of a text at another; `null` for a file that no call touched. */
  facts(path: string, places: { readonly textAtChars: number; readonly nowAtChars: number }): FileFacts | null;
  /** Counts the writings of a file, of all files without one, behind a place of the log. */
  writesSince(path: string | null, textAtChars: number): number;
}

interface Touches {
  reads: number;
  writes: number;
  lastTouchAtChars: number;
  lastWriteAtChars: number | null;
}

/** No file touched yet. */
export function createFileTouches(): FileTouches {
  const files = new Map<string, Touches>();
  const writings: { readonly path: string; readonly atChars: number }[] = [];
  return {
    add: ({ path, access }, atChars) => {
      const file = files.get(path) ?? { reads: 0, writes: 0, lastTouchAtChars: 0, lastWriteAtChars: null };
      files.set(path, file);
      file[access === "read" ? "reads" : "writes"] += 1;
      file.lastTouchAtChars = atChars;
      if (access === "modify") file.lastWriteAtChars = atChars;
      if (access === "modify") writings.push({ path, atChars });
    },
    facts: (path, { textAtChars, nowAtChars }) => {
      const file = files.get(path);
      if (file === undefined) return null;
      const { reads, writes, lastTouchAtChars, lastWriteAtChars } = file;
      return {
        reads,
        writes,
        sinceTouchChars: nowAtChars - lastTouchAtChars,
        sinceWriteChars: lastWriteAtChars === null ? null : nowAtChars - lastWriteAtChars,
        isWrittenSince: lastWriteAtChars !== null && lastWriteAtChars > textAtChars,
      };
    },
    writesSince: (path, textAtChars) =>
      writings.filter((each) => each.atChars > textAtChars && (path === null || each.path === path)).length,
  };
}
