import { applyEdits } from "../edit/apply-edits.ts";
import type { CompactionEntry, ModelLimits, SessionEntry } from "../entry.ts";
import { entryIdOf } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import { extendViewHash } from "../message/ids.ts";
import type { Message } from "../message/message.ts";
import type { Sequence } from "../sequence.ts";
import { sequenceOf } from "../sequence.ts";
import type { ToolSpec } from "../tool.ts";

/** The context of a session after some of its log: what would be sent now, and what is needed to fold the next entry. */
export interface SessionView {
  readonly sessionId: string | null;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly modelId: string | null;
  readonly limits: ModelLimits | null;
  /** The messages of the context, after all active compactions. */
  readonly messages: Sequence<Message>;
  /** Everything that was ever appended, with the compactions that are active: what a revert folds again. */
  readonly history: Sequence<Message | CompactionEntry>;
  readonly activeCompactions: readonly CompactionEntry[];
  /** Hash of the messages' ids and of the edits that made them. */
  readonly viewHash: string;
  readonly lastEntryId: string | null;
}

/** The view of an empty log. */
export const EMPTY_VIEW: SessionView = {
  sessionId: null,
  system: "",
  tools: [],
  modelId: null,
  limits: null,
  messages: sequenceOf(),
  history: sequenceOf(),
  activeCompactions: [],
  viewHash: "",
  lastEntryId: null,
};

/**
 * The view after one more entry. Appending a message is O(1) amortised; a compaction costs its edits' walk of the view;
 * only a revert folds the history again.
 *
 * @throws PlimsollError `bad-session` for a revert that does not name the latest active compaction, `bad-edit` for a
 * compaction that does not fit the view.
 */
export function foldEntry(view: SessionView, entry: SessionEntry): SessionView {
  const lastEntryId = entryIdOf(entry);
  switch (entry.type) {
    case "session":
      return { ...view, sessionId: entry.id, system: entry.system, tools: entry.tools, lastEntryId };
    case "setup-change":
      return { ...view, system: entry.system, tools: entry.tools, lastEntryId };
    case "message":
      return { ...appendMessage(view, entry.message), lastEntryId };
    case "usage":
      return { ...view, modelId: entry.modelId, lastEntryId };
    case "model-change":
      return { ...view, modelId: entry.modelId, limits: entry.limits, lastEntryId };
    case "compaction":
      return { ...applyCompaction(view, entry), lastEntryId };
    case "revert":
      return { ...revertLatest(view, entry.compactionId), lastEntryId };
    default:
      return entry satisfies never;
  }
}

/** The view of a whole log. */
export function foldEntries(entries: Iterable<SessionEntry>): SessionView {
  let view = EMPTY_VIEW;
  for (const entry of entries) view = foldEntry(view, entry);
  return view;
}

function appendMessage(view: SessionView, message: Message): SessionView {
  return {
    ...view,
    messages: view.messages.append(message),
    history: view.history.append(message),
    viewHash: extendViewHash(view.viewHash, message.id),
  };
}

function applyCompaction(view: SessionView, entry: CompactionEntry): SessionView {
  return {
    ...view,
    messages: sequenceOf(applyEdits(view.messages.slice(), entry.edits)),
    history: view.history.append(entry),
    activeCompactions: [...view.activeCompactions, entry],
    viewHash: shortHash(`${view.viewHash}\n${entry.id}`),
  };
}

function revertLatest(view: SessionView, compactionId: string): SessionView {
  const latest = view.activeCompactions.at(-1);
  if (latest === undefined || latest.id !== compactionId) {
    throw new PlimsollError(
      "bad-session",
      `cannot revert compaction ${compactionId}: the latest active one is ${latest?.id ?? "none"}`,
      {
        compactionId,
      },
    );
  }
  let folded: SessionView = { ...view, messages: sequenceOf(), history: sequenceOf(), activeCompactions: [], viewHash: "" };
  for (const item of view.history) {
    if ("role" in item) folded = appendMessage(folded, item);
    else if (item.id !== compactionId) folded = applyCompaction(folded, item);
  }
  return folded;
}
