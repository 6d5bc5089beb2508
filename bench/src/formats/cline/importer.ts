import { UNREPORTED_USAGE, type Usage, type UserMessage, usageOf } from "@plimsoll/core";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, type MessageList, messageLists } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { callIdChain, type LogItem, type ReplyPart, replyItem, resultItem, textPart, userItem } from "../log-items.ts";
import { blockReplyParts, inputItems } from "../message-lists/anthropic.ts";
import { isEnvironment, textAfterResultHeading, textCallOf } from "./text-tools.ts";

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

/** If no message has metrics, the log reports nothing; if some have, those without were no reported calls. */
function listItems(list: MessageList): readonly LogItem[] {
  const hasMetrics = list.messages.some((message) => recordAt(message, "metrics") !== null);
  const callIdOf = callIdChain();
  const items: LogItem[] = [];
  let openCallId: string | null = null;
  for (const message of list.messages) {
    const from = { sourceId: stringAt(message, "id"), atMs: timeMsAt(message, "ts") };
    if (message.role === "assistant") {
      const parts = replyPartsOf(message, callIdOf);
      openCallId = parts.textCallId;
      const usage = metricsUsage(recordAt(message, "metrics")) ?? (hasMetrics ? null : UNREPORTED_USAGE);
      const info = recordAt(message, "modelInfo");
      items.push(replyItem(parts.parts, usage, { ...from, modelId: stringAt(info, "id") ?? stringAt(info, "modelId") }));
    } else if (recordAt(message, "metadata")?.kind === "compaction_summary") {
      const summary = userItem("summary", contentParts(message.content), { atMs: from.atMs });
      items.push({ kind: "boundary", summary, kept: { kind: "items", items: [] }, tokensBefore: null, line: null, ...from });
    } else items.push(...userItems(message, openCallId, from));
  }
  return items;
}

/** A reply without calls of the API may end in a call that is written as text. */
function replyPartsOf(
  message: Fields,
  callIdOf: (content: string) => string,
): { parts: readonly ReplyPart[]; textCallId: string | null } {
  const parts = blockReplyParts(message);
  const last = parts.at(-1);
  if (last?.type !== "text") return { parts, textCallId: null };
  const callId = callIdOf(last.text);
  const found = textCallOf(last.text, callId);
  if (found === null) return { parts, textCallId: null };
  return { parts: [...parts.slice(0, -1), textPart(found.before), found.call], textCallId: callId };
}

/** The result of a call that was written as text, what the person said, and the surroundings, which the agent puts behind both. */
function userItems(
  message: Fields,
  openCallId: string | null,
  from: { sourceId: string | null; atMs: number | null },
): readonly LogItem[] {
  const isSurroundings = (part: UserMessage["parts"][number]) => part.type === "text" && isEnvironment(part.text);
  return inputItems(message, "human", from).flatMap((item): readonly LogItem[] => {
    if (item.kind !== "user") return [item];
    const said = item.parts.filter((part) => !isSurroundings(part));
    const surroundings = item.parts.filter(isSurroundings);
    const [first, ...rest] = said;
    const given = first?.type === "text" && openCallId !== null ? textAfterResultHeading(first.text) : null;
    const input =
      given === null || openCallId === null
        ? { ...item, parts: said }
        : resultItem(
            openCallId,
            [textPart(given), ...rest].filter((part) => part.type !== "text" || part.text !== ""),
            from,
          );
    return surroundings.length === 0 ? [input] : [input, userItem("injected", surroundings, { atMs: from.atMs })];
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
