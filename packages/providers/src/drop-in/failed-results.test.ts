import { PLIMSOLL_POLICY, type SessionEntry } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { createMessagesCompactor } from "./anthropic.ts";
import type { ConversationLog } from "./array-conversations.ts";
import { createChatCompactor } from "./openai-chat.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const limits = { contextWindowTokens: 200_000, maxOutputTokens: 2_000 };
const FAILED = "Exit code 1\nno such file";

const CHAT = [
  { role: "user" as const, content: "go" },
  {
    role: "assistant" as const,
    tool_calls: [{ id: "a", type: "function" as const, function: { name: "run", arguments: "{}" } }],
  },
  { role: "tool" as const, tool_call_id: "a", content: FAILED },
];
const ITEMS = [
  { role: "user" as const, content: "go" },
  { type: "function_call" as const, call_id: "a", name: "run", arguments: "{}" },
  { type: "function_call_output" as const, call_id: "a", output: FAILED },
];
const MESSAGES = [
  { role: "user" as const, content: "go" },
  { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "a", name: "run", input: {} }] },
  { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "a", content: FAILED }] },
];

function failures(logs: readonly ConversationLog[]): readonly boolean[] {
  const entries = logs.flatMap((log): readonly SessionEntry[] => log.entries);
  return entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "tool-result" ? [entry.message.isError] : [],
  );
}

test("a result of Chat Completions that failed is logged as one", async () => {
  const compactor = createChatCompactor({ policy: PLIMSOLL_POLICY, limits });
  expect(await compactor.fit(CHAT)).toEqual(CHAT);
  expect(failures(compactor.conversations())).toEqual([true]);
});

test("a result of Responses that failed is logged as one", async () => {
  const compactor = createItemsCompactor({ policy: PLIMSOLL_POLICY, limits });
  expect(await compactor.fit(ITEMS)).toEqual(ITEMS);
  expect(failures(compactor.conversations())).toEqual([true]);
});

test("where a wire says which results failed, its word counts", async () => {
  const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits });
  await compactor.fit(MESSAGES);
  expect(failures(compactor.conversations())).toEqual([false]);
});

test("a conversation that is taken up sends a failed result as it came", async () => {
  const options = { policy: PLIMSOLL_POLICY, limits, sessions: createMemorySessionStore() };
  const first = createChatCompactor(options);
  await first.fit(CHAT, { conversation: "c" });
  await first.close();
  const second = createChatCompactor(options);
  const sent = await second.fit(CHAT, { conversation: "c" });
  expect(sent.every((item, place) => item === CHAT[place])).toBe(true);
});
