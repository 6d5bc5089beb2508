import { UNREPORTED_USAGE } from "@plimsoll/core";
import { ENCRYPTED_SUMMARY, isSilent, replyPartsOf, resultItemOf } from "../codex/items.ts";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, type MessageList, messageLists } from "../document.ts";
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
  sessions: (documents) =>
    messageLists(documents).map((list) => ({ start: { system: list.system, tools: list.tools }, items: listItems(list) })),
});

function isItem(value: Fields): boolean {
  if (ITEM_TYPES.some((type) => type === value.type)) return true;
  const content = Array.isArray(value.content) ? value.content : [];
  return content.some((part: unknown) => CONTENT_TYPES.some((type) => type === typeOf(part)));
}

function typeOf(part: unknown): unknown {
  return typeof part === "object" && part !== null && "type" in part ? part.type : undefined;
}

/** One answer is what the model gave without an output or a message in between. */
function listItems(list: MessageList): readonly LogItem[] {
  const items: LogItem[] = [];
  let open: ReplyPart[] | null = null;
  for (const item of list.messages) {
    const result = resultItemOf(item, null, null);
    const parts = result === null ? partsOf(item) : null;
    if (parts === null) open = null;
    if (result !== null) items.push(result);
    else if (parts !== null) {
      if (open === null) {
        open = [];
        items.push(replyItem(open, UNREPORTED_USAGE, { modelId: list.modelId }));
      }
      open.push(...parts);
    } else if (item.role !== undefined)
      items.push(userItem(item.role === "user" ? "human" : "injected", contentParts(item.content)));
    else if (!isSilent(item)) items.push(unreadItem(item.type));
  }
  return items;
}

/** The parts of an item of the model's. Everything before a compaction leaves the list; only the vendor can read its summary. */
function partsOf(item: Fields): readonly ReplyPart[] | null {
  if (item.type === "compaction") return [{ type: "compaction", summary: ENCRYPTED_SUMMARY }];
  return replyPartsOf(item.type === undefined ? { ...item, type: "message" } : item);
}
