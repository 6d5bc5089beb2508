import type { RevertEntry, SessionEntry } from "../entry.ts";
import { isPlimsollError, PlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import { EMPTY_VIEW, foldEntry, type SessionView, type Undo } from "./view.ts";

/** The view without the undo points that the log has, too: what compactions covered need not stay in memory. */
export function withoutUndoPoints(view: SessionView, keep: "newest" | "none"): SessionView {
  const { undo } = view;
  if (undo === null || undo === "archived") return view;
  if (keep === "none") return { ...view, undo: "archived" };
  return { ...view, undo: { ...undo, previous: undo.previous === null ? null : "archived" } };
}

/**
 * The entry that undoes the newest compaction.
 *
 * @throws PlimsollError `bad-input` if there is none, or if undoing it would make the session unsendable.
 */
export function revertEntry(view: SessionView, nowMs: number | null): RevertEntry {
  const latest = view.activeCompactions.at(-1);
  if (latest === undefined) throw new PlimsollError("bad-input", "there is no compaction to undo");
  if (latest.record.reason === "repair") {
    throw new PlimsollError(
      "bad-input",
      "the newest compaction is a repair of a damaged session; undoing it would make the session unsendable",
    );
  }
  const id = shortHash(`revert\n${latest.id}\n${view.lastEntryId ?? ""}`);
  return { type: "revert", id, compactionId: latest.id, atMs: nowMs };
}

/**
 * The undo point of the newest active compaction, read off the log: the view before it, and the messages since. `read` hands over the whole
 * log and is called twice: first to see which compactions were undone.
 */
export async function undoPointOf(
  compactionId: string,
  read: (onEntry: (entry: SessionEntry) => void) => Promise<void>,
): Promise<Undo> {
  const undone = new Map<string, number>();
  await read((entry) => {
    if (entry.type === "revert") undone.set(entry.compactionId, (undone.get(entry.compactionId) ?? 0) + 1);
  });
  let view = EMPTY_VIEW;
  await read((entry) => {
    view = foldEntry(view, entry);
    if (entry.type !== "compaction") return;
    // One id may be made again after an undo: the first so many of it were undone.
    const left = undone.get(entry.id) ?? 0;
    undone.set(entry.id, left - 1);
    if (left <= 0) view = withoutUndoPoints(view, entry.id === compactionId ? "newest" : "none");
  });
  return view.undo;
}

const UNDO_ARCHIVED = "undo-archived";

/** A log that is being opened undoes a compaction whose undo point was not kept: open it again and keep it. */
export function undoArchived(compactionId: string): PlimsollError {
  return new PlimsollError("bad-session", `compaction ${compactionId} is undone later in the log`, {
    why: UNDO_ARCHIVED,
    compactionId,
  });
}

/** True for the error that says to open the log again. */
export function isUndoArchived(error: unknown): boolean {
  return isPlimsollError(error, "bad-session") && error.details.why === UNDO_ARCHIVED;
}
