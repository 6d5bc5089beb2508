import { type ImagePart, type TextPart, type Usage, usageOf } from "@plimsoll/core";
import type { DocumentSession } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import { imageFromUrl } from "../image.ts";
import {
  boundaryItem,
  type LogItem,
  objectCall,
  type ReplyPart,
  replyItem,
  resultItem,
  textPart,
  toolTable,
  unreadItem,
  userItem,
} from "../log-items.ts";

const TOOLS = toolTable([
  ["read", "read"],
  ["modify", "write edit multiedit"],
  ["patch", "patch apply_patch"],
  ["command", "bash"],
  ["search", "grep glob list websearch codesearch"],
  ["other", "webfetch task todowrite todoread compress"],
]);

/** The session of an exported document, or of one put together from storage: `{info, messages: [{info, parts}]}`. */
export function openCodeSession(document: Fields): DocumentSession {
  const info = recordAt(document, "info");
  const parentId = stringAt(info, "parentID");
  const start = {
    id: stringAt(info, "id"),
    createdMs: timeMsAt(recordAt(info, "time"), "created"),
    parent: parentId === null ? null : { sessionId: parentId, callId: null },
    agent: { name: "opencode", version: stringAt(info, "version") },
  };
  const messages = recordsAt(document, "messages");
  const folders = messages.map((message) => stringAt(recordAt(recordAt(message, "info"), "path"), "cwd"));
  const cwd = stringAt(info, "directory") ?? folders.find((folder) => folder !== null) ?? null;
  return { start, cwd, items: itemsOf(messages, parentId !== null) };
}

/** A compaction is a user message with a `compaction` part, and then the summary as a call of its own. */
function itemsOf(messages: readonly Fields[], isSubAgent: boolean): readonly LogItem[] {
  const items: LogItem[] = [];
  const ranges = createRanges(isSubAgent);
  const firstItemOf = new Map<string, LogItem>();
  let compaction: Fields | null = null;
  let pruned: readonly PrunedResult[] = [];
  for (const message of messages) {
    const info = recordAt(message, "info") ?? {};
    const parts = recordsAt(message, "parts");
    const due = pruned.filter(({ atMs }) => atMs <= (createdMs(info) ?? 0));
    if (due.length > 0) items.push(clearing(due));
    pruned = pruned.filter((result) => !due.includes(result));
    const marker = parts.find((part) => part.type === "compaction");
    if (marker !== undefined) {
      compaction = marker;
      continue;
    }
    const isSummary = info.role === "assistant" && info.summary === true;
    const read =
      info.role === "assistant" ? replyItems(info, parts, isSummary ? "summary" : "message") : userItems(info, parts);
    const [first] = read;
    if (first !== undefined) firstItemOf.set(stringAt(info, "id") ?? "", first);
    const isKnown = info.role === "assistant" || info.role === "user";
    items.push(
      ...read,
      ...parts.flatMap(({ type }) => (KNOWN_PARTS.includes(type) ? [] : [unreadItem(type)])),
      ...(isKnown ? [] : [unreadItem(`role ${info.role}`)]),
    );
    items.push(...ranges.take({ isUser: info.role === "user", parts, read, atMs: createdMs(info) }));
    pruned = [...pruned, ...prunedResults(parts, read)];
    if (!isSummary) continue;
    const kept = firstItemOf.get(stringAt(compaction, "tail_start_id") ?? "");
    const from = { sourceId: stringAt(info, "id"), atMs: createdMs(info) };
    const summary = userItem("summary", textParts(parts), { atMs: from.atMs });
    items.push(
      boundaryItem(summary, from, {
        ...(kept === undefined ? {} : { kept: { kind: "from", item: kept } }),
        ...(compaction?.auto === true ? { isAutomatic: true } : {}),
      }),
    );
    compaction = null;
  }
  if (pruned.length > 0) items.push(clearing(pruned));
  return items;
}

interface PrunedResult {
  readonly item: LogItem;
  readonly atMs: number;
}

function prunedResults(parts: readonly Fields[], read: readonly LogItem[]): readonly PrunedResult[] {
  const clearedAt = new Map(
    parts.flatMap((part) => {
      const atMs = timeMsAt(recordAt(recordAt(part, "state"), "time"), "compacted");
      return part.type === "tool" && atMs !== null ? [[stringAt(part, "callID") ?? "", atMs] as const] : [];
    }),
  );
  return read.flatMap((item) => {
    const atMs = item.kind === "result" ? clearedAt.get(item.callId) : undefined;
    return atMs === undefined ? [] : [{ item, atMs }];
  });
}

/** The view from which the results are cleared: the agent marks them in its log and keeps their text. */
function clearing(due: readonly PrunedResult[]): LogItem {
  const atMs = Math.max(...due.map((result) => result.atMs));
  return boundaryItem(null, { atMs }, { kept: { kind: "cleared", cleared: due.map(({ item }) => item) } });
}

function createdMs(info: Fields): number | null {
  return timeMsAt(recordAt(info, "time"), "created");
}

function textParts(parts: readonly Fields[]): readonly TextPart[] {
  return parts.flatMap((part) =>
    part.type === "text" && part.ignored !== true ? [textPart(stringAt(part, "text") ?? "")] : [],
  );
}

/** Reads the person's words, then the parts that the agent put beside them: read files and prompts of its own. */
function userItems(info: Fields, parts: readonly Fields[]): readonly LogItem[] {
  const from = { sourceId: stringAt(info, "id"), atMs: createdMs(info) };
  const typed = [...textParts(parts.filter((part) => part.synthetic !== true)), ...parts.flatMap(filePart)];
  const synthetic = textParts(parts.filter((part) => part.synthetic === true));
  if (typed.length === 0) return synthetic.length === 0 ? [] : [userItem("injected", synthetic, from)];
  return [
    userItem("human", typed, from),
    ...(synthetic.length === 0 ? [] : [userItem("injected", synthetic, { atMs: from.atMs })]),
  ];
}

/** Images are sent; a text file is named here and its text is in a synthetic part. */
function filePart(part: Fields): readonly ImagePart[] {
  const mime = stringAt(part, "mime") ?? "";
  if (part.type !== "file" || mime.startsWith("text/") || mime === "application/x-directory") return [];
  return [imageFromUrl(stringAt(part, "url") ?? "", mime)];
}

/** One message is one call; a message with several finished steps is one call a step. */
function replyItems(info: Fields, parts: readonly Fields[], role: "message" | "summary"): readonly LogItem[] {
  const steps = stepsOf(parts);
  return steps.flatMap((step, index) => {
    const finish = step.find((part) => part.type === "step-finish");
    const tokens = steps.length > 1 ? recordAt(finish, "tokens") : (recordAt(info, "tokens") ?? recordAt(finish, "tokens"));
    const usage = tokenUsage(tokens, numberAt(steps.length > 1 ? finish : info, "cost") ?? numberAt(finish, "cost"));
    const from = {
      sourceId: index === 0 ? stringAt(info, "id") : null,
      requestId: index === 0 ? stringAt(info, "id") : null,
      atMs: createdMs(info),
      modelId: stringAt(info, "modelID"),
      stopReason: stopReasonOf(info, step),
    };
    if (role === "summary") return [replyItem([], usage, { ...from, sourceId: null, requestId: null })];
    return [replyItem(step.flatMap(replyPart), usage, from), ...step.flatMap(toolResult)];
  });
}

/** Types of parts that are read, and of those that put nothing before the model. */
const KNOWN_PARTS: readonly unknown[] = [
  ...["text", "reasoning", "tool", "file", "compaction", "step-start", "step-finish"],
  ...["snapshot", "patch", "agent", "subtask", "retry"],
];

function stepsOf(parts: readonly Fields[]): readonly (readonly Fields[])[] {
  const steps: Fields[][] = [[]];
  for (const part of parts) {
    steps.at(-1)?.push(part);
    if (part.type === "step-finish") steps.push([]);
  }
  return steps.filter(
    (step, index) => index === 0 || step.some((part) => ["text", "tool", "step-finish"].some((type) => part.type === type)),
  );
}

function stopReasonOf(info: Fields, step: readonly Fields[]): "end" | "tool-calls" | "length" | "error" {
  if (recordAt(info, "error") !== null) return "error";
  if (info.finish === "length") return "length";
  return step.some((part) => part.type === "tool") ? "tool-calls" : "end";
}

function replyPart(part: Fields): readonly ReplyPart[] {
  switch (part.type) {
    case "text":
      return textParts([part]);
    case "reasoning":
      return [{ type: "reasoning", text: stringAt(part, "text") ?? "", opaque: jsonValueOf(part.metadata) }];
    case "tool":
      return [objectCall(TOOLS, stringAt(part, "callID"), stringAt(part, "tool"), recordAt(recordAt(part, "state"), "input"))];
    default:
      return [];
  }
}

function toolResult(part: Fields): readonly LogItem[] {
  const state = recordAt(part, "state");
  if (part.type !== "tool" || (state?.status !== "completed" && state?.status !== "error")) return [];
  const text = stringAt(state, "output") ?? stringAt(state, "error") ?? "";
  const parts = [textPart(text), ...recordsAt(state, "attachments").flatMap(filePart)];
  const atMs = timeMsAt(recordAt(state, "time"), "end");
  return [resultItem(stringAt(part, "callID") ?? "", parts, { isError: state.status === "error", atMs })];
}

/** Counts are disjoint, with reasoning and the cost beside the output. An aborted call reports zeros: that is no report. */
function tokenUsage(tokens: Fields | null, cost: number | null): Usage | null {
  const cache = recordAt(tokens, "cache");
  const uncachedTokens = numberAt(tokens, "input");
  const cacheReadTokens = numberAt(cache, "read");
  const cacheWriteTokens = numberAt(cache, "write");
  if ((uncachedTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0) === 0) return null;
  const reasoningTokens = numberAt(tokens, "reasoning");
  const output = numberAt(tokens, "output");
  const outputTokens = output === null ? null : output + (reasoningTokens ?? 0);
  return usageOf({
    uncachedTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
    raw: jsonValueOf({ ...tokens, cost }),
  });
}

interface ReadMessage {
  readonly isUser: boolean;
  readonly parts: readonly Fields[];
  readonly read: readonly LogItem[];
  readonly atMs: number | null;
}

/**
 * Follows the ranges that the model compressed by the `compress` tool of the plugin Dynamic Context Pruning (`@tarquinen/opencode-dcp`, types of
 * 3.1.14): from the next request on, a summary replaces a range of messages, which the log keeps. Messages are named `m0001` in their order,
 * summaries `b1`; a range may cover earlier summaries, which its own text names as `(b1)`.
 */
function createRanges(isSubAgent: boolean): { take(message: ReadMessage): readonly LogItem[] } {
  const named: (readonly LogItem[])[] = [];
  const blocks: { readonly first: number; readonly summary: LogItem; readonly text: string }[] = [];
  let skipsPrompt = isSubAgent;
  const placeOf = (name: string): number | undefined => {
    const [, kind, digits] = /^\s*([mb])0*(\d+)\s*$/i.exec(name) ?? [];
    const place = Number(digits) - 1;
    if (kind?.toLowerCase() === "b") return blocks[place]?.first;
    return named[place] === undefined ? undefined : place;
  };
  const boundary = (entry: Fields, atMs: number | null): LogItem => {
    const [start, end] = ["startId", "endId"].map((key) => placeOf(stringAt(entry, key) ?? stringAt(entry, "messageId") ?? ""));
    if (start === undefined || end === undefined || start > end) return unreadItem("compress range");
    const text = (stringAt(entry, "summary") ?? "").replace(
      /\(b(\d+)\)/g,
      (name, block: string) => blocks[Number(block) - 1]?.text ?? name,
    );
    const covered = blocks.filter(({ first }) => first >= start && first <= end).map(({ summary }) => summary);
    const items = [...named.slice(start, end + 1).flat(), ...covered];
    const summary = userItem("summary", [textPart(`[Compressed conversation section]\n${text}`)], { atMs });
    blocks.push({ first: start, summary, text });
    return boundaryItem(summary, { atMs }, { kept: { kind: "around", items } });
  };
  return {
    take: ({ isUser, parts, read, atMs }) => {
      if (isUser && parts.every(({ ignored }) => ignored === true)) return [];
      if (isUser && skipsPrompt) skipsPrompt = false;
      else named.push(read);
      return parts.filter(isCompress).flatMap((part) => entriesOf(part).map((entry) => boundary(entry, atMs)));
    },
  };
}

function isCompress(part: Fields): boolean {
  return part.type === "tool" && part.tool === "compress" && recordAt(part, "state")?.status === "completed";
}

/** Its ranges or messages: a list of them, one, or the arguments themselves, by version. */
function entriesOf(part: Fields): readonly Fields[] {
  const input = recordAt(recordAt(part, "state"), "input");
  const listed = recordsAt(input, "content");
  const [only] = [recordAt(input, "content"), input].filter((each) => each !== null);
  return listed.length > 0 || only === undefined ? listed : [only];
}
