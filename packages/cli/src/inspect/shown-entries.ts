import process from "node:process";
import type { Transcript } from "@plimsoll/bench";
import { createKeyRedactor, type SessionEntry } from "@plimsoll/core";
import { createRedaction } from "@plimsoll/core/extend";

/** The entries as a report shows them: without keys, those of this environment and those that look like one. */
export function shownEntries(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const { entry } = createRedaction(createKeyRedactor(process.env));
  return entries.map((each) => entry(each, "report"));
}

/** A transcript as a report shows it. */
export function shownTranscript({ entries, notes, ...transcript }: Transcript): Transcript {
  const hide = createKeyRedactor(process.env);
  const shown = notes.map((note) => ({ ...note, text: hide(note.text, "report") }));
  return { ...transcript, entries: shownEntries(entries), notes: shown };
}
