import type { CompactionEntry } from "../entry.ts";

/**
 * What a compaction came to: the id of the prompt that its summary was written with (`structured`, `narrative`, `checkpoint`, `digest`, …);
 * `emergency` for a drop without a summary, whatever caused it; `cleared` for parts alone, and `recorded` for another agent's own boundary.
 */
export function compactionKind(entry: CompactionEntry): string {
  const ofSpans = entry.edits.filter((edit) => edit.kind === "replace-spans");
  const written = ofSpans.find(({ by }) => by === "summary" || by === "digest");
  if (written !== undefined) return written.spans[0]?.promptId ?? "summary";
  if (ofSpans.length > 0) return "emergency";
  return entry.edits.some((edit) => edit.kind === "replace-part") ? "cleared" : "recorded";
}

/**
 * The log line of a compaction, e.g. `[plimsoll:context:compacted:structured] 60674 → 7144 tokens (tool round 11)`; without the round
 * before the first step and where steps are not counted.
 */
export function compactionLogLine(entry: CompactionEntry): string {
  const { tokensBefore, tokensAfter, step = 0 } = entry.record;
  const round = step === 0 ? "" : ` (tool round ${step})`;
  return `[plimsoll:context:compacted:${compactionKind(entry)}] ${tokensBefore ?? "?"} → ${tokensAfter ?? "?"} tokens${round}`;
}

/** A compaction's figures as listeners show them. Every message that left the view counts as removed; the summary's own is not new. */
export interface CompactionFigures {
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  readonly messagesRemoved: number;
}

/** The figures of a compaction. */
export function compactionFigures(entry: CompactionEntry): CompactionFigures {
  const { tokensBefore, tokensAfter } = entry.record;
  const messagesRemoved = entry.edits.reduce(
    (sum, edit) => sum + (edit.kind === "replace-part" ? 0 : edit.covered.messages),
    0,
  );
  return { tokensBefore, tokensAfter, messagesRemoved };
}
