import type { TextPart } from "@plimsoll/core";
import { contentParts } from "../content-parts.ts";
import { type Fields, jsonValueOf, parseRecord, recordAt, recordsAt, stringAt } from "../fields.ts";
import {
  callDraft,
  type LogItem,
  objectCall,
  type ReplyPart,
  type ResultItem,
  replyItem,
  resultItem,
  textPart,
  toolTable,
  userItem,
} from "../log-items.ts";
import { isAgentTag, parted, type Said, type Speakers } from "../who-said.ts";

const TOOLS = toolTable([
  // Code mode: the calls that the script makes are read from it.
  ["command", "exec_command shell shell_command local_shell write_stdin unified_exec"],
  ["patch", "apply_patch"],
  ["read", "read_file view_image"],
  ["search", "list_dir grep_files"],
  ["other", "update_plan exec wait"],
]);

/** The first line of instructions that the agent puts in as the user without a tag around them. */
const INJECTED_HEADING = /^# AGENTS\.md instructions(?: for [^\n]*)?\s*(?:\n|$)/;

/** Tags of one word that the agent puts in; tags of several words are recognised by their form. */
const INJECTED_TAGS: readonly string[] = ["skill", "INSTRUCTIONS"];

const COMMAND_TAG = "user_shell_command";

const SPEAKERS: Speakers = {
  ofTag: (name) => {
    if (name === COMMAND_TAG) return "command";
    return isAgentTag(name) || INJECTED_TAGS.includes(name) ? "injected" : null;
  },
  ofOpening: (text) => {
    if (text.startsWith(`<${COMMAND_TAG}>`)) return "command";
    return INJECTED_HEADING.test(text) ? "injected" : null;
  },
};

/** The text for a summary that only the provider can read. */
export const ENCRYPTED_SUMMARY = "[summary encrypted by the provider]";

/** The text for the part of another agent's message that only the provider can read. */
const ENCRYPTED_MESSAGE = "[message encrypted by the provider]";

/** The message that holds it. */
export function encryptedSummary(): LogItem {
  return userItem("summary", [textPart(ENCRYPTED_SUMMARY)]);
}

/** True for a message that holds it. */
export function isEncryptedSummary(item: LogItem): boolean {
  return item.kind === "user" && item.origin === "summary";
}

/** Types of items and lines that add nothing to the prompt, or repeat other lines: a `world_state` repeats messages. */
const SILENT_TYPES: readonly unknown[] = [
  ...[undefined, "ghost_snapshot", "compaction", "context_compaction", "world_state", "inter_agent_communication_metadata"],
];

/** True for a type that an item may have without being read. */
export function isSilent({ type }: Fields): boolean {
  return SILENT_TYPES.includes(type);
}

/** Events that repeat other lines or add nothing to the prompt: events of progress by their ending, others by name (protocol.rs, 0.171). */
const KNOWN_EVENTS =
  /(?:_(?:begin|end|started|complete|completed|delta|updated|applied|update|break|request|response|mode|aborted|activity)|^(?:user_message|agent_message|agent_reasoning(?:_raw_content)?|token_count|context_compacted|thread_rolled_back|realtime_item|error|stream_error|warning|background_event|turn_diff|view_image_tool_call|session_configured|guardian_assessment|item_completed))$/;

/** Items of events that correspond to items of the prompt (items.rs, 0.171). */
const KNOWN_EVENT_ITEMS =
  /^(?:UserMessage|HookPrompt|AgentMessage|Plan|Reasoning|CommandExecution|DynamicToolCall|CollabAgentToolCall|SubAgentActivity|WebSearch|ImageView|Sleep|ImageGeneration|FileChange|McpToolCall|ContextCompaction|Extension)$/;

/** True for an event that loses nothing if it is ignored. */
export function isKnownEvent(event: Fields): boolean {
  const item = event.type === "item_completed" ? stringAt(recordAt(event, "item"), "type") : null;
  return item === null ? KNOWN_EVENTS.test(stringAt(event, "type") ?? "") : KNOWN_EVENT_ITEMS.test(item);
}

/** Names it for a note. */
export function eventName(event: Fields): string {
  return `event ${stringAt(recordAt(event, "item"), "type") ?? stringAt(event, "type")}`;
}

/** True for an item that is sent as a message: words of a speaker, or the tools that are declared to the model (0.171). */
export function isSaid({ type }: Fields): boolean {
  return type === "message" || type === "agent_message" || type === "additional_tools";
}

/**
 * Reads the texts of an item that is not the model's, split by author. Only messages of the role `user` hold words of the person; an `agent_message`
 * is another agent's, and only the provider can read some of those.
 */
export function saidIn(item: Fields): readonly Said[] {
  if (item.type === "agent_message") {
    const text = recordsAt(item, "content").map((part) => stringAt(part, "text") ?? ENCRYPTED_MESSAGE);
    return [{ origin: "injected", parts: [textPart(text.join("\n"))] }];
  }
  if (item.type === "additional_tools") return [{ origin: "declared", parts: [textPart(JSON.stringify(item.tools ?? []))] }];
  const parts = contentParts(item.content);
  if (item.role !== "user") return [{ origin: "injected", parts }];
  return parts.length === 0 ? [{ origin: "human", parts }] : parted(parts, SPEAKERS);
}

/** Reads the parts that a model's item adds to its reply; `null` for items that are not the model's. */
export function replyPartsOf(item: Fields): readonly ReplyPart[] | null {
  switch (item.type) {
    case "message":
      return item.role === "assistant"
        ? contentParts(item.content).filter((part): part is TextPart => part.type === "text")
        : null;
    case "reasoning":
      return [reasoningPart(item)];
    case "function_call":
    case "tool_search_call":
      return [functionCall(item)];
    case "custom_tool_call":
      return [objectCall(TOOLS, stringAt(item, "call_id"), stringAt(item, "name"), { input: stringAt(item, "input") ?? "" })];
    case "local_shell_call":
      return [objectCall(TOOLS, stringAt(item, "call_id") ?? stringAt(item, "id"), "local_shell", recordAt(item, "action"))];
    case "web_search_call":
      return [{ type: "reasoning", text: "", opaque: jsonValueOf(item) }];
    case "image_generation_call":
      return [{ type: "reasoning", text: "", opaque: { type: "image_generation_call", id: stringAt(item, "id") } }];
    default:
      return null;
  }
}

function functionCall(item: Fields): ReplyPart {
  const callId = stringAt(item, "call_id") ?? "";
  const toolName = qualified(stringAt(item, "namespace"), stringAt(item, "name") ?? stringAt(item, "type") ?? "");
  const argumentsJson = stringAt(item, "arguments") ?? JSON.stringify(item.arguments ?? {});
  return callDraft(TOOLS, { callId, toolName, argumentsJson, args: parseRecord(argumentsJson) });
}

/** The name of a server's tool with the server before it: `mcp__github` and `_get_issue` or `get_issue`. */
function qualified(namespace: string | null, name: string): string {
  return namespace === null ? name : `${namespace}__${name.replace(/^_+/, "")}`;
}

/** Reasoning that shows nothing was sealed when it was sent: whoever published the log took the seal out. */
function reasoningPart(item: Fields): ReplyPart {
  const text = [...recordsAt(item, "summary"), ...recordsAt(item, "content")]
    .map((part) => stringAt(part, "text") ?? "")
    .join("\n");
  const opaque = stringAt(item, "encrypted_content") ?? (text === "" ? jsonValueOf(item) : null);
  return { type: "reasoning", text, opaque };
}

/** The result item of a call's output; `null` for other items. */
export function resultItemOf(item: Fields, line: number | null, atMs: number | null): ResultItem | null {
  const type = stringAt(item, "type") ?? "";
  if (!type.endsWith("_output")) return null;
  const body = recordAt(item, "output");
  const output = body?.content ?? body?.output ?? item.output ?? item.tools;
  const parts =
    typeof output === "string" || Array.isArray(output) ? contentParts(output) : [textPart(JSON.stringify(output ?? ""))];
  const isError = body?.success === false ? true : null;
  return resultItem(stringAt(item, "call_id") ?? "", parts, { isError, atMs, line });
}

/** The items of an item of a replacement history; none for one that holds no text. */
export function historyItemsOf(item: Fields): readonly LogItem[] {
  if (item.type === "compaction" || item.type === "context_compaction") return [encryptedSummary()];
  if (isSaid(item) && item.role !== "assistant") return saidIn(item).map(({ origin, parts }) => userItem(origin, parts));
  const parts = replyPartsOf(item)?.filter((part) => part.type === "text" && part.text.trim() !== "") ?? [];
  return parts.length === 0 ? [] : [replyItem(parts, null)];
}
