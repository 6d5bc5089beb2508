import type { UserMessage } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { contentParts } from "../content-parts.ts";
import { type DocumentSession, documentImporter, toolSpecs } from "../document.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, stringsAt, timeMsAt } from "../fields.ts";
import { imageFromUrl } from "../image.ts";
import type { Importer } from "../importer.ts";
import { boundaryItem, type LogItem, replyItem, resultItem, textPart, toolTable, unreadItem, userItem } from "../log-items.ts";
import { blockReplyParts } from "../message-lists/anthropic.ts";
import { chatCallPart, openAiUsageOf } from "../message-lists/openai-chat.ts";

const FORMAT = "openhands";

/** Lists of OpenHands events: one session a file. */
export const openHandsImporter: Importer = documentImporter({
  format: FORMAT,
  description: "OpenHands: a list of events (seen: 0.20)",
  newestSeen: "0.35",
  recognises: ({ firstObjects: [first] }) => first !== undefined && isEvent(first),
  sessions: (documents) => documents.filter(Array.isArray).map((events) => sessionOf({ history: events })),
});

/** The output of a benchmark, with a session on each line: numbered always. */
export const openHandsOutputImporter: Importer = documentImporter({
  format: FORMAT,
  description: "OpenHands: output.jsonl of a benchmark (seen: 0.35)",
  newestSeen: "0.35",
  numbering: "always",
  recognises: ({ firstObjects: [first] }) => recordsAt(first, "history").slice(0, 1).some(isEvent),
  sessions: (documents) => documents.filter(isRecord).map(sessionOf),
});

function isEvent(value: Fields): boolean {
  return value.source !== undefined && typeof value.timestamp === "string" && ("action" in value || "observation" in value);
}

function sessionOf(output: Fields): DocumentSession {
  const events = recordsAt(output, "history");
  const args = recordAt(
    events.find((event) => event.action === "system"),
    "args",
  );
  const start = {
    id: stringAt(output, "instance_id"),
    createdMs: timeMsAt(events[0], "timestamp"),
    system: stringAt(args, "content") ?? "",
    tools: toolSpecs(args?.tools),
    agent: { name: FORMAT, version: stringAt(args, "openhands_version") },
  };
  // Each event repeats the cost so far.
  const last = events.findLast((event) => recordAt(event, "llm_metrics") !== null);
  const statedUsd = numberAt(recordAt(output, "metrics") ?? recordAt(last, "llm_metrics"), "accumulated_cost");
  return { start, items: eventItems(events), statedUsd };
}

const TOOLS = toolTable([
  ["command", "execute_bash execute_ipython_cell"],
  ["other", "think finish browser"],
]);

/** The items of a session's events. Each action and each observation repeats the whole answer of the model with its usage: the first one gives the reply. */
function eventItems(events: readonly Fields[]): readonly LogItem[] {
  const items: LogItem[] = [];
  const itemsOfEvent = new Map<unknown, LogItem>();
  const answered = new Set<string>();
  for (const event of events) {
    const read = event.action === "condensation" ? condensationItems(event, itemsOfEvent) : itemsOf(event, answered);
    const [first] = read;
    if (first !== undefined) itemsOfEvent.set(event.id, first);
    items.push(...read);
  }
  return items;
}

function itemsOf(event: Fields, answered: Set<string>): readonly LogItem[] {
  const atMs = timeMsAt(event, "timestamp");
  const metadata = recordAt(event, "tool_call_metadata");
  const response = recordAt(metadata, "model_response") ?? recordAt(event, "model_response");
  const responseId = stringAt(response, "id");
  const replies =
    response !== null && responseId !== null && !answered.has(responseId) ? [responseItem(response, responseId, atMs)] : [];
  if (responseId !== null) answered.add(responseId);
  if (replies.length > 0 && event.observation === undefined) return replies;
  return [...replies, ...otherItems(event, metadata, atMs)];
}

function responseItem(response: Fields, responseId: string, atMs: number | null): LogItem {
  const message = recordAt(recordsAt(response, "choices")[0], "message");
  const parts = [
    ...blockReplyParts(message ?? {}),
    ...recordsAt(message, "tool_calls").map((call) => chatCallPart(TOOLS, call)),
  ];
  const usage = openAiUsageOf(recordAt(response, "usage"));
  return replyItem(parts, usage, { sourceId: responseId, requestId: responseId, modelId: stringAt(response, "model"), atMs });
}

function otherItems(event: Fields, metadata: Fields | null, atMs: number | null): readonly LogItem[] {
  const callId = stringAt(metadata, "tool_call_id");
  if (event.observation !== undefined) {
    if (callId !== null)
      return [resultItem(callId, observationParts(event), { isError: event.observation === "error" ? true : null, atMs })];
    const isUnread = !READ_OBSERVATIONS.includes(event.observation) && (stringAt(event, "content") ?? "") !== "";
    if (isUnread) return [unreadItem(event.observation)];
    return injectedText(event).map((text) => userItem("injected", [textPart(text)], { atMs }));
  }
  if (event.action !== "message" || callId !== null)
    return callId !== null || event.action === undefined || ACTIONS.has(event.action)
      ? []
      : [unreadItem(`action ${event.action}`)];
  const args = recordAt(event, "args");
  const parts = [textPart(stringAt(args, "content") ?? ""), ...stringsAt(args, "image_urls").map((url) => imageFromUrl(url))];
  if (event.source === "user") return [userItem("human", parts, { atMs })];
  return [replyItem([textPart(stringAt(args, "content") ?? "")], null, { atMs })];
}

/** Actions that put nothing before the model themselves (`ActionType` in openhands/core/schema/action.py, 2026). */
const ACTIONS: ReadonlySet<unknown> = new Set(
  [
    "system start read write edit run run_ipython browse browse_interactive call_tool_mcp delegate think finish reject null pause resume stop",
    "change_agent_state push send_pr recall condensation condensation_request task_tracking loop_recovery initialize",
  ].flatMap((names) => names.split(" ")),
);

const READ_OBSERVATIONS: readonly unknown[] = ["error", "recall"];

/** Reads an observation as the model saw it: a command's output with the words around it, an edit's report instead of its diff. */
function observationParts(event: Fields): UserMessage["parts"] {
  const extras = recordAt(event, "extras");
  const report = stringAt(extras, "formatted_output_and_error");
  if (report !== null && report !== "") return [textPart(report)];
  const around = recordAt(extras, "metadata");
  const text = `${stringAt(around, "prefix") ?? ""}${stringAt(event, "content") ?? ""}${stringAt(around, "suffix") ?? ""}`;
  return [...contentParts(text), ...stringsAt(extras, "image_urls").map((url) => imageFromUrl(url))];
}

/** Errors without a call, and knowledge that the agent recalled; other events without a call are bookkeeping. */
function injectedText(event: Fields): readonly string[] {
  if (event.observation === "error") return [stringAt(event, "content") ?? ""];
  if (event.observation !== "recall") return [];
  const extras = recordAt(event, "extras");
  const knowledge = recordsAt(extras, "microagent_knowledge").map((item) => stringAt(item, "content") ?? "");
  const texts = [stringAt(extras, "repo_instructions"), stringAt(extras, "additional_agent_instructions"), ...knowledge];
  const text = texts.filter((item) => item !== null && item !== "").join("\n\n");
  return text === "" ? [] : [text];
}

/** A condensation forgets events by id or by range; all other events stay beside its summary. */
function condensationItems(event: Fields, itemsOfEvent: ReadonlyMap<unknown, LogItem>): readonly LogItem[] {
  const args = recordAt(event, "args");
  const ids = new Set<unknown>(Array.isArray(args?.forgotten_event_ids) ? args.forgotten_event_ids : []);
  const from = args?.forgotten_events_start_id;
  const to = args?.forgotten_events_end_id;
  const isForgotten = (id: unknown) =>
    ids.has(id) || (typeof id === "number" && typeof from === "number" && typeof to === "number" && id >= from && id <= to);
  const kept = [...itemsOfEvent].flatMap(([id, item]) => (isForgotten(id) ? [] : [item]));
  const atMs = timeMsAt(event, "timestamp");
  const text = stringAt(args, "summary");
  const summary = text === null ? null : userItem("summary", [textPart(text)], { atMs });
  return [boundaryItem(summary, { atMs }, { kept: { kind: "items", items: kept } })];
}
