import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { createAnthropicSession } from "./anthropic/session.ts";
import { createMessagesCompactor } from "./drop-in/anthropic.ts";
import { createContentsCompactor } from "./drop-in/google-genai.ts";
import { createChatCompactor } from "./drop-in/openai-chat.ts";
import { createItemsCompactor } from "./drop-in/openai-responses.ts";
import type { CompactorOptions } from "./drop-in/request.ts";
import { createLearnedLimits } from "./learned-limits.ts";
import { createConversationKeys } from "./proxy/conversation-keys.ts";
import { createProxyCompaction } from "./proxy/proxy.ts";

const KEY = "sk-planted-0123456789abcdef";
const LIMITS = { contextWindowTokens: 200_000, maxOutputTokens: 2_000 };
const redact: NonNullable<CompactorOptions["redact"]> = (text) => text.split(KEY).join("[key]");
const options: CompactorOptions = { policy: PLIMSOLL_POLICY, limits: LIMITS, redact };
const thinking = { type: "thinking", thinking: `I saw ${KEY}.`, signature: "sealed" } as const;

type Fit = () => Promise<{ readonly sent: unknown; readonly again: unknown; readonly logs: unknown }>;

/** A compactor's array, fitted twice: what is sent, and what its log holds. */
const fitted =
  <Item>(compactor: { fit(items: readonly Item[]): Promise<Item[]>; conversations(): unknown }, items: readonly Item[]): Fit =>
  async () => ({ sent: await compactor.fit(items), again: await compactor.fit(items), logs: compactor.conversations() });

test.each<[string, Fit]>([
  [
    "messages of Anthropic",
    fitted(createMessagesCompactor(options), [
      { role: "user", content: `My key is ${KEY}.` },
      { role: "assistant", content: [thinking, { type: "text", text: "Noted." }] },
      { role: "user", content: [{ type: "text", text: KEY }] },
    ]),
  ],
  [
    "Chat Completions",
    fitted(createChatCompactor(options), [
      { role: "system", content: KEY },
      { role: "user", content: KEY },
    ]),
  ],
  ["Responses items", fitted(createItemsCompactor(options), [{ role: "user", content: `My key is ${KEY}.` }])],
  ["Gemini's contents", fitted(createContentsCompactor(options), [{ role: "user", parts: [{ text: KEY }] }])],
])("a planted key in %s is neither sent nor logged, and the conversation is found again", async (_, fit) => {
  const { sent, again, logs } = await fit();
  expect(JSON.stringify([sent, again, logs])).not.toContain("sk-planted");
  expect(JSON.stringify([sent, logs])).toContain("[key]");
  expect(JSON.stringify(sent)).not.toContain('"sealed"');
  expect(again).toEqual(sent);
  expect(logs).toHaveLength(1);
});

test("a planted key in a session's texts and results is neither sent nor stored", async () => {
  const sessions = createMemorySessionStore();
  const stored: string[] = [];
  const artifacts = { put: async (text: string) => `h${stored.push(text)}`, get: async () => null };
  const session = await createAnthropicSession({
    request: { model: "claude-opus-4-6", max_tokens: 2_000, tools: [{ name: "read", input_schema: { type: "object" } }] },
    system: `Use ${KEY}.`,
    limits: LIMITS,
    sessionId: "s",
    sessions,
    artifacts,
    redact,
  });
  session.user(`My key is ${KEY}.`);
  const use = { type: "tool_use", id: "t", name: "read", input: {}, caller: { type: "direct" } } as const;
  const sent: unknown[] = [];
  await session.send(async (request) => {
    sent.push(structuredClone(request));
    return { id: "m", model: "claude-opus-4-6", content: [use], usage: { input_tokens: 5, output_tokens: 5 } };
  });
  session.result("t", `KEY=${KEY}\n`.repeat(9_000));
  await session.close();
  const log = await sessions.read("s");
  expect(stored.length).toBe(1);
  expect(JSON.stringify([sent, stored, log])).not.toContain("sk-planted");
});

test("a planted key behind the proxy is not passed on, and a vendor's own request for a summary is", async () => {
  const compaction = createProxyCompaction({
    policy: PLIMSOLL_POLICY,
    limitsOf: () => LIMITS,
    sessions: null,
    keys: createConversationKeys([], async () => undefined),
    learned: createLearnedLimits(),
    redact,
  });
  const body = { model: "claude-opus-4-6", max_tokens: 100, messages: [{ role: "user", content: `My key is ${KEY}.` }] };
  const headers = { "x-api-key": "key" };
  const prepare = (asked: object) =>
    compaction.prepare({
      path: "/v1/messages",
      headers,
      bodyText: JSON.stringify(asked),
      signal: new AbortController().signal,
    });
  const prepared = await prepare(body);
  expect(prepared?.bodyText).toContain("[key]");
  expect(prepared?.bodyText).not.toContain("sk-planted");
  const own = await prepare({ ...body, compaction: { type: "summarize" } });
  expect(own?.kind).toBe("vendors");
  expect(own?.bodyText).toContain('"compaction":{"type":"summarize"}');
});
