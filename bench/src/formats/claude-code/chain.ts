import { type AssistantMessage, UNREPORTED_USAGE, type Usage } from "@plimsoll/core";
import { messageChars } from "@plimsoll/core/extend";
import { anthropicUsageOf, replyPartsOfBlocks } from "../anthropic-blocks.ts";
import { contentParts } from "../content-parts.ts";
import { type Fields, numberAt, parseRecord, recordAt, recordsAt, stringAt, stringsAt, timeMsAt } from "../fields.ts";
import {
  type BoundaryItem,
  boundaryItem,
  type LogItem,
  type ReplyItem,
  type ReplyPart,
  type ResultItem,
  replyItem,
  resultItem,
  textPart,
  toolTable,
  type UserItem,
  unreadItem,
  userItem,
} from "../log-items.ts";
import type { TreeNode } from "../rewound-prompts.ts";
import { isAgentTag, parted, type Said, type Speakers } from "../who-said.ts";
import { createPutBackReader } from "./put-back.ts";

/** Takes the lines of one chain (the main one or a sidechain), in the order of the file. */
export interface ChainReader {
  take(value: Fields, line: number): void;
  items(): readonly LogItem[];
  nodes(): readonly (TreeNode & { readonly line: number })[];
  repeatedUsageCount(): number;
  /** The logged output of replies that were logged only at their beginning, and the characters of them in the log; `null` without any. */
  unfinished(): Unfinished | null;
}

interface Unfinished {
  readonly replies: number;
  readonly tokens: number;
  readonly chars: number;
}

/** Lines join replies by message id and request id, even if other lines come between. Lines with a known uuid are copies. */
export function createChainReader(): ChainReader {
  const items: LogItem[] = [];
  const nodes: (TreeNode & { readonly line: number })[] = [];
  const itemOfUuid = new Map<string, LogItem>();
  const replies = new Map<string, GrowingReply>();
  const uuids = new Set<string>();
  const putBack = createPutBackReader();
  const definitions = new Map<string, string>();
  const queue: string[] = [];
  const unqueued = new Map<string, LogItem>();
  let pending: PendingBoundary | null = null;
  let repeatedUsageCount = 0;

  const push = (item: LogItem, uuid: string | null) => {
    items.push(item);
    if (uuid !== null) itemOfUuid.set(uuid, item);
  };

  const settleBoundary = (summary: UserItem | null) => {
    if (pending !== null) {
      const text = putBack.afterCompaction();
      push({ ...boundaryItemOf(pending, summary, { items, itemOfUuid }), ...(text === null ? {} : { putBack: text }) }, null);
    }
    pending = null;
  };

  const takeReply = (value: Fields, line: number, uuid: string | null) => {
    if (value.isApiErrorMessage === true) return;
    const messageId = stringAt(recordAt(value, "message"), "id") ?? uuid ?? String(line);
    const requestId = stringAt(value, "requestId");
    const key = requestId === null ? messageId : `${messageId}\n${requestId}`;
    const known = replies.get(key);
    const reply = known ?? startReply(value, line);
    if (known === undefined) {
      for (const name of [key, messageId]) replies.set(name, reply);
      push(reply, uuid);
    } else {
      repeatedUsageCount += 1;
      if (uuid !== null) itemOfUuid.set(uuid, known);
    }
    growReply(reply, value);
  };

  /** A command whose prompt the next line puts in begins a turn, and the person typed it; others run without the model. */
  const beginTurn = (value: Fields, [prompt]: readonly LogItem[]) => {
    const uuid = stringAt(value, "parentUuid") ?? "";
    const command = itemOfUuid.get(uuid);
    if (value.isMeta !== true || command?.kind !== "user" || prompt?.kind !== "user") return;
    if (!beginsWith(command, "<command-") || beginsWith(prompt, "<local-command-")) return;
    const typed = { ...command, origin: "human" as const };
    items[items.lastIndexOf(command)] = typed;
    itemOfUuid.set(uuid, typed);
  };

  /** Older versions log only here the words that a person typed meanwhile: the running turn has them once the queue has not. */
  const takeQueued = (value: Fields, line: number) => {
    if (value.operation === "enqueue") queue.push(stringAt(value, "content") ?? "");
    if (value.operation !== "remove") return;
    const [text = ""] = queue.splice(Math.max(0, queue.findIndex(isTyped)), 1);
    if (!isTyped(text)) return;
    const item = userItem("human", contentParts(text), { line, sourceId: null, atMs: timeMsAt(value, "timestamp") });
    unqueued.set(text, item);
    items.push(item);
  };

  /** Queued words that have a line of their own count there. */
  const takeLogged = (read: LogItem | null) => {
    const part = read?.kind === "user" ? read.parts[0] : undefined;
    const text = part?.type === "text" ? part.text : "";
    const item = unqueued.get(text);
    if (item !== undefined) items.splice(items.indexOf(item), 1);
    unqueued.delete(text);
    if (queue.includes(text)) queue.splice(queue.indexOf(text), 1);
  };

  const takeUser = (value: Fields, line: number, uuid: string | null) => {
    const read = userItemsOf(value, line, uuid);
    const isSnapshot = read.some(
      (each) => each.kind === "user" && each.origin === "injected" && beginsWith(each, SNAPSHOT_OPENING),
    );
    if (value.isCompactSummary === true || isSnapshot) {
      const summary = read.find((item) => item.kind === "user");
      const parts = contentParts(recordAt(value, "message")?.content);
      pending ??= { value: { timestamp: value.timestamp }, line };
      settleBoundary(summary === undefined ? null : { ...summary, parts, sourceId: uuid, origin: "summary" });
      return;
    }
    if (value.isVisibleInTranscriptOnly === true) return;
    settleBoundary(null);
    beginTurn(value, read);
    for (const item of read) {
      takeLogged(item);
      push(item, uuid);
    }
  };

  return {
    take: (value, line) => {
      const uuid = stringAt(value, "uuid");
      if (uuid !== null && uuids.has(uuid)) return;
      if (uuid !== null) {
        uuids.add(uuid);
        nodes.push({ id: uuid, parentId: stringAt(value, "parentUuid"), role: nodeRoleOf(value), line });
      }
      putBack.take(value);
      // True for the line that says where the agent compacted; the summary follows on a line of its own.
      if (value.type === "system" && value.subtype === "compact_boundary") pending = { value, line };
      else if (value.type === "system" && value.subtype === "microcompact_boundary")
        push(boundaryItemOf({ value, line }, null, { items, itemOfUuid }), null);
      else if (value.type === "user") takeUser(value, line, uuid);
      else if (value.type === "assistant") {
        settleBoundary(null);
        unqueued.clear();
        takeReply(value, line, uuid);
      } else if (value.type === "queue-operation") takeQueued(value, line);
      else if (value.type === "attachment") {
        // The definitions of tools that results name (2.1.270 and later).
        for (const entry of recordsAt(recordAt(value, "attachment"), "entries"))
          definitions.set(stringAt(entry, "name") ?? "", JSON.stringify(entry));
        const item = attachmentItemOf(value, { line, sourceId: uuid, atMs: timeMsAt(value, "timestamp") });
        takeLogged(item);
        if (item !== null) push(item, uuid);
        else if (isUnreadAttachment(recordAt(value, "attachment")))
          push(unreadItem(`attachment ${stringAt(recordAt(value, "attachment"), "type") ?? "without a type"}`), null);
      } else {
        const name = unreadName(value);
        if (name !== null) push(unreadItem(name), null);
      }
    },
    items: () => {
      for (const item of items) if (item.kind === "result") defineTools(item, definitions);
      return items;
    },
    nodes: () => nodes,
    repeatedUsageCount: () => repeatedUsageCount,
    unfinished: () => settleUnfinished(new Set(replies.values())),
  };
}

/** From so many characters a token on, a text is longer than its size: finished replies of public logs have up to 4.42 (1,568, November 2026). */
const MOST_CHARS_PER_TOKEN = 4.5;
/** A few characters more prove nothing (chosen). */
const FEW_CHARS = 40;

/**
 * Takes the output back that replies have from the beginning of their stream: older versions (seen to 2.1.59, anthropics/claude-code#22671 and
 * #27361) log no end of a reply, and no size after it. The bill is then at least that size.
 */
function settleUnfinished(replies: ReadonlySet<GrowingReply>): Unfinished | null {
  const found = { replies: 0, tokens: 0, chars: 0 };
  for (const reply of replies) {
    const tokens = reply.usage?.output.totalTokens ?? null;
    const chars = reply.parts.reduce(
      (sum, part) => sum + (part.type === "compaction" ? 0 : messageChars({ parts: [part] })),
      0,
    );
    if (reply.usage === null || tokens === null || reply.stopReason !== null) continue;
    if (chars <= FEW_CHARS + tokens * MOST_CHARS_PER_TOKEN) continue;
    const billed = { ...reply.usage.billed, outputTokens: tokens };
    reply.usage = { ...reply.usage, output: { totalTokens: null, reasoningTokens: null }, billed };
    found.replies += 1;
    found.tokens += tokens;
    found.chars += chars;
  }
  return found.replies === 0 ? null : found;
}

/** Replaces the names of tools that a result loads by their definitions in the log: the request has the definitions. */
function defineTools(item: { parts: ResultItem["parts"] }, definitions: ReadonlyMap<string, string>): void {
  if (definitions.size === 0) return;
  item.parts = item.parts.map((part) => {
    const name = part.type === "text" ? stringAt(parseRecord(part.text), "tool_name") : null;
    const definition = name === null ? undefined : definitions.get(name);
    return definition === undefined ? part : textPart(definition);
  });
}

/** True for queued words of a person: the agent's notices are JSON or in tags. */
function isTyped(text: string): boolean {
  return (
    text !== "" && parseRecord(text) === null && parted(contentParts(text), SPEAKERS).every(({ origin }) => origin === "human")
  );
}

const SNAPSHOT_OPENING = "<state_snapshot>";

function beginsWith({ parts: [first] }: UserItem, opening: string): boolean {
  return first?.type === "text" && first.text.trimStart().startsWith(opening);
}

function nodeRoleOf(value: Fields): TreeNode["role"] {
  if (value.type === "assistant") return "reply";
  if (value.type !== "user" || value.isMeta === true) return "other";
  const blocks = recordsAt(recordAt(value, "message"), "content");
  return blocks.some((block) => block.type === "tool_result") ? "other" : "prompt";
}

/** A `user` line holds tool results, words of a person or an agent, or both; results come first, as on the wire. */
function userItemsOf(value: Fields, line: number, uuid: string | null): readonly LogItem[] {
  const content = recordAt(value, "message")?.content;
  const atMs = timeMsAt(value, "timestamp");
  const blocks = recordsAt({ content }, "content");
  const results: readonly LogItem[] = blocks
    .filter((block) => block.type === "tool_result")
    .map((block, index) => {
      const from = { atMs, line, sourceId: index === 0 ? uuid : null, isError: block.is_error === true };
      return resultItem(stringAt(block, "tool_use_id") ?? "", contentParts(block.content), from);
    });
  const others = typeof content === "string" ? content : blocks.filter((block) => block.type !== "tool_result");
  const parts = contentParts(others);
  if (parts.length === 0) return results;
  // Assigns each part of a `user` line without tool results to its author. `origin.kind`, in newer versions, says so itself.
  const said: readonly Said[] =
    value.isMeta === true || isOthers(value) ? [{ origin: "injected", parts }] : parted(parts, SPEAKERS);
  // The line's id belongs to the person's words: a rewind or a compaction names the line by it.
  const named = Math.max(
    0,
    said.findIndex(({ origin }) => origin !== "injected"),
  );
  const users = said.map(({ origin, parts: own }, at) =>
    userItem(origin, own, { atMs, line, sourceId: results.length === 0 && at === named ? uuid : null }),
  );
  return [...results, ...users];
}

interface PendingBoundary {
  readonly value: Fields;
  readonly line: number;
}

/**
 * The recorded compaction, with the messages that stayed next to the summary (2.1.219 and later name them), or a clearing of old results and attachments that are not
 * sent any more (seen in 2.1.17 and 2.1.20): its line counts only the tokens of results, so its sizes are the last prompt and the prompt without the saved tokens.
 */
function boundaryItemOf(
  { value, line }: PendingBoundary,
  summary: UserItem | null,
  log: { items: readonly LogItem[]; itemOfUuid: ReadonlyMap<string, LogItem> },
): BoundaryItem {
  const isClearing = value.subtype === "microcompact_boundary";
  const metadata = recordAt(value, isClearing ? "microcompactMetadata" : "compactMetadata");
  const callIds = new Set(stringsAt(metadata, "compactedToolIds"));
  const attached = stringsAt(metadata, "clearedAttachmentUUIDs").flatMap((uuid) => log.itemOfUuid.get(uuid) ?? []);
  const cleared = [...log.items.filter((item) => item.kind === "result" && callIds.has(item.callId)), ...attached];
  const from = { sourceId: stringAt(value, "uuid"), line, atMs: timeMsAt(value, "timestamp") };
  const last = log.items.findLast((item) => item.kind === "reply");
  const [sentTokens, savedTokens] = [last?.usage?.input.totalTokens ?? null, numberAt(metadata, "tokensSaved")];
  const tokensAfter = sentTokens === null || savedTokens === null ? null : Math.max(0, sentTokens - savedTokens);
  return boundaryItem(summary, from, {
    ...(isClearing
      ? { kept: { kind: "cleared", cleared }, tokensBefore: sentTokens, tokensAfter }
      : { kept: { kind: "items", items: preservedItems(metadata, log) }, tokensBefore: numberAt(metadata, "preTokens") }),
    ...(stringAt(metadata, "trigger") === "auto" ? { isAutomatic: true } : {}),
  });
}

function preservedItems(
  metadata: Fields | null,
  log: { items: readonly LogItem[]; itemOfUuid: ReadonlyMap<string, LogItem> },
): readonly LogItem[] {
  const uuids = stringsAt(recordAt(metadata, "preservedMessages"), "uuids");
  const named = new Set(uuids.flatMap((uuid) => log.itemOfUuid.get(uuid) ?? []));
  if (named.size > 0) return log.items.filter((item) => named.has(item));
  const segment = recordAt(metadata, "preservedSegment");
  const indexOf = (key: string) => {
    const item = log.itemOfUuid.get(stringAt(segment, key) ?? "");
    return item === undefined ? -1 : log.items.indexOf(item);
  };
  const head = indexOf("headUuid");
  const tail = indexOf("tailUuid");
  return head < 0 || tail < head ? [] : log.items.slice(head, tail + 1);
}

/** Lines that are never sent to the model (seen to 2.1.278): titles, modes, snapshots, progress, and texts shown only to the person. */
const UNSENT_LINES =
  /^(?:summary|progress|last-prompt|mode|permission-mode|pr-link|cost-state|custom-title|ai-title|agent-(?:name|setting|color)|tag|task-summary|file-history-(?:snapshot|delta)|worktree-state|attribution-snapshot|content-replacement|started|result|prompt_snapshot)$/;

/** Subtypes of `system` lines that only inform the person; a line without a subtype informs no reader. */
const UNSENT_SUBTYPES =
  /^(?:|informational|stop_hook_summary|turn_duration|away_summary|local_command|api_error|scheduled_task_fire|attribution_snapshot|bridge_status|memory_saved|agents_killed|api_metrics|permission_retry|model_refusal_fallback)$/;

/** Names a line that is neither sent nor kept for the agent itself; `null` for all others. */
function unreadName({ type, subtype }: Fields): unknown {
  if (type !== "system") return UNSENT_LINES.test(typeof type === "string" ? type : "") ? null : (type ?? undefined);
  const name = typeof subtype === "string" ? subtype : "";
  return UNSENT_SUBTYPES.test(name) ? null : `system ${name}`;
}

/** Attachments that only the person sees, and attachments whose text is elsewhere in the log. */
const UNSENT_TYPES = ["hook_system_message", "hook_cancelled", "hook_non_blocking_error", "hook_permission_decision"] as const;

/** Attachments that are read elsewhere, and attachments that send nothing more. */
const READ_TYPES: readonly string[] = [...UNSENT_TYPES, "hook_success", "deferred_tools_record", "queued_command"];

/** An attachment of fewer characters holds no text of its own: names and numbers (chosen). */
const LEAST_ATTACHMENT_CHARS = 200;

/** True for an attachment of an unknown form that may put something before the model. */
function isUnreadAttachment(attachment: Fields | null): boolean {
  return (
    !READ_TYPES.includes(stringAt(attachment, "type") ?? "") && JSON.stringify(attachment).length >= LEAST_ATTACHMENT_CHARS
  );
}

/** Fields with the text that an attachment puts before the model, in the order in which they are joined. */
const TEXT_KEYS = ["content", "snippet", "prompt", "message", "stdout"] as const;
const LIST_KEYS = ["content", "addedLines", "addedBlocks"] as const;

/**
 * Reads the item that an `attachment` line (2.1.9x and later) puts before the model; `null` if it puts none there. A queued command holds words that
 * the person typed meanwhile; all others are the agent's own. The log has the attachment's data, not the words around it that are sent.
 */
function attachmentItemOf(
  line: Fields,
  place: { line: number; sourceId: string | null; atMs: number | null },
): UserItem | null {
  const attachment = recordAt(line, "attachment");
  const type = stringAt(attachment, "type") ?? "";
  if (attachment === null || UNSENT_TYPES.some((unsent) => unsent === type)) return null;
  if (type === "queued_command") return queuedCommand(attachment, place);
  const text = type === "hook_success" ? (stringAt(attachment, "content") ?? "") : attachmentText(attachment);
  return text.trim() === "" ? null : userItem("injected", [textPart(text)], place);
}

function queuedCommand(attachment: Fields, place: { line: number; sourceId: string | null; atMs: number | null }): UserItem {
  const mode = stringAt(attachment, "commandMode");
  const typed = mode === null || mode === "prompt" ? "human" : mode === "bash" ? "command" : "injected";
  const origin = isOthers(attachment) ? "injected" : typed;
  return userItem(origin, contentParts(attachment.prompt), place);
}

function attachmentText(attachment: Fields): string {
  const content = recordAt(attachment, "content");
  const [path, read] = [stringAt(content, "path"), stringAt(content, "content")];
  // A file of instructions: the model learns the path it was read from.
  if (path !== null && read !== null) return `Contents of ${path}:\n\n${read}`;
  const file = recordAt(content, "file");
  const texts = TEXT_KEYS.flatMap((key) => stringAt(attachment, key) ?? []).slice(0, 1);
  const tasks = recordsAt(attachment, "content").map((task) => JSON.stringify(task));
  const lists = [...LIST_KEYS.flatMap((key) => stringsAt(attachment, key)), ...tasks];
  return [...(stringAt(file, "content") === null ? [] : [stringAt(file, "content")]), ...texts, ...lists].join("\n");
}

/** Tags of a person's command: the call, its output, a shell line and its output. */
const COMMAND_TAG = /^(?:command-(?:name|message|args)|local-command-std(?:out|err)|bash-(?:input|stdout|stderr))$/;

/** How texts begin that the agent writes in the person's place, without a tag around them or with one that has attributes. */
const INJECTED_OPENINGS: readonly string[] = [
  "<teammate-message",
  "[Request interrupted by user",
  "Caveat: The messages below were generated by the user while running local commands.",
];

const SPEAKERS: Speakers = {
  ofTag: (name) => (COMMAND_TAG.test(name) ? "command" : isAgentTag(name) ? "injected" : null),
  ofOpening: (text) => {
    if (COMMAND_TAG.test(/^<([\w-]+)>/.exec(text)?.[1] ?? "")) return "command";
    return INJECTED_OPENINGS.some((opening) => text.startsWith(opening)) ? "injected" : null;
  },
};

/** True for a text that says itself that it is no person's: a notice, another agent's, or the program's own. */
function isOthers(fields: Fields): boolean {
  return !["human", null].includes(stringAt(recordAt(fields, "origin"), "kind"));
}

const TOOLS = toolTable([
  ["read", "Read NotebookRead"],
  ["modify", "Write Edit MultiEdit NotebookEdit"],
  ["command", "Bash BashOutput PowerShell TaskOutput"],
  ["other", "KillBash KillShell WebFetch Task Agent TodoWrite TaskCreate TaskUpdate TaskList TaskGet EnterPlanMode"],
  ["other", "ExitPlanMode AskUserQuestion SendMessage"],
  ["search", "Grep Glob LS WebSearch ToolSearch"],
]);

const STOP_REASONS: ReadonlyMap<string, AssistantMessage["stopReason"]> = new Map([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refusal"],
]);

const SYNTHETIC_MODEL = "<synthetic>";

/** A reply that grows line by line: each line has one or more of its blocks and repeats its usage. */
interface GrowingReply extends ReplyItem {
  readonly parts: ReplyPart[];
  /** Keys that distinguish its blocks. */
  readonly blockKeys: Set<string>;
  usage: Usage | null;
  stopReason: AssistantMessage["stopReason"];
}

function startReply(value: Fields, line: number): GrowingReply {
  const message = recordAt(value, "message");
  const model = stringAt(message, "model");
  const from = {
    modelId: model === SYNTHETIC_MODEL ? null : model,
    requestId: stringAt(value, "requestId") ?? stringAt(message, "id"),
    sourceId: stringAt(message, "id") ?? stringAt(value, "uuid"),
    ...{ line, atMs: timeMsAt(value, "timestamp") },
  };
  return { ...replyItem([], null, from), parts: [], blockKeys: new Set() };
}

/** Adds a line's blocks to its reply. Blocks that the reply has already, from an earlier state of the stream, are not added again. */
function growReply(reply: GrowingReply, value: Fields): void {
  const message = recordAt(value, "message");
  for (const part of replyPartsOfBlocks(TOOLS, recordsAt(message, "content"))) {
    const key = blockKeyOf(part);
    if (!reply.blockKeys.has(key)) reply.parts.push(part);
    reply.blockKeys.add(key);
  }
  const own = recordAt(message, "usage");
  // Versions up to 1.0 write a call's cost beside its message.
  const { costUSD } = value;
  const usage = laterUsage(reply.usage, own === null || costUSD === undefined ? own : { ...own, costUSD });
  // Forks and gateways write zeros where they know no sizes; the agent's own messages are no calls.
  reply.usage = usage ?? (reply.modelId === null || recordAt(message, "usage") === null ? null : UNREPORTED_USAGE);
  const reason = stringAt(message, "stop_reason");
  if (reason !== null) reply.stopReason = STOP_REASONS.get(reason) ?? "other";
}

function blockKeyOf(part: ReplyPart): string {
  if (part.type === "tool-call") return `call ${part.callId}`;
  if (part.type === "text") return `text ${part.text}`;
  if (part.type === "compaction") return `compaction ${part.summary}`;
  return `reasoning ${part.text} ${JSON.stringify(part.opaque)}`;
}

/** The later of two reports of one call, unless its output is smaller: early lines hold a count from the stream's start. */
function laterUsage(before: Usage | null, usage: Fields | null): Usage | null {
  const isSmaller =
    before !== null &&
    before.input.totalTokens !== null &&
    (numberAt(usage, "output_tokens") ?? 0) <= (before.output.totalTokens ?? 0);
  return isSmaller ? before : (anthropicUsageOf(usage) ?? before);
}
