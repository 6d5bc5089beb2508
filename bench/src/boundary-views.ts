import type { Message, SessionEntry } from "@plimsoll/core";
import { EMPTY_VIEW, foldUnhashed } from "@plimsoll/core/extend";

/** By recorded compaction or undo: the messages of the view behind it. */
export type BoundaryViews = ReadonlyMap<SessionEntry, readonly Message[]>;

/** A recorded log that is followed entry by entry. Only where the recorded agent changed its view must the log be folded. */
export interface FollowedView {
  follow(entry: SessionEntry): void;
  newest(): Message | undefined;
  readonly boundaries: BoundaryViews;
}

/** A view of a log without entries yet. */
export function followedView(): FollowedView {
  const boundaries = new Map<SessionEntry, readonly Message[]>();
  let view = EMPTY_VIEW;
  let unfolded: SessionEntry[] = [];
  let newest: Message | undefined;
  return {
    boundaries,
    newest: () => newest,
    follow(entry) {
      unfolded.push(entry);
      if (entry.type === "message") newest = entry.message;
      if (entry.type !== "compaction" && entry.type !== "revert") return;
      view = unfolded.reduce(foldUnhashed, view);
      unfolded = [];
      newest = view.messages.at(-1);
      boundaries.set(entry, view.messages.slice());
    },
  };
}

/** The views of a whole log. */
export function boundaryViews(entries: readonly SessionEntry[]): BoundaryViews {
  const view = followedView();
  for (const entry of entries) view.follow(entry);
  return view.boundaries;
}
