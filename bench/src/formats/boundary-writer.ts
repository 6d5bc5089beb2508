import { isHuman, type Message } from "@plimsoll/core";
import { type AppliedEdit, coverageOf, type MessageDraft, NO_WORK, partChars, shortHash } from "@plimsoll/core/extend";
import { ROLLED_BACK } from "../transcript.ts";
import type { BoundaryItem, KeptHistory, LogItem } from "./log-items.ts";
import { type LogWriter, userDraft } from "./log-writer.ts";

/** The name that recorded compactions carry where a compaction of ours names its policy, prompt and estimator. */
const RECORDED = "recorded";

/**
 * Writes a compaction that the recorded agent made. If it kept the end of its view as it was, the edit puts a summary in the place of
 * what stood before; anything else replaces the history, with the messages that were kept as the same objects.
 */
export function writeBoundary(writer: LogWriter, item: BoundaryItem, items: readonly LogItem[]): void {
  const before = writer.view();
  const through = writer.lastEntryId();
  const summary = item.summary === null ? null : writer.identify(userDraft(item.summary), item.summary.sourceId);
  const kept = keptMessages(writer, item.kept, items);
  if (item.summary !== null && summary !== null) writer.know(item.summary, summary);
  const place = item.kept.kind === "around" ? before.findIndex((message) => !kept.includes(message)) : 0;
  const after = summary === null || place < 0 ? kept : kept.toSpliced(place, 0, summary);
  // What was to leave had left the view before.
  const isOwn = item.kept.kind !== "history" && item.kept.kind !== "items" && item.kept.kind !== "from";
  if (isOwn && after.length === before.length && after.every((message, index) => message === before[index])) return;
  const tailStart = before.length - kept.length;
  const isFree = item.sourceId !== null && item.sourceId !== "" && !writer.hasId(item.sourceId);
  const isTail = kept.length > 0 && kept.every((message, index) => before[tailStart + index] === message);
  const edit =
    isTail && tailStart > 0 && summary !== null ? summaryEdit(before.slice(0, tailStart), summary) : replaceEdit(before, after);
  writer.push({
    type: "compaction",
    id: isFree ? item.sourceId : `compaction:${shortHash(`${through}\n${after.map((message) => message.id).join("\n")}`)}`,
    throughEntryId: through,
    edits: [edit],
    record: {
      ...{
        policy: RECORDED,
        reason: "recorded",
        gate: null,
        steps: item.kept.kind === "rolled-back" ? [{ strategy: ROLLED_BACK, outcome: "applied", detail: null }] : [],
        estimator: RECORDED,
        cutEstimator: null,
        modelId: null,
      },
      ...{ budgetTokens: null, tokensBefore: item.tokensBefore, tokensAfter: null },
      ...{ messagesBefore: before.length, messagesAfter: after.length, work: NO_WORK },
    },
    atMs: item.atMs,
  });
  writer.replaceView(after);
}

function summaryEdit(covered: readonly Message[], message: Message): AppliedEdit {
  const span = { from: covered[0]?.id ?? message.id, through: covered.at(-1)?.id ?? message.id, promptId: RECORDED };
  return { kind: "replace-spans", spans: [span], by: "summary", message, covered: coverageOf(covered), usage: null };
}

function replaceEdit(before: readonly Message[], after: readonly Message[]): AppliedEdit {
  const staying = new Set(after);
  return {
    kind: "replace-history",
    through: null,
    messages: after,
    covered: coverageOf(before.filter((message) => !staying.has(message))),
  };
}

function keptMessages(writer: LogWriter, kept: KeptHistory, items: readonly LogItem[]): readonly Message[] {
  switch (kept.kind) {
    case "from":
      return messagesFrom(writer, items, items.indexOf(kept.item));
    case "items":
      return kept.items.flatMap((item) => writer.messageOf(item) ?? []);
    case "history":
      return historyMessages(writer, kept.drafts);
    case "cleared":
      return clearedMessages(writer, kept);
    case "rolled-back":
      return beforeCut(writer.view(), typeof kept.to === "number" ? kept.to : (writer.messageOf(kept.to) ?? 0));
    case "around": {
      const gone = new Set(kept.items.flatMap((item) => writer.messageOf(item) ?? []));
      return writer.view().filter((message) => !gone.has(message));
    }
    default:
      return kept satisfies never;
  }
}

/** The view with a short text in the place of what some results said; results that are no longer in the view stay out of it. */
function clearedMessages(writer: LogWriter, { results, text }: Extract<KeptHistory, { kind: "cleared" }>): readonly Message[] {
  const cleared = new Set(results.flatMap((item) => writer.messageOf(item) ?? []));
  const parts = [{ type: "text", text } as const];
  return writer
    .view()
    .map((message) => (cleared.has(message) && message.role === "tool-result" ? { ...message, parts } : message));
}

/** The view before its newest turns, or before a message, less what the agent put right before that; what stands before the first turn stays. */
function beforeCut(view: readonly Message[], to: number | Message): readonly Message[] {
  const starts = view.filter(isHuman);
  const [first] = starts;
  const taken = typeof to === "number" ? (to === 0 ? undefined : (starts.at(-to) ?? first)) : to;
  const found = taken === undefined ? -1 : view.indexOf(taken);
  let cut = found < 0 ? view.length : found;
  const isPutBefore = (message: Message | undefined) => message?.role === "user" && message.origin === "injected";
  while (view[cut] !== undefined && view[cut] !== first && isPutBefore(view[cut - 1])) cut -= 1;
  return view.slice(0, cut);
}

/** The end of the view from the first item that has a message; if that is no longer in view, the messages come back. */
function messagesFrom(writer: LogWriter, items: readonly LogItem[], start: number): readonly Message[] {
  if (start < 0) return [];
  const kept = items.slice(start).flatMap((item) => writer.messageOf(item) ?? []);
  const [first] = kept;
  const inView = first === undefined ? -1 : writer.view().indexOf(first);
  return inView >= 0 ? writer.view().slice(inView) : kept;
}

/** Messages of a history given in full: the one that the log has with the same content, each once, else a new one. */
function historyMessages(writer: LogWriter, drafts: readonly MessageDraft[]): readonly Message[] {
  const wanted = new Set(drafts.map(sizeKey));
  const known = new Map<string, Message[]>();
  for (const message of writer.known()) {
    if (!wanted.has(sizeKey(message))) continue;
    const key = contentKey(message);
    known.set(key, [...(known.get(key) ?? []), message]);
  }
  return drafts.map((draft) => known.get(contentKey(draft))?.shift() ?? writer.identify(draft, null));
}

/** Equal for messages of equal content, and cheap: what need not be compared is told by it. */
function sizeKey(draft: MessageDraft): string {
  const chars = draft.parts.reduce((sum, part) => sum + partChars(part), 0);
  return `${draft.role} ${draft.parts.length} ${chars}`;
}

function contentKey(draft: MessageDraft): string {
  return JSON.stringify([draft.role, draft.parts, draft.role === "tool-result" ? draft.callId : ""]);
}
