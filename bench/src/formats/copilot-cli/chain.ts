import { type ImagePart, type TextPart, usageOf } from "@plimsoll/core";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { imageFromBase64 } from "../image.ts";
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
  ["read", "view"],
  ["modify", "create edit"],
  ["patch", "apply_patch"],
  ["command", "bash read_bash write_bash powershell read_powershell write_powershell"],
  ["other", "stop_bash stop_powershell web_fetch task read_agent list_agents ask_user store_memory report_intent"],
  ["other", "task_complete"],
  ["search", "grep rg glob web_search session_store_sql"],
]);

/** The events of the session itself or of one subagent, as far as they were read. */
export interface EventChain {
  readonly items: LogItem[];
  /** How many items there were when the compaction that is under way began. */
  compactionStart: number | null;
  /** The model by the newest event that names one; not every answer does (1.0.40). */
  modelId: string | null;
}

/** A chain without events. */
export function startChain(): EventChain {
  return { items: [], compactionStart: null, modelId: null };
}

/** An event with its place in the file. */
export interface ChainEvent {
  readonly type: string;
  readonly data: Fields;
  readonly line: number;
  readonly sourceId: string | null;
  readonly atMs: number | null;
}

/** Adds an event's content to its chain; events that put nothing before the model add nothing. */
export function takeEvent(chain: EventChain, event: ChainEvent): void {
  const { items } = chain;
  const named = ["newModel", "selectedModel", "model"].flatMap((key) => stringAt(event.data, key) ?? []);
  chain.modelId = named[0] ?? chain.modelId;
  switch (event.type) {
    case "user.message":
      takeUser(items, event);
      break;
    case "system.notification":
      items.push(userItem("injected", [textPart(stringAt(event.data, "content") ?? "")], event));
      break;
    case "assistant.message":
      items.push(replyOf(event, chain.modelId));
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
      if (!(stringAt(event.data, "content") === null ? BESIDE_TALK : NOT_SENT).test(event.type))
        items.push(unreadItem(event.type));
  }
}

/** Events about the work and its settings, and those whose text is sent with another event. */
const BESIDE_TALK =
  /^(?:abort|(?:hook|permission|session|skill|subagent|system)\..*|assistant\.turn_(?:start|end)|tool\.execution_start)$/;
const NOT_SENT = /^(?:system\.message|skill\.invoked)$/;

/** A person's message names no source, a task for a subagent an agent. A reminder that was put in during a turn has two events with one text: it was sent once. */
function takeUser(items: LogItem[], event: ChainEvent): void {
  const { data } = event;
  const text = stringAt(data, "transformedContent") || (stringAt(data, "content") ?? "");
  const images = recordsAt(data, "attachments").flatMap((attachment): readonly ImagePart[] => {
    const base64 = stringAt(attachment, "data");
    return base64 === null ? [] : [imageFromBase64(stringAt(attachment, "mimeType"), base64)];
  });
  const origin = /^(?:user|agent|$)/.test(stringAt(data, "source") ?? "") ? "human" : "injected";
  const last = items.at(-1);
  const isRepeated =
    origin === "injected" &&
    last?.kind === "user" &&
    last.parts.map((part) => (part.type === "text" ? part.text : "")).join("") === text;
  if (!isRepeated) items.push(userItem(origin, [textPart(text), ...images], event));
}

function replyOf(event: ChainEvent, modelId: string | null): LogItem {
  const { data } = event;
  const reasoning = stringAt(data, "reasoningText");
  const opaque = stringAt(data, "reasoningOpaque");
  const calls = recordsAt(data, "toolRequests");
  const thought: readonly ReplyPart[] =
    reasoning === null && opaque === null ? [] : [{ type: "reasoning", text: reasoning ?? "", opaque }];
  const requestId = stringAt(data, "apiCallId") ?? stringAt(data, "requestId");
  const stopReason = calls.length > 0 ? "tool-calls" : "end";
  const parts = [...thought, textPart(stringAt(data, "content") ?? ""), ...calls.map(callOf)];
  // Input is reported for whole sessions only.
  const outputTokens = numberAt(data, "outputTokens");
  const usage = outputTokens === null ? null : usageOf({ outputTokens, raw: jsonValueOf({ outputTokens }) });
  return replyItem(parts, usage, { ...event, modelId, requestId, stopReason });
}

/** Calls have their arguments as an object; those of tools with a text of their own have a string. */
function callOf(request: Fields): ReplyPart {
  const text = stringAt(request, "arguments");
  const args = text === null ? (recordAt(request, "arguments") ?? {}) : { input: text };
  return objectCall(TOOLS, stringAt(request, "toolCallId"), stringAt(request, "name"), args);
}

/** The model gets `content`; `detailedContent` is for the eye. */
function resultOf(event: ChainEvent): LogItem {
  const { data } = event;
  const sent = stringAt(recordAt(data, "result"), "content");
  const parts: readonly TextPart[] = [textPart(sent ?? stringAt(recordAt(data, "error"), "message") ?? "")];
  return resultItem(stringAt(data, "toolCallId") ?? "", parts, { ...event, isError: data.success === false });
}

/** A compaction runs beside the session: messages since its start stay behind its summary. A failed one changes nothing. */
function takeCompaction(chain: EventChain, event: ChainEvent): void {
  const { data } = event;
  const first = chain.compactionStart === null ? undefined : chain.items[chain.compactionStart];
  chain.compactionStart = null;
  if (data.success !== true) return;
  const text = stringAt(data, "summaryContent");
  const summary = text === null ? null : userItem("summary", [textPart(text)], { ...event, sourceId: null });
  const kept = first === undefined ? {} : { kept: { kind: "from", item: first } as const };
  chain.items.push(boundaryItem(summary, event, { ...kept, tokensBefore: numberAt(data, "preCompactionTokens") }));
}
