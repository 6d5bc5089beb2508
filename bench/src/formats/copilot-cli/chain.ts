import { type ImagePart, type TextPart, type Usage, usageOf } from "@plimsoll/core";
import type { ToolTable } from "@plimsoll/core/extend";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { imageFromBase64 } from "../image.ts";
import { callDraft, type LogItem, type ReplyPart, textPart, type UserItem, unreadItem } from "../log-items.ts";

const TOOLS: ToolTable = {
  view: "read",
  create: "modify",
  edit: "modify",
  apply_patch: "patch",
  bash: "command",
  read_bash: "command",
  write_bash: "command",
  stop_bash: "other",
  powershell: "command",
  read_powershell: "command",
  write_powershell: "command",
  stop_powershell: "other",
  grep: "search",
  rg: "search",
  glob: "search",
  web_search: "search",
  session_store_sql: "search",
  web_fetch: "other",
  task: "other",
  read_agent: "other",
  list_agents: "other",
  ask_user: "other",
  store_memory: "other",
  report_intent: "other",
  task_complete: "other",
};

/** The events of the session itself or of one subagent, as far as they were read. */
export interface EventChain {
  readonly items: LogItem[];
  /** How many items there were when the compaction that is under way began. */
  compactionStart: number | null;
}

/** A chain without events. */
export function startChain(): EventChain {
  return { items: [], compactionStart: null };
}

/** An event with its place in the file. */
export interface ChainEvent {
  readonly type: string;
  readonly data: Fields;
  readonly line: number;
  readonly sourceId: string | null;
  readonly atMs: number | null;
}

/** Adds what an event says to its chain; events that put nothing before the model add nothing. */
export function takeEvent(chain: EventChain, event: ChainEvent): void {
  const { items } = chain;
  switch (event.type) {
    case "user.message":
      takeUser(items, event);
      break;
    case "system.notification":
      items.push(userItemOf(event, "injected", [textPart(stringAt(event.data, "content") ?? "")]));
      break;
    case "assistant.message":
      items.push(replyOf(event));
      break;
    case "tool.execution_complete":
      items.push(resultOf(event));
      break;
    case "session.compaction_start":
      chain.compactionStart = items.length;
      break;
    case "session.compaction_complete":
      takeCompaction(chain, event);
      break;
    default:
      if (stringAt(event.data, "content") !== null && !/^(?:system\.message|skill\.invoked)$/.test(event.type))
        items.push(unreadItem(event.type));
  }
}

/** A person's message names no source, a task for a subagent an agent. A reminder that was put in while a turn ran is told by two events with one text: it was sent once. */
function takeUser(items: LogItem[], event: ChainEvent): void {
  const { data } = event;
  const text = stringAt(data, "transformedContent") || (stringAt(data, "content") ?? "");
  const images = recordsAt(data, "attachments").flatMap((attachment): readonly ImagePart[] => {
    const base64 = stringAt(attachment, "data");
    return base64 === null ? [] : [imageFromBase64(stringAt(attachment, "mimeType"), base64)];
  });
  const origin = /^(?:user|agent|$)/.test(stringAt(data, "source") ?? "") ? "human" : "injected";
  const last = items.at(-1);
  const isRepeated = origin === "injected" && last?.kind === "user" && textOf(last) === text;
  if (!isRepeated) items.push(userItemOf(event, origin, [textPart(text), ...images]));
}

function userItemOf({ line, sourceId, atMs }: ChainEvent, origin: UserItem["origin"], parts: UserItem["parts"]): UserItem {
  return { kind: "user", origin, parts, line, sourceId, atMs };
}

function textOf(item: UserItem): string {
  return item.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function replyOf({ data, line, sourceId, atMs }: ChainEvent): LogItem {
  const reasoning = stringAt(data, "reasoningText");
  const opaque = stringAt(data, "reasoningOpaque");
  const calls = recordsAt(data, "toolRequests");
  const thought: readonly ReplyPart[] =
    reasoning === null && opaque === null ? [] : [{ type: "reasoning", text: reasoning ?? "", opaque }];
  return {
    kind: "reply",
    parts: [...thought, textPart(stringAt(data, "content") ?? ""), ...calls.map(callOf)],
    modelId: stringAt(data, "model"),
    requestId: stringAt(data, "apiCallId") ?? stringAt(data, "requestId"),
    stopReason: calls.length > 0 ? "tool-calls" : "end",
    usage: outputUsage(data),
    limits: null,
    ...{ line, sourceId, atMs },
  };
}

/** Calls have their arguments as an object; those of tools with a text of their own have a string. */
function callOf(request: Fields): ReplyPart {
  const text = stringAt(request, "arguments");
  const args = text === null ? (recordAt(request, "arguments") ?? {}) : { input: text };
  const callId = stringAt(request, "toolCallId") ?? "";
  return callDraft(TOOLS, { callId, toolName: stringAt(request, "name") ?? "", argumentsJson: JSON.stringify(args), args });
}

/** Each reply tells what it gave; what it was given is reported for whole sessions only. */
function outputUsage(data: Fields): Usage | null {
  const outputTokens = numberAt(data, "outputTokens");
  return outputTokens === null ? null : usageOf({ outputTokens, raw: jsonValueOf({ outputTokens }) });
}

/** `content` is what the model gets; `detailedContent` is for the eye. */
function resultOf({ data, line, sourceId, atMs }: ChainEvent): LogItem {
  const sent = stringAt(recordAt(data, "result"), "content");
  const parts: readonly TextPart[] = [textPart(sent ?? stringAt(recordAt(data, "error"), "message") ?? "")];
  const callId = stringAt(data, "toolCallId") ?? "";
  return { kind: "result", callId, isError: data.success === false, parts, line, sourceId, atMs };
}

/** A compaction runs beside the session: what was said since it began stays behind its summary. A failed one changes nothing. */
function takeCompaction(chain: EventChain, event: ChainEvent): void {
  const { data, line, sourceId, atMs } = event;
  const first = chain.compactionStart === null ? undefined : chain.items[chain.compactionStart];
  chain.compactionStart = null;
  if (data.success !== true) return;
  const text = stringAt(data, "summaryContent");
  chain.items.push({
    kind: "boundary",
    summary: text === null ? null : { ...userItemOf(event, "summary", [textPart(text)]), sourceId: null },
    kept: first === undefined ? { kind: "items", items: [] } : { kind: "from", item: first },
    tokensBefore: numberAt(data, "preCompactionTokens"),
    ...{ line, sourceId, atMs },
  });
}
