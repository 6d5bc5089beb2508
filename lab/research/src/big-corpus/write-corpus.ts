import { readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";

/** The sources of a corpus, and its place. */
export interface CorpusPlan {
  /** Files of sessions to vary. */
  readonly sources: readonly string[];
  readonly leastBytes: number;
  /** The folder that gets a file for each session. */
  readonly place: string;
}

/** Writes variations of the sources, one after the other and round again, until there are so many bytes. */
export function writeCorpus({ sources, leastBytes, place }: CorpusPlan): { readonly sessions: number; readonly bytes: number } {
  let bytes = 0;
  let sessions = 0;
  for (; bytes < leastBytes; sessions++) {
    const source = sources[sessions % sources.length] ?? "";
    const text = variedSession(readFileSync(source, "utf8"), Math.floor(sessions / sources.length));
    writeFileSync(join(place, `${sessions}${extname(source)}`), text);
    bytes += Buffer.byteLength(text);
  }
  return { sessions, bytes };
}

/** A long word of prose, of code or of a path: never a key or a kind of the format, which stand in quotes. */
const VARIED = /(?<=[ /.])[a-z]{9,}(?=[ /.,):])/g;

/** Letters of a word that change (chosen: as many as make seventeen thousand variations). */
const CHANGED_LETTERS = 3;
const LETTER_COUNT = 26;
const FIRST_LETTER = "a".charCodeAt(0);

/**
 * A session's file as it would be if its long words were others: the same words become the same others, so that what is said again is said
 * again. As many bytes, the same form; variation 0 is the file itself.
 */
export function variedSession(text: string, variation: number): string {
  return text.replaceAll(VARIED, (word) => {
    const kept = word.slice(0, -CHANGED_LETTERS);
    let rest = variation;
    let changed = "";
    for (const letter of word.slice(-CHANGED_LETTERS)) {
      changed += String.fromCharCode(FIRST_LETTER + ((letter.charCodeAt(0) - FIRST_LETTER + rest) % LETTER_COUNT));
      rest = Math.floor(rest / LETTER_COUNT);
    }
    return kept + changed;
  });
}
