import { type AssistantMessage, type TextPart, type ToolSpec, type Usage, usageOf } from "@plimsoll/core";
import type { ImportNote, Transcript } from "../../transcript.ts";
import { replyPartsOfBlocks } from "../anthropic-blocks.ts";
import { contentParts } from "../content-parts.ts";
import { toolSpecs } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";
import { readObjects } from "../json-lines.ts";
import { transcriptOf } from "../log-builder.ts";
import {
  type BoundaryItem,
  boundaryItem,
  type LogItem,
  objectCall,
  type Placed,
  type ReplyPart,
  replyItem,
  resultItem,
  textPart,
  toolTable,
  unreadItem,
  userItem,
} from "../log-items.ts";
import { rewoundNotes, rewoundPrompts, type TreeNode, withRollBacks } from "../rewound-prompts.ts";
import { inOrderOfSending } from "../sending-order.ts";

const FORMAT = "pi";

const TOOLS = toolTable([
  ["read", "read"],
  ["modify", "write edit"],
  ["command", "bash"],
  ["search", "grep find ls"],
]);

const STOP_REASONS: ReadonlyMap<string, AssistantMessage["stopReason"]> = new Map([
  ["stop", "end"],
  ["toolUse", "tool-calls"],
  ["length", "length"],
  ["error", "error"],
  ["aborted", "aborted"],
]);

/** Sessions of the pi coding agent: one entry a line, a tree from version 3 on. */
export const piImporter: Importer = {
  format: FORMAT,
  description: "pi coding agent and its forks: ~/.pi/agent/sessions/**/*.jsonl (seen: without a version, version 3)",
  newestSeen: "session 3",
  recognises: ({ firstObjects }) => firstObjects.slice(0, HEADER_LINES).some(isHeader) || firstObjects.some(isEntry),
  read: readPi,
};

function isHeader(value: Fields): boolean {
  return value.type === "session" && typeof value.cwd === "string" && typeof value.system !== "string";
}

/** A fork may write a title above the header. */
const HEADER_LINES = 2;

/** A message of the tree: it identifies a log whose header is lost. */
function isEntry(value: Fields): boolean {
  const role = stringAt(recordAt(value, "message"), "role") ?? "";
  return value.type === "message" && "parentId" in value && ["user", "assistant", "toolResult"].includes(role);
}

async function readPi(source: FileSource): Promise<readonly Transcript[]> {
  const file = source.displayName;
  const notes: ImportNote[] = [];
  const items: LogItem[] = [];
  const nodes: (TreeNode & { readonly line: number })[] = [];
  /** For each entry, by its index and by its id, the number of items before it: where a kept tail starts. */
  const itemsBefore = new Map<string, number>();
  let header: Fields = {};
  let entryCount = 0;
  const sentMs = new Map<LogItem, number | null>();
  let system = "";
  let tools: readonly ToolSpec[] = [];
  let modelId: string | null = null;
  await readObjects(source, notes, ({ line, value }) => {
    if (value.type === "session") header = value;
    if (value.type === "session_init") system = stringAt(value, "systemPrompt") ?? system;
    itemsBefore.set(String(entryCount), items.length);
    itemsBefore.set(stringAt(value, "id") ?? "", items.length);
    nodes.push(...nodeOf(value).map((node) => ({ ...node, line })));
    const message = recordAt(value, "message");
    const isPrompt = message?.role === "system" && system === "";
    if (isPrompt) system = promptText(message);
    if (isPrompt) tools = toolSpecs(message.toolsAdded);
    const itemAt = (key: string) => items[itemsBefore.get(key) ?? items.length];
    const item = isPrompt ? null : itemOf(value, line, { itemAt, modelId });
    if (item !== null) {
      items.push(item);
      sentMs.set(item, timeMsAt(message, "timestamp"));
    }
    items.push(...besides(value));
    modelId = stringAt(message, "model") ?? modelId;
    entryCount += 1;
  });
  const rewound = rewoundPrompts(nodes);
  notes.push(...rewoundNotes(file, nodes, rewound));
  const version = numberAt(header, "version");
  const start = {
    id: stringAt(header, "id") ?? file,
    createdMs: timeMsAt(header, "timestamp"),
    ...{ system, tools },
    agent: { name: FORMAT, version: version === null ? null : `session ${version}` },
  };
  const ordered = inOrderOfSending(withRollBacks(items, rewound), (reply) => sentMs.get(reply) ?? null);
  const cwd = stringAt(header, "cwd");
  return [transcriptOf({ name: file, file, format: FORMAT, start, cwd, items: ordered, notes })];
}

function nodeOf(value: Fields): readonly TreeNode[] {
  const id = stringAt(value, "id");
  if (id === null || value.type === "session") return [];
  const role = stringAt(recordAt(value, "message"), "role");
  // Messages of an abandoned branch come where the next prompt goes on.
  const isPrompt = role === "user" || value.type === "branch_summary";
  const kind = isPrompt ? "prompt" : role === "assistant" ? "reply" : "other";
  return [{ id, parentId: stringAt(value, "parentId"), role: kind }];
}

interface Known {
  /** The first item of an entry. */
  itemAt(key: string): LogItem | undefined;
  /** The model that answered last. */
  readonly modelId: string | null;
}

function itemOf(value: Fields, line: number, { itemAt, modelId }: Known): LogItem | null {
  const place = { line, sourceId: stringAt(value, "id"), atMs: timeMsAt(value, "timestamp") };
  switch (value.type) {
    case "message":
      return messageItem(recordAt(value, "message") ?? {}, place);
    case "custom_message":
      return userItem("injected", contentParts(value.content), place);
    case "branch_summary":
      return userItem("injected", [textPart(stringAt(value, "summary") ?? "")], place);
    case "compaction": {
      const key = stringAt(value, "firstKeptEntryId") ?? String(numberAt(value, "firstKeptEntryIndex") ?? "");
      const first = itemAt(key);
      const text = stringAt(value, "summary");
      const summary = text === null ? null : userItem("summary", [textPart(text)], { ...place, sourceId: null });
      const tail = Array.isArray(value.retainedTail)
        ? recordsAt(value, "retainedTail").flatMap(
            (message) => messageItem(message, { line: 0, sourceId: null, atMs: timeMsAt(message, "timestamp") }) ?? [],
          )
        : null;
      const from: Partial<BoundaryItem> = first === undefined ? {} : { kept: { kind: "from", item: first } };
      return boundaryItem(summary, place, {
        ...(tail === null ? from : { kept: { kind: "history", items: tail } }),
        tokensBefore: numberAt(value, "tokensBefore"),
        ...{ usage: reportedUsage(recordAt(value, "usage")), modelId },
      });
    }
    case "reset_boundary":
      return boundaryItem(null, place);
    default:
      return SILENT_ENTRIES.includes(value.type) ? null : unreadItem(value.type);
  }
}

/** Entries that add nothing to the context, of pi and of oh-my-pi (packages/coding-agent, session-entries.ts). */
const SILENT_ENTRIES: readonly unknown[] = [
  ...["session", "usage", "model_change", "thinking_level_change", "custom", "label", "session_info", "session_init"],
  ...["title", "title_change", "service_tier_change", "credential_pin", "mode_change", "mcp_tool_selection"],
];

function messageItem(message: Fields, place: Placed): LogItem | null {
  switch (message.role) {
    case "user":
      return userItem("human", contentParts(message.content), place);
    case "assistant":
      return replyOf(message, place);
    case "toolResult": {
      const isError = message.isError === true;
      return resultItem(stringAt(message, "toolCallId") ?? "", contentParts(message.content), { ...place, isError });
    }
    case "system": {
      const added = Array.isArray(message.toolsAdded) ? JSON.stringify(message.toolsAdded) : "";
      return userItem("declared", [textPart(`${promptText(message)}${added}`)], place);
    }
    case "bashExecution":
      return message.excludeFromContext === true ? null : userItem("command", [commandPart(message)], place);
    default:
      return unreadItem(message.role);
  }
}

/** The sections of the prompt that a message declares (from 1.6 on): the first has all of them and the tools, later ones have the changes. */
function promptText(message: Fields): string {
  const said = contentParts(message.content).map((part) => (part.type === "text" ? part.text : ""));
  const sections = Object.values(recordAt(message, "sections") ?? {}).filter((text) => typeof text === "string");
  return [...said, ...sections].filter((text) => text !== "").join("\n");
}

/** Reads the usage that an entry reports of calls beside the conversation, such as keeping a cache warm or a tool's own: none has the context for its prompt. */
function besides(value: Fields): readonly LogItem[] {
  const message = recordAt(value, "message");
  if (message?.role === "assistant" || value.type === "compaction") return [];
  const isReported = reportedUsage(recordAt(message ?? value, "usage")) !== null;
  return isReported ? [unreadItem(`usage of ${stringAt(value, "kind") ?? stringAt(message, "role") ?? value.type}`)] : [];
}

function replyOf(message: Fields, place: Placed): LogItem {
  const [modelId, requestId] = [stringAt(message, "model"), stringAt(message, "responseId")];
  const stopReason = STOP_REASONS.get(stringAt(message, "stopReason") ?? "") ?? "other";
  const parts = recordsAt(message, "content").flatMap(replyPart);
  return replyItem(parts, reportedUsage(recordAt(message, "usage")), { ...place, modelId, requestId, stopReason });
}

function replyPart(part: Fields): readonly ReplyPart[] {
  switch (part.type) {
    case "thinking":
      return [{ type: "reasoning", text: stringAt(part, "thinking") ?? "", opaque: stringAt(part, "thinkingSignature") }];
    case "toolCall":
      return [objectCall(TOOLS, stringAt(part, "id"), stringAt(part, "name"), recordAt(part, "arguments"))];
    default:
      return replyPartsOfBlocks(TOOLS, [part]);
  }
}

/** Counts are disjoint, one report a message. An aborted or failed call reports zeros only: that is no report. */
function reportedUsage(usage: Fields | null): Usage | null {
  const uncachedTokens = numberAt(usage, "input");
  const cacheReadTokens = numberAt(usage, "cacheRead");
  const cacheWriteTokens = numberAt(usage, "cacheWrite");
  const cacheWriteOneHourTokens = numberAt(usage, "cacheWrite1h");
  const outputTokens = numberAt(usage, "output");
  const sum = [uncachedTokens, cacheReadTokens, cacheWriteTokens, outputTokens].reduce(
    (total: number, count) => total + (count ?? 0),
    0,
  );
  if (sum === 0) return null;
  return usageOf({
    uncachedTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteOneHourTokens,
    outputTokens,
    raw: jsonValueOf(usage),
  });
}

/** Writes a command that the person ran as the model reads it: the command, its output, and how it ended if not well. */
function commandPart(message: Fields): TextPart {
  const exitCode = numberAt(message, "exitCode");
  const ending =
    message.cancelled === true ? ["(cancelled)"] : exitCode !== null && exitCode !== 0 ? [`(exit code ${exitCode})`] : [];
  return textPart([`$ ${stringAt(message, "command") ?? ""}`, stringAt(message, "output") ?? "", ...ending].join("\n"));
}
