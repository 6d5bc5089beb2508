import { UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, type MessageList, messageLists } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import type { LogItem } from "../log-items.ts";
import { blockReplyParts, inputItems } from "../message-lists/anthropic.ts";
import { replyItem, userItem } from "../plain-items.ts";

const FORMAT = "cline";

/** Sessions of Cline: messages in the Anthropic form with times, models and metrics beside them. */
export const clineImporter: Importer = documentImporter({
  format: FORMAT,
  description: "Cline: ~/.cline/data/sessions/*/*.messages.json and tasks/*/api_conversation_history.json",
  numbering: "if-several",
  recognises: (head) => headMessages(head).some(isMessage),
  sessions: (documents) => messageLists(documents).map((list) => ({ start: startOf(list), items: listItems(list) })),
});

function isMessage(message: Fields): boolean {
  const isRole = message.role === "user" || message.role === "assistant";
  return (
    isRole &&
    (recordAt(message, "metrics") !== null || recordAt(message, "modelInfo") !== null || typeof message.ts === "number")
  );
}

function startOf(list: MessageList): { id?: string; system: string; agent: { name: string; version: null } } {
  const id = stringAt(list.fields, "sessionId");
  return { ...(id === null ? {} : { id }), system: list.system, agent: { name: FORMAT, version: null } };
}

/** Where no message has metrics, the log reports nothing; where some have, those without were no reported calls. */
function listItems(list: MessageList): readonly LogItem[] {
  const hasMetrics = list.messages.some((message) => recordAt(message, "metrics") !== null);
  return list.messages.flatMap((message) => {
    const from = { sourceId: stringAt(message, "id"), atMs: timeMsAt(message, "ts") };
    if (message.role === "assistant") {
      const usage = metricsUsage(recordAt(message, "metrics")) ?? (hasMetrics ? null : UNREPORTED_USAGE);
      const info = recordAt(message, "modelInfo");
      const modelId = stringAt(info, "id") ?? stringAt(info, "modelId");
      return [replyItem(blockReplyParts(message), usage, { ...from, modelId })];
    }
    if (recordAt(message, "metadata")?.kind !== "compaction_summary") return inputItems(message, "human", from);
    const summary = userItem("summary", contentParts(message.content), { atMs: from.atMs });
    return [{ kind: "boundary", summary, kept: { kind: "items", items: [] }, tokensBefore: null, line: null, ...from }];
  });
}

/** The prompt is inclusive of its cached parts. */
function metricsUsage(metrics: Fields | null): Usage | null {
  const totalInputTokens = numberAt(metrics, "inputTokens");
  if (totalInputTokens === null || totalInputTokens === 0) return null;
  return usageOf({
    totalInputTokens,
    cacheReadTokens: numberAt(metrics, "cacheReadTokens"),
    cacheWriteTokens: numberAt(metrics, "cacheWriteTokens"),
    outputTokens: numberAt(metrics, "outputTokens"),
    raw: jsonValueOf(metrics),
  });
}
