import { applyEdits } from "../edit/apply-edits.ts";
import type { FitView } from "../engine/fit-input.ts";
import type { CompactionEntry, ModelChangeEntry, ModelLimits, RevertEntry, SessionEntry, SetupChangeEntry } from "../entry.ts";
import { entryIdOf, loggedLimits } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { canonicalJson } from "../json.ts";
import type { BoundReasoning, IsBoundReasoning, RemovedReasoning } from "../message/bound-reasoning.ts";
import {
  boundReasoningIn,
  isOwnReasoning,
  isSealedReasoning,
  reasoningBehindEdit,
  withoutReasoning,
} from "../message/bound-reasoning.ts";
import { extendViewHash, isVendorSummary, type Message, type ReasoningPart, wellFormedMessage } from "../message/message.ts";
import { type Sequence, sequenceOf } from "../sequence.ts";
import { shortHash } from "../text.ts";
import { type ToolSpec, toolTexts } from "../tool.ts";

/** The context of a session after the entries so far: everything to send now, and everything needed to apply the next entry. */
export interface SessionView extends FitView {
  readonly sessionId: string | null;
  readonly limits: ModelLimits | null;
  /** The view that a revert of the newest compaction brings back; `null` if there is none, `archived` if only the log has it. */
  readonly undo: Undo;
  /** Hash of the messages' ids and of the edits that made them; `""` for an empty log, and if the reader hashes nothing. */
  readonly viewHash: string;
}

interface UndoPoint {
  readonly messages: Sequence<Message>;
  readonly viewHash: string;
  readonly since: Sequence<Message>;
  /** The undo point of the compaction before. */
  readonly previous: Undo;
}

/** An undo point, or `archived` for one that is not in memory: the log has it. */
export type Undo = UndoPoint | "archived" | null;

/** The view of a session before the first entry of its log: no messages, no system text, no tools. */
export const EMPTY_VIEW: SessionView = {
  sessionId: null,
  system: "",
  tools: [],
  modelId: null,
  limits: null,
  boundReasoning: "leaves",
  messages: sequenceOf(),
  activeCompactions: [],
  undo: null,
  viewHash: "",
  lastEntryId: null,
};

/**
 * The view after one more entry. Appending a message is O(1) amortised; a compaction costs its edits' walk of the view; a revert costs
 * the messages that came since.
 *
 * @throws PlimsollError `bad-session` for a revert that does not name the latest active compaction, `bad-edit` for a
 * compaction that does not fit the view.
 */
export function foldEntry(view: SessionView, entry: SessionEntry): SessionView {
  return foldEntryBy(view, entry, extendViewHash);
}

/** As {@link foldEntry}, without a hash of the messages, which costs far more than the rest: for readers of recorded logs that ask only for messages. */
export function foldUnhashed(view: SessionView, entry: SessionEntry): SessionView {
  return foldEntryBy(view, entry, () => "");
}

function foldEntryBy(view: SessionView, entry: SessionEntry, hashAfter: typeof extendViewHash): SessionView {
  const lastEntryId = entryIdOf(entry);
  switch (entry.type) {
    case "session":
      return { ...view, sessionId: entry.id, system: entry.system, tools: entry.tools, lastEntryId };
    case "setup-change": {
      const { system, tools, boundReasoning = view.boundReasoning } = entry;
      return { ...withoutRemoved(view, entry), system, tools, boundReasoning, lastEntryId };
    }
    case "message":
      // Logged messages stay in the log; sent ones have no half characters.
      return appendMessage(view, wellFormedMessage(entry.message), hashAfter);
    case "usage":
      return { ...view, modelId: entry.modelId, lastEntryId };
    case "model-change":
      return { ...withoutRemoved(view, entry), modelId: entry.modelId, limits: entry.limits, lastEntryId };
    case "attempt":
    case "context-call":
      return { ...view, lastEntryId };
    case "compaction":
      return { ...withoutRemoved(applyCompaction(view, entry), entry), lastEntryId };
    case "revert":
      return { ...withoutRemoved(revertLatest(view, entry.compactionId, hashAfter), entry), lastEntryId };
    default:
      return entry satisfies never;
  }
}

/** The view with one more message; its entry is the newest, and has the message's id. */
function appendMessage(view: SessionView, message: Message, hashAfter: typeof extendViewHash): SessionView {
  const { sessionId, system, tools, modelId, limits, boundReasoning, messages, activeCompactions, undo, viewHash } = view;
  // Written out: spreading takes ten times as long, for each message of a log.
  return {
    sessionId,
    system,
    tools,
    modelId,
    limits,
    boundReasoning,
    messages: messages.append(message),
    activeCompactions,
    undo: isInMemory(undo) ? { ...undo, since: undo.since.append(message) } : undo,
    viewHash: hashAfter(viewHash, message.id),
    lastEntryId: message.id,
  };
}

function applyCompaction(view: SessionView, entry: CompactionEntry): SessionView {
  const { messages, viewHash, undo } = view;
  return {
    ...view,
    messages: sequenceOf(applyEdits(messages.slice(), entry.edits)),
    activeCompactions: [...view.activeCompactions, entry],
    undo: { messages, viewHash, since: sequenceOf(), previous: undo },
    viewHash: shortHash(`${viewHash}\n${entry.id}`),
  };
}

/** The view without the reasoning that leaves with an entry. A later undo brings back none of it, but for the reasoning that the undone compaction itself removed. */
function withoutRemoved(
  view: SessionView,
  entry: SetupChangeEntry | ModelChangeEntry | CompactionEntry | RevertEntry,
): SessionView {
  const { removedReasoning: removed = [] } = entry;
  if (removed.length === 0) return view;
  return {
    ...view,
    messages: sequenceOf(withoutReasoning(view.messages.slice(), removed)),
    undo: entry.type === "compaction" ? view.undo : undoWithout(view.undo, removed),
    viewHash: shortHash(`${view.viewHash}\n${entry.id}`),
  };
}

function undoWithout(undo: Undo, removed: readonly RemovedReasoning[]): Undo {
  if (!isInMemory(undo)) return undo;
  const bare = (messages: Sequence<Message>) => sequenceOf(withoutReasoning(messages.slice(), removed));
  return { ...undo, messages: bare(undo.messages), since: bare(undo.since), previous: undoWithout(undo.previous, removed) };
}

function isInMemory(undo: Undo): undo is UndoPoint {
  return undo !== null && undo !== "archived";
}

function revertLatest(view: SessionView, compactionId: string, hashAfter: typeof extendViewHash): SessionView {
  const latest = view.activeCompactions.at(-1);
  const { undo } = view;
  const refused = (why: string) => new PlimsollError("bad-session", why, { compactionId });
  if (latest?.id !== compactionId)
    throw refused(`cannot revert compaction ${compactionId}: the latest active one is ${latest?.id ?? "none"}`);
  if (!isInMemory(undo)) throw refused(`the view before compaction ${compactionId} is only in the log; read it back first`);
  const { messages, viewHash, previous, since } = undo;
  const activeCompactions = view.activeCompactions.slice(0, -1);
  let folded: SessionView = { ...view, messages, viewHash, undo: previous, activeCompactions };
  for (const message of since) folded = appendMessage(folded, message, hashAfter);
  return folded;
}

/**
 * The view without the undo points that the log has, too: covered messages and compactions' own need not stay in memory. The edits of the newest two
 * stay: they are read, and an undo makes the second the newest.
 */
export function withoutUndoPoints(view: SessionView, keep: "newest" | "none"): SessionView {
  const { undo, activeCompactions } = view;
  if (!isInMemory(undo)) return view;
  const released = activeCompactions.map((each, index) => {
    return index >= activeCompactions.length - 2 || each.edits.length === 0 ? each : { ...each, edits: [] };
  });
  const kept = keep === "none" ? "archived" : { ...undo, previous: undo.previous === null ? null : ("archived" as const) };
  return { ...view, undo: kept, activeCompactions: released };
}

/**
 * The entry that undoes the newest compaction.
 *
 * @throws PlimsollError `bad-input` if there is none, or if undoing it would make the session unsendable.
 */
export function revertEntry(view: SessionView, nowMs: number | null): RevertEntry {
  const latest = view.activeCompactions.at(-1);
  if (latest === undefined) throw new PlimsollError("bad-input", "there is no compaction to undo");
  const unsendable = "the newest compaction is a repair of a damaged session; undoing it would make the session unsendable";
  if (latest.record.reason === "repair") throw new PlimsollError("bad-input", unsendable);
  const id = shortHash(`revert\n${latest.id}\n${view.lastEntryId ?? ""}`);
  return { type: "revert", id, compactionId: latest.id, atMs: nowMs };
}

/**
 * The undo point of the newest active compaction, read off the log: the view before it, and the messages since; with the compactions, the newest two with
 * their edits. `read` hands over the whole log and is called twice: first to see which compactions were undone.
 */
export async function undoPointOf(
  compactionId: string,
  read: (onEntry: (entry: SessionEntry) => void) => Promise<void>,
): Promise<Pick<SessionView, "undo" | "activeCompactions">> {
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
  return { undo: view.undo, activeCompactions: view.activeCompactions };
}

/** How the system text and tools of a resumed session differ from those in its log. The lists have names of tools. */
interface SetupChange {
  readonly isSystemChanged: boolean;
  readonly addedTools: readonly string[];
  readonly removedTools: readonly string[];
  /** Tools that kept their name and have another description or other parameters. */
  readonly changedTools: readonly string[];
}

type Setup = Pick<FitView, "system" | "tools">;

/** The model that a session goes on with. */
export interface ModelSwitch {
  readonly modelId: string;
  readonly limits: ModelLimits;
}

/** Compares the system text and tools of a log with new ones; `null` if both are the same. */
export function setupChange({ system, tools }: Setup, to: Setup): SetupChange | null {
  const byName = (some: readonly ToolSpec[]) => new Map(some.map((tool) => [tool.name, textOf(tool)]));
  const [before, after] = [byName(tools), byName(to.tools)];
  const change: SetupChange = {
    isSystemChanged: system !== to.system,
    addedTools: [...after.keys()].filter((name) => !before.has(name)),
    removedTools: [...before.keys()].filter((name) => !after.has(name)),
    changedTools: [...after].filter(([name, text]) => before.has(name) && before.get(name) !== text).map(([name]) => name),
  };
  const toolCount = change.addedTools.length + change.removedTools.length + change.changedTools.length;
  return change.isSystemChanged || toolCount > 0 ? change : null;
}

/** Makes the log entry that records new system text and tools, and how bound reasoning is treated if that changes. */
export function setupChangeEntry(
  view: SessionView,
  { system, tools, boundReasoning }: Setup & { readonly boundReasoning?: BoundReasoning },
  nowMs: number | null,
): SetupChangeEntry {
  const choice = boundReasoning === undefined || boundReasoning === view.boundReasoning ? {} : { boundReasoning };
  const hashed = { type: "setup-change", after: view.lastEntryId, system, tools: tools.map(textOf), ...choice };
  return { type: "setup-change", id: shortHash(canonicalJson(hashed)), system, tools, atMs: nowMs, ...choice };
}

/** Makes the log entry of a switch to another model, or to other limits of the same one. */
export function modelChangeEntry(
  { lastEntryId }: SessionView,
  { modelId, limits }: ModelSwitch,
  atMs: number | null,
): ModelChangeEntry {
  const id = shortHash(`model-change\n${modelId}\n${lastEntryId ?? ""}`);
  return { type: "model-change", id, modelId, limits: loggedLimits(limits), atMs };
}

const textOf = (tool: ToolSpec) => toolTexts(tool).join("\n");

/** The entry with the bound reasoning that it makes invalid; one that takes reasoning out under the same setup as it is. */
export function withRemoved<Entry extends SessionEntry>(
  entry: Entry,
  view: SessionView,
  isBound: IsBoundReasoning | null,
): Entry {
  const { boundReasoning = view.boundReasoning } = entry.type === "setup-change" ? entry : view;
  if ("removedReasoning" in entry && entry.removedReasoning !== undefined) return entry;
  const binds = boundReasoning === "vendor-drops" ? null : isBound;
  // Another model cannot read a vendor's summary, even if the vendor drops bound reasoning by itself.
  const removedReasoning = madeInvalid(entry, view, binds ?? (() => false));
  return removedReasoning.length === 0 ? entry : { ...entry, removedReasoning };
}

/** The reasoning that an entry makes invalid. Another system text, other tools or another model come before everything. */
function madeInvalid(entry: SessionEntry, view: SessionView, isBound: IsBoundReasoning): readonly RemovedReasoning[] {
  const { modelId } = view;
  switch (entry.type) {
    case "compaction":
    case "revert": {
      const { messages } = foldEntry(view, entry);
      return reasoningBehindEdit(view.messages.slice(), messages.slice(), (part) => isBound(part, modelId));
    }
    case "setup-change":
      return boundReasoningIn(view.messages.slice(), (part) => isBound(part, modelId));
    case "model-change":
      return boundReasoningIn(view.messages.slice(), (part) =>
        isVendorSummary(part) ? entry.modelId !== modelId : isBound(part, modelId) || isBound(part, entry.modelId),
      );
    default:
      return [];
  }
}

/** The reasoning that leaves: bound reasoning, or all if none is known to be bound; all; all that is sealed; or the sealed reasoning of the newest reply that has any. */
export type LeavingReasoning = "bound" | "all" | "sealed" | "newest";

/** The entry that takes reasoning out under the same setup; `null` if there is none. */
export function withoutReasoningEntry(
  { system, tools, messages, modelId, lastEntryId }: SessionView,
  how: { readonly isBound: IsBoundReasoning | null; readonly which: LeavingReasoning; readonly atMs: number | null },
): SetupChangeEntry | null {
  const { isBound, which, atMs } = how;
  const reasoningOf = (isLeaving: (part: ReasoningPart) => boolean) => boundReasoningIn(messages.slice(), isLeaving);
  const known = which === "bound" ? reasoningOf((part) => isVendorSummary(part) || isBound?.(part, modelId) === true) : [];
  const isSealedOnly = which === "sealed" || which === "newest";
  const isAny = (part: ReasoningPart) => isOwnReasoning(part) || isVendorSummary(part);
  const all = known.length > 0 ? known : reasoningOf(isSealedOnly ? isSealedReasoning : isAny);
  const removedReasoning = which === "newest" ? all.slice(-1) : all;
  if (removedReasoning.length === 0) return null;
  const id = shortHash(`without-reasoning\n${lastEntryId ?? ""}`);
  return { type: "setup-change", id, system, tools, atMs, removedReasoning };
}
