import { UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, type MessageList, messageLists } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { boundaryItem, callIdChain, type LogItem, replyItem, toolTable, unreadItem, userItem } from "../log-items.ts";
import { blockReplyParts } from "../message-lists/anthropic.ts";
import { requestsIn, UI_MESSAGES, usageByTime } from "../roo-code/importer.ts";
import { textReply, textResultItems } from "../text-calls.ts";

const FORMAT = "cline";

/** Sessions of Cline: messages in the Anthropic form with times, models and metrics beside them. */
export const clineImporter: Importer = documentImporter({
  format: FORMAT,
  description: "Cline: ~/.cline/data/sessions/*/*.messages.json and tasks/*/api_conversation_history.json",
  beside: [UI_MESSAGES],
  recognises: (head) => headMessages(head).some(isMessage),
  sessions: (documents, neighbours) =>
    messageLists(documents).map((list) => {
      const start = { id: stringAt(list.fields, "sessionId"), system: list.system, agent: { name: FORMAT, version: null } };
      return { start, items: listItems(list, neighbours.get(UI_MESSAGES)) };
    }),
});

function isMessage(message: Fields): boolean {
  const isRole = message.role === "user" || message.role === "assistant";
  return (
    isRole &&
    (recordAt(message, "metrics") !== null || recordAt(message, "modelInfo") !== null || typeof message.ts === "number")
  );
}

/**
 * If some messages have metrics, those without were no reported calls. If none has, the user's messages beside the log report the calls, without the
 * tokens of the cache in those of the prompt (`getTotalTokensFromApiReqMessage` of the editor's extension adds them up).
 */
function listItems(list: MessageList, beside: unknown): readonly LogItem[] {
  const usageAt = usageByTime({ ...requestsIn(beside), isWithoutCache: true });
  const hasMetrics = list.messages.some((message) => recordAt(message, "metrics") !== null);
  const callIdOf = callIdChain();
  const items: LogItem[] = [];
  let openCallId: string | null = null;
  for (const message of list.messages) {
    const from = { sourceId: stringAt(message, "id"), atMs: timeMsAt(message, "ts") };
    if (message.role === "assistant") {
      const parts = textReply(TOOLS, blockReplyParts(message), callIdOf);
      openCallId = parts.textCallId;
      const usage =
        metricsUsage(recordAt(message, "metrics")) ??
        (hasMetrics ? null : from.atMs === null ? UNREPORTED_USAGE : usageAt(from.atMs));
      const info = recordAt(message, "modelInfo");
      items.push(replyItem(parts.parts, usage, { ...from, modelId: stringAt(info, "id") ?? stringAt(info, "modelId") }));
    } else if (recordAt(message, "metadata")?.kind === "compaction_summary") {
      const summary = userItem("summary", contentParts(message.content), { atMs: from.atMs });
      items.push(boundaryItem(summary, from));
    } else if (message.role === "user") items.push(...textResultItems(message, openCallId, from));
    else items.push(unreadItem(`role ${message.role}`));
  }
  return items;
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

/** The tools that versions without a tool API write as elements in the reply's text. */
const TOOLS = toolTable([
  ["command", "execute_command"],
  ["read", "read_file"],
  ["modify", "write_to_file replace_in_file"],
  ["search", "search_files list_files list_code_definition_names"],
  ["other", "browser_action use_mcp_tool access_mcp_resource web_fetch ask_followup_question plan_mode_respond"],
  ["other", "attempt_completion new_task"],
]);
