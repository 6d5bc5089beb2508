import { NONE_POLICY, type Part } from "@plimsoll/core";
import { expect, test } from "vitest";
import { createMessagesCompactor } from "./anthropic.ts";
import type { ConversationLog } from "./array-conversations.ts";
import { createChatCompactor } from "./openai-chat.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const PDF = btoa("%PDF-1.4\n1 0 obj <</Type/Page>> endobj 2 0 obj <</Type /Page>> endobj");
const DATA_URL = `data:application/pdf;base64,${PDF}`;
const options = { policy: NONE_POLICY, limits: { contextWindowTokens: 1000, maxOutputTokens: 100 } };

const source = { type: "base64", media_type: "application/pdf", data: PDF } as const;
const [messages, chat, items] = [createMessagesCompactor(options), createChatCompactor(options), createItemsCompactor(options)];
const file = { filename: "a.pdf", file_data: DATA_URL };

test.each<[string, { readonly conversations: () => readonly ConversationLog[] }, () => Promise<unknown>]>([
  ["a document of Messages", messages, () => messages.fit([{ role: "user", content: [{ type: "document", source }] }])],
  ["a file of Chat Completions", chat, () => chat.fit([{ role: "user", content: [{ type: "file", file }] }])],
  ["a file of Responses", items, () => items.fit([{ role: "user", content: [{ type: "input_file", ...file }] }])],
])("%s tells its pages", async (_, compactor, fit) => {
  await fit();
  const entries = compactor.conversations().flatMap((log) => log.entries);
  const parts = entries.flatMap((entry): readonly Part[] => (entry.type === "message" ? entry.message.parts : []));
  expect(parts).toEqual([expect.objectContaining({ mediaType: "application/pdf", pageCount: 2 })]);
});
