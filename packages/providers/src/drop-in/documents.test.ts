import { NONE_POLICY, type Part } from "@plimsoll/core";
import { expect, test } from "vitest";
import { createMessagesCompactor } from "./anthropic.ts";
import type { ConversationLog } from "./array-conversations.ts";
import { createChatCompactor } from "./openai-chat.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const PDF = btoa("%PDF-1.4\n1 0 obj <</Type/Page>> endobj 2 0 obj <</Type /Page>> endobj");
const DATA_URL = `data:application/pdf;base64,${PDF}`;
const options = { policy: NONE_POLICY, limits: { contextWindowTokens: 1000, maxOutputTokens: 100 } };

const partsOf = (compactor: { readonly conversations: () => readonly ConversationLog[] }): readonly Part[] =>
  compactor
    .conversations()
    .flatMap(({ entries }) => entries)
    .flatMap((entry): readonly Part[] => (entry.type === "message" ? entry.message.parts : []));

const pages = [expect.objectContaining({ mediaType: "application/pdf", pageCount: 2 })];

test("a document of the Messages API tells its pages", async () => {
  const compactor = createMessagesCompactor(options);
  const source = { type: "base64", media_type: "application/pdf", data: PDF } as const;
  await compactor.fit([{ role: "user", content: [{ type: "document", source }] }]);
  expect(partsOf(compactor)).toEqual(pages);
});

test("a document that is text counts as text", async () => {
  const compactor = createMessagesCompactor(options);
  const source = { type: "text", media_type: "text/plain", data: "two words" } as const;
  await compactor.fit([{ role: "user", content: [{ type: "document", source }] }]);
  expect(partsOf(compactor)).toEqual([{ type: "text", text: "two words" }]);
});

test("a file of Chat Completions tells its pages", async () => {
  const compactor = createChatCompactor(options);
  await compactor.fit([{ role: "user", content: [{ type: "file", file: { filename: "a.pdf", file_data: DATA_URL } }] }]);
  expect(partsOf(compactor)).toEqual(pages);
});

test("a file of Responses tells its pages", async () => {
  const compactor = createItemsCompactor(options);
  await compactor.fit([{ role: "user", content: [{ type: "input_file", filename: "a.pdf", file_data: DATA_URL }] }]);
  expect(partsOf(compactor)).toEqual(pages);
});
