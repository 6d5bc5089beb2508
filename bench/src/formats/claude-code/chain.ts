import { contentParts } from "../content-parts.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, stringsAt, timeMsAt } from "../fields.ts";
import { type BoundaryItem, type LogItem, type UserItem, unreadItem } from "../log-items.ts";
import type { TreeNode } from "../rewound-prompts.ts";
import { attachmentItemOf, saidOn } from "./input-lines.ts";
import { createPutBackReader } from "./put-back.ts";
import { type GrowingReply, growReply, startReply } from "./reply.ts";

/** Takes the lines of one chain (the main one or a sidechain), in the order of the file. */
export interface ChainReader {
  take(value: Fields, line: number): void;
  items(): readonly LogItem[];
  nodes(): readonly (TreeNode & { readonly line: number })[];
  /** Lines that repeated the usage of a call that was counted. */
  repeatedUsageCount(): number;
}

/** Lines are joined to replies by message id and request id, whatever stands between them. Lines with a known uuid are copies. */
export function createChainReader(): ChainReader {
  const items: LogItem[] = [];
  const nodes: (TreeNode & { readonly line: number })[] = [];
  const itemOfUuid = new Map<string, LogItem>();
  const replies = new Map<string, GrowingReply>();
  const uuids = new Set<string>();
  const putBack = createPutBackReader();
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

  const takeUser = (value: Fields, line: number, uuid: string | null) => {
    const read = userItemsOf(value, line, uuid);
    if (value.isCompactSummary === true) {
      const summary = read.find((item) => item.kind === "user");
      const parts = contentParts(recordAt(value, "message")?.content);
      pending ??= { value: { timestamp: value.timestamp }, line };
      settleBoundary(summary === undefined ? null : { ...summary, parts, sourceId: uuid, origin: "summary" });
      return;
    }
    if (value.isVisibleInTranscriptOnly === true) return;
    settleBoundary(null);
    for (const item of read) push(item, uuid);
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
      if (isBoundaryLine(value)) pending = { value, line };
      else if (value.type === "user") takeUser(value, line, uuid);
      else if (value.type === "assistant") {
        settleBoundary(null);
        takeReply(value, line, uuid);
      } else if (value.type === "attachment") {
        const item = attachmentItemOf(value, { line, sourceId: uuid, atMs: timeMsAt(value, "timestamp") });
        if (item !== null) push(item, uuid);
      } else if (recordAt(value, "message") !== null) push(unreadItem(value.type), null);
    },
    items: () => items,
    nodes: () => nodes,
    repeatedUsageCount: () => repeatedUsageCount,
  };
}

function nodeRoleOf(value: Fields): TreeNode["role"] {
  if (value.type === "assistant") return "reply";
  if (value.type !== "user" || value.isMeta === true) return "other";
  const blocks = recordsAt(recordAt(value, "message"), "content");
  return blocks.some((block) => block.type === "tool_result") ? "other" : "prompt";
}

/** A `user` line holds tool results, what somebody said, or both; results come first, as on the wire. */
function userItemsOf(value: Fields, line: number, uuid: string | null): readonly LogItem[] {
  const content = recordAt(value, "message")?.content;
  const atMs = timeMsAt(value, "timestamp");
  const blocks = recordsAt({ content }, "content");
  const results: readonly LogItem[] = blocks
    .filter((block) => block.type === "tool_result")
    .map((block, index) => ({
      kind: "result",
      callId: stringAt(block, "tool_use_id") ?? "",
      isError: block.is_error === true,
      parts: contentParts(block.content),
      atMs,
      line,
      sourceId: index === 0 ? uuid : null,
    }));
  const others = typeof content === "string" ? content : blocks.filter((block) => block.type !== "tool_result");
  const parts = contentParts(others);
  if (parts.length === 0) return results;
  const said = saidOn(value, parts);
  // The line's id is that of what the person said: by it the line is taken back, or named by a compaction.
  const named = Math.max(
    0,
    said.findIndex(({ origin }) => origin !== "injected"),
  );
  const users = said.map((each, at): UserItem => {
    const sourceId = results.length === 0 && at === named ? uuid : null;
    return { kind: "user", ...each, atMs, line, sourceId };
  });
  return [...results, ...users];
}

/** The line of a recorded compaction whose summary has not come yet. */
interface PendingBoundary {
  readonly value: Fields;
  readonly line: number;
}

/** True for the line that says where the agent compacted; the summary follows on a line of its own. */
function isBoundaryLine(value: Fields): boolean {
  return value.type === "system" && value.subtype === "compact_boundary";
}

/** The recorded compaction, with the messages that stayed next to the summary (2.1.219 and later name them). */
function boundaryItemOf(
  pending: PendingBoundary,
  summary: UserItem | null,
  log: { items: readonly LogItem[]; itemOfUuid: ReadonlyMap<string, LogItem> },
): BoundaryItem {
  const { value, line } = pending;
  const metadata = recordAt(value, "compactMetadata");
  return {
    kind: "boundary",
    summary,
    kept: { kind: "items", items: preservedItems(metadata, log) },
    tokensBefore: numberAt(metadata, "preTokens"),
    ...(stringAt(metadata, "trigger") === "auto" ? { isAutomatic: true } : {}),
    sourceId: stringAt(value, "uuid"),
    line,
    atMs: timeMsAt(value, "timestamp"),
  };
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
