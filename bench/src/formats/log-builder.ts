import {
  type AssistantMessage,
  type CompactionEntry,
  isHuman,
  type Message,
  type ModelLimits,
  type SessionEntry,
  type Usage,
} from "@plimsoll/core";
import { coverageOf, createWorkCounter, entryIdOf, type MessageDraft, messageChars, shortHash } from "@plimsoll/core/extend";
import { shortened } from "../terminal/printable.ts";
import { CLEARED, type ImportNote, type Outcome, type PutBack, ROLLED_BACK, type Transcript } from "../transcript.ts";
import { createCallBatch, type OpenCall } from "./call-batch.ts";
import { unreadBlockIn } from "./content-parts.ts";
import {
  type BoundaryItem,
  boundaryItem,
  type CallDraft,
  type KeptHistory,
  type LogItem,
  type ReplyItem,
  type ReplyPart,
  textPart,
  userItem,
} from "./log-items.ts";
import { createLogWriter, type LogWriter, userDraft } from "./log-writer.ts";
import { pathNames } from "./path-names.ts";

/** A session log made from an importer's items, and the items that did not fit into it. */
export interface BuiltLog {
  readonly entries: readonly SessionEntry[];
  readonly notes: readonly ImportNote[];
  /** Ids of the compactions that started without a request, by the recording. */
  readonly automaticCompactionIds: readonly string[];
  readonly putBack: readonly PutBack[];
  /** Of reports and compactions that the recording says are another session's. */
  readonly copiedIds: readonly string[];
}

/** The session log of a recording: ids given, results joined to their calls, recorded compactions where they took effect. */
export function buildLog(
  start: Extract<SessionEntry, { readonly type: "session" }>,
  items: readonly LogItem[],
  { file, cwd = null }: { readonly file: string; readonly cwd?: string | null },
): BuiltLog {
  const notes: ImportNote[] = [];
  const automaticCompactionIds: string[] = [];
  const putBack: PutBack[] = [];
  const copiedIds: string[] = [];
  const writer = createLogWriter(start);
  const batch = createCallBatch(writer, { items, file, notes });
  const writeAnswer = createAnswerWriter(createReplyWriter(writer, pathNames(cwd)));
  const unread = new Map<string, number>();
  const unknownTools = new Map<string, number>();
  for (const item of items) {
    const written = writer.entries.length;
    for (const name of "parts" in item ? item.parts.flatMap(unreadBlockIn) : []) count(unread, name);
    switch (item.kind) {
      case "user":
        batch.takeUser(item);
        break;
      case "result":
        batch.takeResult(item);
        break;
      case "reply":
        batch.close("more");
        batch.open(writeAnswer(item, { writer, items, automaticCompactionIds }));
        for (const part of item.parts) if (part.type === "tool-call" && part.isUnknown) count(unknownTools, part.toolName);
        break;
      case "unread":
        count(unread, item.type);
        break;
      case "boundary":
        batch.close("more");
        writeBoundary(writer, item, items);
        if (item.isAutomatic === true) automaticCompactionIds.push(writer.lastEntryId());
        if (item.putBack !== undefined) putBack.push({ compactionId: writer.lastEntryId(), text: item.putBack });
        break;
      default:
        item satisfies never;
    }
    if ("isCopied" in item && item.isCopied === true)
      copiedIds.push(
        ...writer.entries
          .slice(written)
          .map((entry) => (entry.type === "message" ? `call:${entry.message.id}` : entryIdOf(entry))),
      );
  }
  batch.close("end");
  const { name: agent = null, version = null } = start.agent ?? {};
  const writtenBy = version === null ? agent : `${agent} ${version}`;
  const say = (code: ImportNote["code"], counts: ReadonlyMap<string, number>, words: string) => {
    if (counts.size === 0) return;
    const by = version === null ? "" : ` (${writtenBy})`;
    const text = `${file}: ${words}: ${namesOf(counts)}${by}`;
    notes.push({ code, line: null, text, unread: { writtenBy, counts: Object.fromEntries(counts) } });
  };
  say("unknown-line-type", unread, `left out ${countWords(unread, "item")} of unknown types`);
  say("unknown-tool", unknownTools, `no file shown in ${countWords(unknownTools, "call")} of unknown tools`);
  return { entries: writer.entries, notes, automaticCompactionIds, putBack, copiedIds };
}

/** So many names are counted apart and so many said; the others are counted together (chosen). */
const MOST_COUNTED = 200;
const MOST_NAMED = 8;
const OTHERS = "others";
const NAME_CHARS = 40;

function count(counts: Map<string, number>, name: string): void {
  const own = shortened(name, NAME_CHARS);
  const key = counts.has(own) || counts.size < MOST_COUNTED ? own : OTHERS;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function countWords(counts: ReadonlyMap<string, number>, what: string): string {
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0);
  return `${all} ${what}${all === 1 ? "" : "s"}`;
}

function namesOf(counts: ReadonlyMap<string, number>): string {
  const most = [...counts].toSorted(([, a], [, b]) => b - a);
  const more = most.length > MOST_NAMED ? ` and ${most.length - MOST_NAMED} more` : "";
  return `${most
    .slice(0, MOST_NAMED)
    .map(([name, times]) => `${name} ${times}`)
    .join(", ")}${more}`;
}

/** Parts that {@link transcriptOf} builds a transcript from: its names, the session's start, and the items read. */
export interface TranscriptParts {
  readonly name: string;
  readonly file: string;
  readonly format: string;
  readonly parentName?: string | null;
  /** The folder in which the session ran; left out if the recording does not say. */
  readonly cwd?: string | null;
  /** The address of the repository; left out if the recording does not say. */
  readonly remote?: string | null;
  readonly plan?: string | null;
  readonly start: Partial<Extract<SessionEntry, { readonly type: "session" }>> & { readonly id: string };
  readonly items: readonly LogItem[];
  readonly notes: readonly ImportNote[];
  readonly outcome?: Outcome | null;
  readonly statedUsd?: number | null;
}

/** Builds a transcript from the items that an importer read. Notes a recording that reports no token counts: its replays run on estimates. */
export function transcriptOf(parts: TranscriptParts): Transcript {
  const {
    name,
    file,
    format,
    parentName = null,
    cwd = null,
    remote = null,
    plan = null,
    outcome = null,
    statedUsd = null,
  } = parts;
  const start: Extract<SessionEntry, { readonly type: "session" }> = { ...EMPTY_START, ...parts.start };
  const { entries, notes, automaticCompactionIds, putBack, copiedIds } = buildLog(start, parts.items, { file, cwd });
  const hasUsage = entries.some((entry) => entry.type === "usage" && entry.usage.input.totalTokens !== null);
  const noUsage: ImportNote = { code: "no-usage", line: null, text: `${name}: reports no sizes; it is replayed on estimates` };
  const allNotes = [...parts.notes, ...notes, ...(hasUsage ? [] : [noUsage])];
  const repository = remote === null ? null : repositoryAt(remote);
  return {
    ...{ name, file, format, entries, parentName },
    ...((repository ?? cwd) && { project: shortHash(repository ?? cwd ?? "") }),
    ...(plan !== null && { plan }),
    ...(automaticCompactionIds.length === 0 ? {} : { automaticCompactionIds }),
    ...(putBack.length === 0 ? {} : { putBack }),
    ...(copiedIds.length === 0 ? {} : { copiedIds }),
    ...(outcome === null ? {} : { outcome }),
    ...(statedUsd === null || statedUsd <= 0 ? {} : { statedUsd }),
    ...{ hasUsage, notes: allNotes },
  };
}

/** A repository by any address of it: `git@HOST:OWNER/NAME.git` is `https://HOST/OWNER/NAME`; `null` if the address names none, as in a cleaned log. */
function repositoryAt(remote: string): string | null {
  const name = remote
    .replace(/^\w+:\/\//, "")
    .replace(/^[^@/]*@/, "")
    .replace(":", "/")
    .replace(/(?:\.git)?\/?$/, "");
  return /[/\\].*\w/.test(name) ? name : null;
}

/** The key of the chain that is the session itself. */
export const MAIN = "";

/** One chain of a file: the session itself, or a sub-agent by its key, with the call that began it if that is known. */
export interface LogChain extends Pick<TranscriptParts, "items"> {
  readonly key: string;
  readonly callId?: string | null;
  /** Notes of the chain itself. */
  readonly notes?: readonly ImportNote[];
}

/** Builds the transcripts of a file's chains, the main one first; the first has the file's name and notes. */
export function chainTranscripts(
  { start: { id, system, ...start }, notes, file, ...session }: Omit<TranscriptParts, "name" | "items">,
  chains: readonly LogChain[],
): readonly Transcript[] {
  return chains.map(({ key, items, callId = null, notes: ownNotes = [] }, index) => {
    const own = key === MAIN ? { id, ...(system === undefined ? {} : { system }) } : { id: `${id}/${key}` };
    const parent = key === MAIN ? null : { sessionId: id, callId };
    const named = index === 0 ? { name: file } : { name: `${file}#${key}`, parentName: file };
    const allNotes = index === 0 ? [...notes, ...ownNotes] : ownNotes;
    return transcriptOf({ ...session, ...named, file, start: { ...start, ...own, parent }, items, notes: allNotes });
  });
}

const EMPTY_START: Omit<Extract<SessionEntry, { readonly type: "session" }>, "id"> = {
  type: "session",
  version: 1,
  createdMs: null,
  system: "",
  tools: [],
  parent: null,
  agent: null,
};

type WriteReply = (item: ReplyItem, parts: readonly ReplyPart[]) => readonly OpenCall[];

/**
 * Writes a reply with the vendor's compactions inside it. Parts before the newest summary are not sent any more; an answer of nothing but a summary
 * was asked of the whole context, which the summary replaces after it.
 */
function createAnswerWriter(writeReply: WriteReply) {
  return (
    item: ReplyItem,
    log: { writer: LogWriter; items: readonly LogItem[]; automaticCompactionIds: string[] },
  ): readonly OpenCall[] => {
    const at = item.parts.findLastIndex(({ type }) => type === "compaction");
    const part = item.parts[at];
    if (part?.type !== "compaction") return writeReply(item, item.parts);
    const { line, atMs } = item;
    const boundary = boundaryItem(userItem("summary", [textPart(part.summary)], { atMs }), { line, atMs });
    const parts = item.parts.slice(at + 1);
    if (parts.length === 0) writeReply(item, parts);
    writeBoundary(log.writer, boundary, log.items);
    if (parts.length === 0) return [];
    log.automaticCompactionIds.push(log.writer.lastEntryId());
    return writeReply(item, parts);
  };
}

/**
 * Writes a reply: a `model-change` if the model or its limits differ from the last call's, the `usage` entry, the message. A reply with nothing
 * visible is only a usage entry, one that reported nothing only a message. Returns its calls.
 */
function createReplyWriter(writer: LogWriter, nameOf: (path: string) => string): WriteReply {
  const callIds = new Set<string>();
  let model: { readonly modelId: string; readonly limitsKey: string } | null = null;

  const changeModel = (modelId: string, limits: ModelLimits | null, atMs: number | null) => {
    const limitsKey = limits === null ? (model?.limitsKey ?? "null") : JSON.stringify(limits);
    const isChange = model === null ? limits !== null : model.modelId !== modelId || model.limitsKey !== limitsKey;
    model = { modelId, limitsKey };
    if (!isChange) return;
    const id = `model:${shortHash(`${writer.lastEntryId()}\n${modelId}\n${limitsKey}`)}`;
    writer.push({ type: "model-change", id, modelId, limits, atMs });
  };

  const pushUsage = (item: ReplyItem, usage: Usage, requestId: string) => {
    const modelId = item.modelId ?? model?.modelId ?? "unknown";
    changeModel(modelId, item.limits, item.atMs);
    const throughMessageId = writer.view().at(-1)?.id ?? null;
    const { atMs } = item;
    writer.push({ type: "usage", requestId, modelId, throughMessageId, overheadHash: null, viewHash: null, usage, atMs });
  };

  return (item, parts) => {
    const previousId = writer.lastMessageId();
    const named = parts.map((part) => (part.type === "tool-call" ? withNames(part, nameOf) : part));
    const calls = openCallsOf({ ...item, parts: named }, callIds, previousId);
    const draft = draftOf({ ...item, parts: named }, calls);
    const isVisible = draft.parts.some((part) => part.type !== "reasoning");
    const message = isVisible ? writer.identify(draft, item.sourceId ?? idByCalls(calls)) : null;
    const replyId = message?.id ?? shortHash(`${writer.lastEntryId()}\n${item.requestId}\n${item.line}`);
    const requestId = writer.freeId(item.requestId) ?? `call:${replyId}`;
    if (item.usage !== null) pushUsage(item, item.usage, requestId);
    if (message?.role !== "assistant") return [];
    writer.append(item, item.usage === null ? message : { ...message, requestId });
    return calls;
  };
}

function withNames(call: CallDraft, nameOf: (path: string) => string): CallDraft {
  const paths = call.paths.map((each) => ({ ...each, path: nameOf(each.path) }));
  return paths.every(({ path }, at) => path === call.paths[at]?.path) ? call : { ...call, paths };
}

/** A reply that has no id of its own is known by its first call: call ids are the source's, and hashing long inputs is slow. */
function idByCalls(calls: readonly OpenCall[]): string | null {
  const [first] = calls;
  return first === undefined ? null : `reply:${first.call.callId}`;
}

function draftOf(item: ReplyItem, calls: readonly OpenCall[]): Omit<AssistantMessage, "id"> {
  const queue = [...calls];
  const parts = item.parts.flatMap((part) => partOf(part, queue));
  const { modelId, stopReason, atMs } = item;
  return { role: "assistant", origin: "model", parts, modelId, requestId: null, stopReason, atMs };
}

function partOf(part: ReplyPart, calls: OpenCall[]): AssistantMessage["parts"] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [part];
  if (part.type === "reasoning") return [part];
  if (part.type === "compaction") return [];
  const { type, callId, toolName, argumentsJson, paths } = calls.shift()?.call ?? part;
  return [{ type, callId, toolName, argumentsJson, paths }];
}

/** The reply's calls. An id that the log has already gets the chain's hash behind it, so that ids stay unique. */
function openCallsOf(item: ReplyItem, callIds: Set<string>, previousId: string | null): readonly OpenCall[] {
  const calls: OpenCall[] = [];
  for (const part of item.parts) {
    if (part.type !== "tool-call") continue;
    const isFree = part.callId !== "" && !callIds.has(part.callId);
    const callId = isFree ? part.callId : `${part.callId}~${shortHash(`${previousId}\n${part.callId}\n${callIds.size}`)}`;
    callIds.add(callId);
    calls.push({ sourceCallId: part.callId, call: isFree ? part : { ...part, callId }, line: item.line });
  }
  return calls;
}

/** The name that recorded compactions carry where a compaction of ours names its policy, prompt and estimator. */
const RECORDED = "recorded";

/**
 * Writes a compaction that the recorded agent made. If it kept the end of its view unchanged, the edit replaces the rest by a summary; anything else
 * replaces the history, with the kept messages as the same objects.
 */
function writeBoundary(writer: LogWriter, item: BoundaryItem, items: readonly LogItem[]): void {
  const before = writer.view();
  const through = writer.lastEntryId();
  const summary = item.summary === null ? null : writer.identify(userDraft(item.summary), item.summary.sourceId);
  const kept = keptMessages(writer, item.kept, items);
  if (item.summary !== null && summary !== null) writer.know(item.summary, summary);
  const place = item.kept.kind === "around" ? before.findIndex((message) => !kept.includes(message)) : 0;
  const after = summary === null || place < 0 ? kept : kept.toSpliced(place, 0, summary);
  // The messages to remove had left the view before.
  const isOwn = item.kept.kind !== "history" && item.kept.kind !== "items" && item.kept.kind !== "from";
  if (isOwn && after.length === before.length && after.every((message, index) => message === before[index])) return;
  const tailStart = before.length - kept.length;
  const ownId = `compaction:${shortHash(`${through}\n${after.map((message) => message.id).join("\n")}`)}`;
  const isTail = kept.length > 0 && kept.every((message, index) => before[tailStart + index] === message);
  const usage = item.usage ?? null;
  const isBegin = isTail && tailStart > 0;
  const replaced = isBegin ? before.slice(0, tailStart) : before;
  // A paid summary has its usage on the edit that it belongs to, whether or not more is replaced.
  const isSummed = summary !== null && replaced.length > 0 && (isBegin || usage !== null);
  const summed = isSummed ? [summaryEdit(replaced, summary, usage)] : [];
  const edits = isSummed && isBegin ? summed : [...summed, replaceEdit(isSummed ? [summary] : before, after)];
  const { kind } = item.kept;
  const strategy = kind === "rolled-back" ? ROLLED_BACK : kind === "cleared" ? CLEARED : null;
  writer.push({
    type: "compaction",
    id: writer.freeId(item.sourceId) ?? ownId,
    throughEntryId: through,
    edits,
    record: {
      ...{
        policy: RECORDED,
        reason: "recorded",
        gate: null,
        steps: strategy === null ? [] : [{ strategy, outcome: "applied", detail: null }],
        estimator: RECORDED,
        cutEstimator: null,
        modelId: item.modelId ?? null,
      },
      ...{ budgetTokens: null, tokensBefore: item.tokensBefore, tokensAfter: item.tokensAfter ?? null },
      ...{ messagesBefore: before.length, messagesAfter: after.length, work: createWorkCounter().total() },
    },
    atMs: item.atMs,
  });
  writer.replaceView(after);
}

function summaryEdit(covered: readonly Message[], message: Message, usage: Usage | null): CompactionEntry["edits"][number] {
  const span = { from: covered[0]?.id ?? message.id, through: covered.at(-1)?.id ?? message.id, promptId: RECORDED };
  return { kind: "replace-spans", spans: [span], by: "summary", message, covered: coverageOf(covered), usage };
}

function replaceEdit(before: readonly Message[], after: readonly Message[]): CompactionEntry["edits"][number] {
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
      return historyMessages(writer, draftsOf(kept.items));
    case "cleared":
      return clearedMessages(writer, kept.cleared);
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

/** The text that Claude Code and OpenCode (sst/opencode, packages/opencode/src/session/message-v2.ts) send in the place of a cleared result. */
const CLEARED_PART = textPart("[Old tool result content cleared]");

/** The view with a short text in place of cleared results and without other cleared messages; messages that are no longer in the view stay out of it. */
function clearedMessages(writer: LogWriter, items: readonly LogItem[]): readonly Message[] {
  const cleared = new Set(items.flatMap((item) => writer.messageOf(item) ?? []));
  return writer.view().flatMap((message) => {
    if (!cleared.has(message)) return [message];
    return message.role === "tool-result" ? [{ ...message, parts: [CLEARED_PART] }] : [];
  });
}

/** The view before its newest turns, or before a message, without the agent's insertions right before that; messages before the first turn stay. */
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

/** The messages of items without ids and reports; a result without a call before it is left out. */
function draftsOf(items: readonly LogItem[]): readonly MessageDraft[] {
  const calls = new Map<string, CallDraft>();
  return items.flatMap((item): readonly MessageDraft[] => {
    if (item.kind === "user") return [userDraft(item)].filter(({ parts }) => parts.length > 0);
    if (item.kind === "reply") {
      for (const part of item.parts) if (part.type === "tool-call") calls.set(part.callId, part);
      return [draftOf({ ...item, modelId: null, stopReason: null, atMs: null }, [])];
    }
    const call = item.kind === "result" ? calls.get(item.callId) : undefined;
    if (item.kind !== "result" || call === undefined) return [];
    const { callId, toolName, category } = call;
    const { parts, atMs } = item;
    return [{ role: "tool-result", callId, toolName, category, isError: item.isError === true, parts, atMs }];
  });
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

/** Equal for messages of equal content, and cheap: different keys spare a comparison. */
function sizeKey(draft: MessageDraft): string {
  const chars = draft.parts.reduce((sum, part) => sum + messageChars({ parts: [part] }), 0);
  return `${draft.role} ${draft.parts.length} ${chars}`;
}

function contentKey(draft: MessageDraft): string {
  return JSON.stringify([draft.role, draft.parts, draft.role === "tool-result" ? draft.callId : ""]);
}
