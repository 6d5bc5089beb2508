import { readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { variedSession } from "./varied-session.ts";

const MEGABYTE = 1e6;
/** How often a step is said while a corpus is written (chosen). */
const STEPS = 10;

/** The sources of a corpus, and its place. */
export interface CorpusPlan {
  /** Files of sessions to vary. */
  readonly sources: readonly string[];
  readonly leastBytes: number;
  /** The folder that gets a file for each session. */
  readonly place: string;
  /** Is told of each tenth that is written. */
  readonly say: (text: string) => void;
}

/** Writes variations of the sources, one after the other and round again, until there are so many bytes. */
export function writeCorpus({ sources, leastBytes, place, say }: CorpusPlan): {
  readonly sessions: number;
  readonly bytes: number;
} {
  const [stepBytes, megabytes] = [leastBytes / STEPS, Math.round(leastBytes / MEGABYTE)];
  let bytes = 0;
  let sessions = 0;
  for (; bytes < leastBytes; sessions++) {
    const source = sources[sessions % sources.length] ?? "";
    const text = variedSession(readFileSync(source, "utf8"), Math.floor(sessions / sources.length));
    writeFileSync(join(place, `${sessions}${extname(source)}`), text);
    const before = bytes;
    bytes += Buffer.byteLength(text);
    if (Math.floor(bytes / stepBytes) > Math.floor(before / stepBytes))
      say(`written ${Math.round(bytes / MEGABYTE)} of ${megabytes} MB`);
  }
  return { sessions, bytes };
}
