import { UNREPORTED_USAGE, type UserMessage } from "@plimsoll/core";
import { anthropicUsageOf, replyPartsOfBlocks } from "../anthropic-blocks.ts";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, listSessions, type MessageList } from "../document.ts";
import { type Fields, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { type LogItem, replyItem, resultItem, textPart, unreadItem, userItem } from "../log-items.ts";

const BLOCK_TYPES = ["tool_use", "tool_result", "thinking", "redacted_thinking", "compaction"] as const;

/** Roles of Chat Completions. */
const OTHER_ROLES: readonly string[] = ["system", "developer", "tool", "function"];

/** Message lists in the form of the Anthropic Messages API: an array, a request, or one message a line. */
export const anthropicMessagesImporter: Importer = documentImporter({
  format: "anthropic-messages",
  description: "Message list of the Anthropic Messages API: [messages] or {system, tools, messages, model}",
  recognises: (head) => {
    const messages = headMessages(head);
    const areRoles = messages.every(({ role }) => typeof role === "string" && !OTHER_ROLES.includes(role));
    const isRequest = head.firstObjects.some(
      (fields) => fields.system !== undefined || recordsAt(fields, "tools").some((tool) => "input_schema" in tool),
    );
    const blocks = messages.flatMap((message) => recordsAt(message, "content"));
    return (
      messages.length > 0 && areRoles && (isRequest || blocks.some(({ type }) => BLOCK_TYPES.some((known) => known === type)))
    );
  },
  sessions: (documents) => listSessions(documents, listItems),
});

function listItems(list: MessageList): readonly LogItem[] {
  return list.messages.flatMap((message) => {
    if (message.role === "user") return inputItems(message, "human");
    if (message.role !== "assistant") return [unreadItem(`role ${message.role}`)];
    const usage = anthropicUsageOf(recordAt(message, "usage")) ?? UNREPORTED_USAGE;
    const sourceId = stringAt(message, "id");
    return [replyItem(blockReplyParts(message), usage, { sourceId, modelId: stringAt(message, "model") ?? list.modelId })];
  });
}

/** The reply parts of an assistant's message, whose content is a string or blocks. */
export function blockReplyParts(message: Fields): ReturnType<typeof replyPartsOfBlocks> {
  const text = stringAt(message, "content");
  return text === null ? replyPartsOfBlocks({}, recordsAt(message, "content")) : [textPart(text)];
}

/** Results first, then the messages beside them. */
export function inputItems(
  message: Fields,
  origin: UserMessage["origin"],
  from: { sourceId?: string | null; atMs?: number | null } = {},
): readonly LogItem[] {
  const blocks = recordsAt(message, "content");
  const results = blocks
    .filter((block) => block.type === "tool_result")
    .map((block) =>
      resultItem(stringAt(block, "tool_use_id") ?? "", contentParts(block.content), {
        isError: block.is_error === true,
        atMs: from.atMs ?? null,
      }),
    );
  const others = stringAt(message, "content") ?? blocks.filter((block) => block.type !== "tool_result");
  const parts = contentParts(others);
  return parts.length === 0
    ? results
    : [...results, userItem(origin, parts, results.length === 0 ? from : { atMs: from.atMs ?? null })];
}
