import { UNREPORTED_USAGE } from "@plimsoll/core";
import { ENCRYPTED_SUMMARY, isSilent, replyPartsOf, resultItemOf } from "../codex/items.ts";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, listSessions, type MessageList } from "../document.ts";
import { type Fields, recordsAt, stringAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { type LogItem, type ReplyPart, replyItem, unreadItem, userItem } from "../log-items.ts";

const ITEM_TYPE = /^(?:reasoning|(?:function|custom_tool)_call(?:_output)?)$/;
const CONTENT_TYPES: readonly unknown[] = ["input_text", "output_text", "input_image"];

/** Item lists in the form of the Responses API: an array, a request, or one item a line. */
export const openAiResponsesImporter: Importer = documentImporter({
  format: "openai-responses",
  description: "Item list of the OpenAI Responses API: [items] or {instructions, tools, input, model}",
  recognises: (head) => headMessages(head).some(isItem),
  sessions: (documents) => listSessions(documents, listItems),
});

function isItem(value: Fields): boolean {
  return (
    ITEM_TYPE.test(stringAt(value, "type") ?? "") ||
    recordsAt(value, "content").some(({ type }) => CONTENT_TYPES.includes(type))
  );
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
