import { type PathAccess, UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import { replyPartsOfBlocks } from "../anthropic-blocks.ts";
import { contentParts } from "../content-parts.ts";
import { type DocumentSession, documentImporter, headMessages, messageLists } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, parseRecord, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import {
  type BoundaryItem,
  boundaryItem,
  callIdChain,
  type LogItem,
  type ReplyPart,
  replyItem,
  textPart,
  toolTable,
  userItem,
} from "../log-items.ts";
import { isEnvironment, textReply, textResultItems } from "../text-calls.ts";

/** The messages of the user beside a history: the usage of calls is in them. */
export const UI_MESSAGES = "ui_messages.json";

/**
 * Tasks of Roo Code and of Kilo Code, which is made from it: the messages in the Anthropic form, or in the AI SDK's since 2026, with condensed or
 * truncated ones still there and marked; the usage of calls is in the file of the user's messages beside it. Made from the sources, none recorded:
 * github.com/RooCodeInc/Roo-Code, src/core/{task-persistence,condense,context-management} of 2025-08 to 2026-02, and packages/types/src/message.ts of
 * Kilo-Org/kilocode for its additions.
 */
export const rooCodeImporter: Importer = documentImporter({
  format: "roo-code",
  description:
    "Roo Code and Kilo Code: tasks/*/api_conversation_history.json with ui_messages.json beside it (from their sources; no recording seen)",
  beside: [UI_MESSAGES],
  recognises: (head) => {
    const messages = headMessages(head);
    return messages.some((message) => MARKS.some((mark) => mark in message) || showsSurroundings(message));
  },
  sessions: (documents, neighbours): readonly DocumentSession[] => {
    const requests = requestsIn(neighbours.get(UI_MESSAGES));
    // Kilo Code notes the model's provider, and whether that did not report.
    const isOfKilo = requests.calls.some(({ report }) => "inferenceProvider" in report || "usageMissing" in report);
    const agent = { name: isOfKilo ? "kilo-code" : "roo-code", version: null };
    const messages = messageLists(documents).flatMap((list) => list.messages);
    return [{ start: { agent }, items: historyItems(messages, requests) }];
  },
});

/** Fields that only these agents write at a message (`ApiMessage` in their task-persistence). */
const MARKS = ["isSummary", "condenseId", "condenseParent", "isTruncationMarker", "truncationId", "truncationParent"] as const;

/** True for a message with a time and the surroundings in the form of Roo Code, which name the mode by its slug. */
function showsSurroundings(message: Fields): boolean {
  if (typeof message.ts !== "number") return false;
  const texts = recordsAt(message, "content").flatMap((block) => stringAt(block, "text") ?? []);
  return texts.some((text) => isEnvironment(text) && text.includes("<slug>"));
}

/**
 * The items of a history. A compaction is at the place of its summary or marker, which is not always where it was made: a summary as a user's message
 * is made at its place and nothing else stays (since 2026-01); one as an assistant's comes before the three messages that stayed
 * (`N_MESSAGES_TO_KEEP`); a truncation hides the older half of the messages behind the first, so that about as many stayed as it hid
 * (`truncateConversation` with a half, rounded down to an even number: right, or two messages too early).
 */
function historyItems(given: readonly Fields[], requests: Requests): readonly LogItem[] {
  const items: LogItem[] = [];
  const reader = createReader(requests);
  const first: LogItem[] = [];
  const waiting: WaitingBoundary[] = [];
  let condensed = 0;
  for (const message of given) {
    const atMs = timeMsAt(message, "ts");
    if (message.isTruncationMarker === true) {
      const id = stringAt(message, "truncationId") ?? "";
      const tokensBefore = requests.tokensBeforeTruncation.get(id) ?? null;
      const parts = contentParts(message.content);
      const item = boundaryItem(userItem("notice", parts, { atMs }), { atMs }, { tokensBefore, isAutomatic: true });
      waiting.push({ item, kept: [...first], messagesLeft: given.filter((each) => each.truncationParent === id).length });
    } else if (message.isSummary === true) {
      const tokensBefore = requests.tokensBeforeCondensing[condensed] ?? null;
      condensed += 1;
      const item = boundaryItem(userItem("summary", contentParts(message.content), { atMs }), { atMs }, { tokensBefore });
      if (message.role === "user") items.push(...waiting.splice(0).map(closed), item);
      else waiting.push({ item, kept: [...first], messagesLeft: KEPT_BEHIND_SUMMARY });
    } else {
      const read = reader(message);
      if (first.length === 0) first.push(...read);
      items.push(...read);
      for (const open of waiting) {
        open.kept.push(...read);
        open.messagesLeft -= 1;
      }
    }
    while (waiting[0] !== undefined && waiting[0].messagesLeft <= 0) items.push(...waiting.splice(0, 1).map(closed));
  }
  return [...items, ...waiting.map(closed)];
}

/** `N_MESSAGES_TO_KEEP` in Roo's src/core/condense/index.ts, 2025. */
const KEPT_BEHIND_SUMMARY = 3;

/** A compaction that is made some messages further on, with the messages that stay. */
interface WaitingBoundary {
  readonly item: BoundaryItem;
  readonly kept: LogItem[];
  messagesLeft: number;
}

function closed({ item, kept }: WaitingBoundary): LogItem {
  return { ...item, kept: { kind: "items", items: kept } };
}

/** Reads one message after the other: later messages answer a reply, and reasoning may come before its reply. */
function createReader(requests: Requests): (message: Fields) => readonly LogItem[] {
  const callIdOf = callIdChain();
  const usageAt = usageByTime(requests);
  const reasoning: ReplyPart[] = [];
  let openCallId: string | null = null;
  let modelId: string | null = null;
  return (given) => {
    // In the Anthropic form, in which the tools of the AI SDK's form have other names.
    const blocks = Array.isArray(given.content) ? { content: recordsAt(given, "content").map(blockOf) } : {};
    const message: Fields = { ...given, ...blocks };
    const atMs = timeMsAt(message, "ts");
    if (message.type === "reasoning" && message.role === undefined) {
      const text = recordsAt(message, "summary").flatMap((part) => stringAt(part, "text") ?? []);
      reasoning.push({ type: "reasoning", text: text.join("\n"), opaque: stringAt(message, "encrypted_content") });
      return [];
    }
    if (message.role === "assistant") {
      const reply = textReply(TOOLS, replyPartsIn(message), callIdOf);
      openCallId = reply.textCallId;
      const parts = withListedFiles([...reasoning.splice(0), ...reply.parts]);
      return [replyItem(parts, usageAt(atMs), { atMs, modelId })];
    }
    modelId = modelOf(message) ?? modelId;
    return textResultItems(message, openCallId, { sourceId: null, atMs });
  };
}

function modelOf(message: Fields): string | null {
  const said = contentParts(message.content).flatMap((part) =>
    part.type === "text" && isEnvironment(part.text) ? [part] : [],
  );
  return MODEL.exec(said.at(-1)?.text ?? "")?.[1] ?? null;
}

/** The tools of Roo Code and Kilo Code (`toolNames` in Roo's packages/types/src/tool.ts, 2026-02; Kilo adds `delete_file`). */
const TOOLS = toolTable([
  ["command", "execute_command"],
  ["read", "read_file"],
  ["modify", "write_to_file apply_diff insert_content search_and_replace search_replace edit_file delete_file"],
  ["patch", "apply_patch"],
  ["search", "search_files codebase_search list_files list_code_definition_names"],
  ["command", "read_command_output"],
  ["other", "browser_action use_mcp_tool access_mcp_resource ask_followup_question attempt_completion switch_mode new_task"],
  ["other", "update_todo_list fetch_instructions run_slash_command generate_image"],
]);

function blockOf(part: Fields): Fields {
  switch (part.type) {
    case "tool-call":
      return { type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input };
    case "tool-result": {
      const output = recordAt(part, "output");
      const isError = (stringAt(output, "type") ?? "").startsWith("error");
      return { type: "tool_result", tool_use_id: part.toolCallId, content: output?.value ?? part.output, is_error: isError };
    }
    case "reasoning":
      return { type: "thinking", thinking: part.text };
    default:
      return part;
  }
}

function replyPartsIn(message: Fields): readonly ReplyPart[] {
  const said = stringAt(message, "content");
  const parts = said === null ? replyPartsOfBlocks(TOOLS, recordsAt(message, "content")) : [textPart(said)];
  const reasoning = stringAt(message, "reasoning_content");
  const isNew = reasoning !== null && !parts.some((part) => part.type === "reasoning");
  return isNew ? [{ type: "reasoning", text: reasoning, opaque: null }, ...parts] : parts;
}

/** The parts with the files that a reading names in a list: as objects in calls of the API, as elements in calls written as text. */
function withListedFiles(parts: readonly ReplyPart[]): readonly ReplyPart[] {
  return parts.map((part) => {
    if (part.type !== "tool-call" || part.toolName !== "read_file" || part.paths.length > 0) return part;
    const args = parseRecord(part.argumentsJson);
    const named = recordsAt(args, "files").flatMap((file) => stringAt(file, "path") ?? []);
    const paths = [...new Set([...named, ...pathElements(stringAt(args, "args") ?? "")])];
    return { ...part, paths: paths.map((path): PathAccess => ({ path, access: "read" })) };
  });
}

const OPENING = "<path>";

function pathElements(text: string): readonly string[] {
  return text
    .split(OPENING)
    .slice(1)
    .map((rest) => rest.slice(0, Math.max(0, rest.indexOf("</path>"))).trim())
    .filter((path) => path !== "");
}

const MODEL = /<model>([^<\n]{1,200})<\/model>/;

/** The calls and compactions that the user's messages of a task report, in their order. */
interface Requests {
  /** Requests to the model by the time at which each began; empty if the file is not there. */
  readonly calls: readonly { readonly atMs: number; readonly report: Fields }[];
  /** True if the tokens of a prompt do not count those of the cache, as in versions before 2025-09. */
  readonly isWithoutCache: boolean;
  readonly tokensBeforeCondensing: readonly (number | null)[];
  readonly tokensBeforeTruncation: ReadonlyMap<string, number | null>;
}

/**
 * Reads the user's messages. `tokensIn` counts the whole prompt (`getApiMetrics` of both agents: "tokensIn now stores TOTAL input
 * tokens"); in older versions it left the cache out if the provider did, which shows where it is less than the cache's own counts.
 */
export function requestsIn(document: unknown): Requests {
  const messages = recordsAt({ document }, "document");
  const saying = (kind: string): readonly Fields[] => messages.filter(({ type, say }) => type === "say" && say === kind);
  const calls = saying("api_req_started").flatMap((message) => {
    const report = parseRecord(stringAt(message, "text"));
    return report === null ? [] : [{ atMs: numberAt(message, "ts") ?? 0, report }];
  });
  const isWithoutCache = calls.some(
    ({ report }) =>
      (numberAt(report, "tokensIn") ?? 0) < (numberAt(report, "cacheReads") ?? 0) + (numberAt(report, "cacheWrites") ?? 0),
  );
  const condensed = saying("condense_context").filter((message) => message.partial !== true);
  const truncated = saying("sliding_window_truncation").map((message) => recordAt(message, "contextTruncation"));
  return {
    calls,
    isWithoutCache,
    tokensBeforeCondensing: condensed.map((message) => numberAt(recordAt(message, "contextCondense"), "prevContextTokens")),
    tokensBeforeTruncation: new Map(
      truncated.map((told) => [stringAt(told, "truncationId") ?? "", numberAt(told, "prevContextTokens")]),
    ),
  };
}

/** Gives each reply the usage of its request, by time. Called in the order of the replies: each request is looked at once. */
export function usageByTime({ calls, isWithoutCache }: Requests): (atMs: number | null) => Usage | null {
  let next = 0;
  return (atMs) => {
    if (calls.length === 0) return UNREPORTED_USAGE;
    let report: Fields | null = null;
    for (let call = calls[next]; call !== undefined && atMs !== null && call.atMs <= atMs; call = calls[next]) {
      report = call.report;
      next += 1;
    }
    return report === null ? null : reportedUsage(report, isWithoutCache);
  };
}

function reportedUsage(report: Fields, isWithoutCache: boolean): Usage {
  const tokensIn = numberAt(report, "tokensIn");
  const cacheReadTokens = numberAt(report, "cacheReads");
  const cacheWriteTokens = numberAt(report, "cacheWrites");
  if (tokensIn === null || tokensIn + (cacheReadTokens ?? 0) === 0) return UNREPORTED_USAGE;
  const size = isWithoutCache ? { uncachedTokens: tokensIn } : { totalInputTokens: tokensIn };
  const counts = { cacheReadTokens, cacheWriteTokens, outputTokens: numberAt(report, "tokensOut") };
  const { request: _, ...raw } = report;
  return usageOf({ ...size, ...counts, raw: jsonValueOf(raw) });
}
