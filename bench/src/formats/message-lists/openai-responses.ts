import { UNREPORTED_USAGE } from "@plimsoll/core";
import { ENCRYPTED_SUMMARY, isSilent, replyPartsOf, resultItemOf } from "../codex/items.ts";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, listSessions, type MessageList } from "../document.ts";
import type { Fields } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { type LogItem, type ReplyPart, replyItem, unreadItem, userItem } from "../log-items.ts";

const ITEM_TYPES = [
  "function_call",
  "function_call_output",
  "reasoning",
  "custom_tool_call",
  "custom_tool_call_output",
] as const;
const CONTENT_TYPES = ["input_text", "output_text", "input_image"] as const;

/** Item lists in the form of the Responses API: an array, a request, or one item a line. */
export const openAiResponsesImporter: Importer = documentImporter({
  format: "openai-responses",
  description: "Item list of the OpenAI Responses API: [items] or {instructions, tools, input, model}",
  numbering: "if-several",
  recognises: (head) => headMessages(head).some(isItem),
  sessions: (documents) => listSessions(documents, listItems),
});

function isItem(value: Fields): boolean {
  if (ITEM_TYPES.some((type) => type === value.type)) return true;
  const content = Array.isArray(value.content) ? value.content : [];
  return content.some((part: unknown) => CONTENT_TYPES.some((type) => type === typeOf(part)));
}

function typeOf(part: unknown): unknown {
  return typeof part === "object" && part !== null && "type" in part ? part.type : undefined;
}

function listItems({ messages, modelId }: MessageList): readonly LogItem[] {
  return messages.flatMap((item): readonly LogItem[] => {
    const result = resultItemOf(item, null, null);
    const parts = result === null ? partsOf(item) : null;
    if (result !== null) return [result];
    if (parts !== null) return [replyItem(parts, UNREPORTED_USAGE, { modelId })];
    if (item.role !== undefined) return [userItem(item.role === "user" ? "human" : "injected", contentParts(item.content))];
    return isSilent(item) ? [] : [unreadItem(item.type)];
  });
}

/** The parts of an item of the model's. Everything before a compaction leaves the list; only the vendor can read its summary. */
function partsOf(item: Fields): readonly ReplyPart[] | null {
  if (item.type === "compaction") return [{ type: "compaction", summary: ENCRYPTED_SUMMARY }];
  return replyPartsOf(item.type === undefined ? { ...item, type: "message" } : item);
}
