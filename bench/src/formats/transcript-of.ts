import type { SessionStartEntry } from "@plimsoll/core/internal";
import type { ImportNote, Transcript } from "../transcript.ts";
import { buildLog } from "./log-builder.ts";
import type { LogItem } from "./log-items.ts";

/** What identifies a transcript and what was read of it. */
export interface TranscriptParts {
  readonly name: string;
  readonly file: string;
  readonly format: string;
  readonly parentName?: string | null;
  readonly start: Partial<SessionStartEntry> & { readonly id: string };
  readonly items: readonly LogItem[];
  readonly notes: readonly ImportNote[];
}

/** The transcript of what an importer read. A recording that reports no sizes is noted. */
export function transcriptOf(parts: TranscriptParts): Transcript {
  const { name, file, format, parentName = null } = parts;
  const start: SessionStartEntry = { ...EMPTY_START, ...parts.start };
  const { entries, notes } = buildLog(start, parts.items, file);
  const hasUsage = entries.some((entry) => entry.type === "usage" && entry.usage.input.totalTokens !== null);
  const noUsage: ImportNote = { code: "no-usage", line: null, text: `${name}: reports no sizes; it is replayed on estimates` };
  const allNotes = [...parts.notes, ...notes, ...(hasUsage ? [] : [noUsage])];
  return { name, file, format, entries, parentName, hasUsage, notes: allNotes };
}

const EMPTY_START: Omit<SessionStartEntry, "id"> = {
  type: "session",
  version: 1,
  createdMs: null,
  system: "",
  tools: [],
  parent: null,
  agent: null,
};
