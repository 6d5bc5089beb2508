import { type DocumentSession, documentImporter, headMessages, messageLists } from "../document.ts";
import { type Fields, recordsAt, stringAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { isEnvironment } from "../text-calls.ts";
import { historyItems } from "./history.ts";
import { isOfKilo, requestsIn, UI_MESSAGES } from "./requests.ts";

/**
 * Tasks of Roo Code and of Kilo Code, which is made from it: the messages in the Anthropic form, or in the AI SDK's since 2026, with
 * what was condensed or truncated still there and marked; what calls reported stands in the file of the user's messages beside it.
 * Made from the sources, none recorded: github.com/RooCodeInc/Roo-Code, src/core/{task-persistence,condense,context-management} of
 * 2025-08 to 2026-02, and packages/types/src/message.ts of Kilo-Org/kilocode for what it adds.
 */
export const rooCodeImporter: Importer = documentImporter({
  format: "roo-code",
  description:
    "Roo Code and Kilo Code: tasks/*/api_conversation_history.json with ui_messages.json beside it (from their sources; no recording seen)",
  numbering: "if-several",
  beside: [UI_MESSAGES],
  recognises: (head) => {
    const messages = headMessages(head);
    return messages.some((message) => MARKS.some((mark) => mark in message) || showsSurroundings(message));
  },
  sessions: (documents, neighbours): readonly DocumentSession[] => {
    const requests = requestsIn(neighbours.get(UI_MESSAGES));
    const agent = { name: isOfKilo(requests) ? "kilo-code" : "roo-code", version: null };
    const messages = messageLists(documents).flatMap((list) => list.messages);
    return [{ start: { agent }, items: historyItems(messages, requests) }];
  },
});

/** Fields that only these agents write at a message (`ApiMessage` in their task-persistence). */
const MARKS = ["isSummary", "condenseId", "condenseParent", "isTruncationMarker", "truncationId", "truncationParent"] as const;

/** True for a message with a time and the surroundings in the form of Roo Code, which name the mode by its slug. */
function showsSurroundings(message: Fields): boolean {
  if (typeof message.ts !== "number") return false;
  const texts = recordsAt(message, "content").flatMap((block) => stringAt(block, "text") ?? []);
  return texts.some((text) => isEnvironment(text) && text.includes("<slug>"));
}
