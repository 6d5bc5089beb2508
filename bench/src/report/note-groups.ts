import type { SourceNote } from "../results.ts";

/** Notes of one kind about one file. */
export interface NoteGroup {
  readonly file: string;
  readonly code: string;
  readonly count: number;
  readonly firstLine: number | null;
  /** The first note's text, without the place that `file` and `firstLine` give. */
  readonly text: string;
}

/** Counts notes by file and kind, in the order in which they first come. */
export function groupNotes(notes: readonly SourceNote[]): readonly NoteGroup[] {
  const groups = new Map<string, NoteGroup>();
  for (const { file, line, code, text } of notes) {
    const key = `${code}\n${file}`;
    const group = groups.get(key) ?? { file, code, count: 0, firstLine: line, text: withoutPlace(text, file, line) };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()];
}

/** Importers write notes as lines for a terminal, with the place in front. */
function withoutPlace(text: string, file: string, line: number | null): string {
  const place = `${line === null ? file : `${file}:${line}`}: `;
  return text.startsWith(place) ? text.slice(place.length) : text;
}
