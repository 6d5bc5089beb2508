import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { withId } from "@plimsoll/core/extend";
import { createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { createAnthropicSession } from "./anthropic/session.ts";
import { createCompactionMiddleware } from "./drop-in/ai-sdk-middleware.ts";
import { createMessagesCompactor } from "./drop-in/anthropic.ts";
import { createArrayCompactor } from "./drop-in/array-compactor.ts";
import { createContentsCompactor } from "./drop-in/google-genai.ts";
import { createLangChainMiddleware } from "./drop-in/langchain.ts";
import { LANGCHAIN_MESSAGES } from "./drop-in/langchain-messages.ts";
import { createCompactingModel } from "./drop-in/openai-agents.ts";
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

/** Gives the prompts that a wrapper sends its model. */
const sentBy = async (call: (model: (request: { readonly [key: string]: unknown }) => Promise<object>) => Promise<unknown>) => {
  const sent: unknown[] = [];
  await call(async ({ prompt, input, messages }) => {
    sent.push(prompt ?? input ?? messages);
    return new AIMessage("Noted.");
  });
  return sent;
};

const bySdk = (wrap: "wrapGenerate" | "wrapStream") =>
  sentBy(async (doGenerate) => {
    const model = { modelId: "m", provider: "openai.responses", doGenerate, doStream: doGenerate };
    const prompt = [{ role: "user", content: [{ type: "text", text: KEY }] }];
    const params = { prompt, providerOptions: { openai: { previousResponseId: "r" } } };
    await Reflect.apply(createCompactionMiddleware(options)[wrap], undefined, [{ model, params }]);
  });
const byAgents = (respond: "getResponse" | "getStreamedResponse", input: unknown) =>
  sentBy(async (getResponse) => {
    const model = { getResponse, getStreamedResponse: getResponse };
    const made = Reflect.apply(createCompactingModel, undefined, [model, options]);
    const request = { input, previousResponseId: "r", modelSettings: {}, tools: [], handoffs: [] };
    await Reflect.apply(made[respond], undefined, [request]);
  });
const byLangChain = () =>
  sentBy(async (handler) => {
    const call = { messages: [new HumanMessage(KEY)], tools: [], model: {}, runtime: {} };
    const { wrapModelCall } = createLangChainMiddleware(options);
    await Reflect.apply(wrapModelCall ?? handler, undefined, [{ ...call, modelSettings: { conversation: "r" } }, handler]);
  });

test.each<[string, () => Promise<unknown>]>([
  [
    "results without their calls",
    () => createChatCompactor(options).fit([{ role: "tool", tool_call_id: "c", content: `KEY=${KEY}` }]),
  ],
  ["a prompt of the AI SDK", () => bySdk("wrapGenerate")],
  ["a streamed prompt of the AI SDK", () => bySdk("wrapStream")],
  ["an Agents model's text", () => byAgents("getResponse", KEY)],
  ["an Agents model's items", () => byAgents("getStreamedResponse", [{ role: "user", content: KEY }])],
  ["a LangChain model's messages", byLangChain],
])("a planted key in %s is not sent, though the vendor has the history", async (_, pass) => {
  const sent = JSON.stringify(await pass());
  expect(sent).toContain("[key]");
  expect(sent).not.toContain("sk-planted");
});

test("a redacted message of LangChain stays one", async () => {
  const [message] = await createArrayCompactor(LANGCHAIN_MESSAGES, options).fit([new HumanMessage(`My key is ${KEY}.`)]);
  expect(message).toBeInstanceOf(HumanMessage);
  expect(message?.content).toBe("My key is [key].");
});

test("a planted key in a tool is logged redacted, and changes no setup", async () => {
  const compactor = createChatCompactor(options);
  const tools = [{ type: "function", function: { name: "read", description: `Reads with ${KEY}.` } }];
  for (const _ of [1, 2]) await compactor.fit([{ role: "user", content: "Go on." }], { tools });
  const entries = compactor.conversations().flatMap((log) => log.entries);
  expect(entries.map(({ type }) => type)).not.toContain("setup-change");
  expect(JSON.stringify(entries)).toContain("Reads with [key].");
});

test("a planted key in a session's texts, tools and results is neither sent nor stored", async () => {
  const sessions = createMemorySessionStore();
  const stored: string[] = [];
  const artifacts = { put: async (text: string) => `h${stored.push(text)}`, get: async () => null };
  const session = await createAnthropicSession({
    request: {
      ...{ model: "claude-opus-4-6", max_tokens: 2_000 },
      tools: [{ name: "read", description: `Reads with ${KEY}.`, input_schema: { type: "object" } }],
    },
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
  session.result("t", `KEY=${KEY}\n`.repeat(18_000));
  await session.close();
  const log = await sessions.read("s");
  expect(stored.length).toBe(1);
  const text = { role: "user", origin: "human", parts: [{ type: "text", text: "My key is [key]." }], atMs: null } as const;
  expect(session.conversation.messageIds()[0]).toBe(withId(text, null).id);
  expect(JSON.stringify([sent, stored, log])).not.toContain("sk-planted");
  expect(log?.entries.map(({ type }) => type)).not.toContain("setup-change");
});

/** Prepares a request behind a new proxy. */
const prepareAt = (path: string, bodyText: string) =>
  createProxyCompaction({
    policy: PLIMSOLL_POLICY,
    limitsOf: () => LIMITS,
    sessions: null,
    keys: createConversationKeys([], async () => undefined),
    learned: createLearnedLimits(),
    redact,
  }).prepare({ path, headers: { "x-api-key": "key" }, bodyText, signal: new AbortController().signal });

test("a planted key behind the proxy is not passed on, and a vendor's own request for a summary is", async () => {
  const body = { model: "claude-opus-4-6", max_tokens: 100, messages: [{ role: "user", content: `My key is ${KEY}.` }] };
  const prepare = (asked: object) => prepareAt("/v1/messages", JSON.stringify(asked));
  const prepared = await prepare(body);
  expect(prepared?.bodyText).toContain("[key]");
  expect(prepared?.bodyText).not.toContain("sk-planted");
  const own = await prepare({ ...body, compaction: { type: "summarize" } });
  expect(own?.kind).toBe("vendors");
  expect(own?.bodyText).toContain('"compaction":{"type":"summarize"}');
});

test("a planted key in a request of one text is not passed on", async () => {
  const prepared = await prepareAt("/v1/responses", JSON.stringify({ model: "gpt-5", input: `My key is ${KEY}.` }));
  expect(prepared?.bodyText).toBe(JSON.stringify({ model: "gpt-5", input: "My key is [key]." }));
});

test.each([
  ["at a path of no history", "/v1/messages/count_tokens", JSON.stringify({ messages: [{ role: "user", content: KEY }] })],
  ["in a body that is no JSON", "/v1/messages", `{"messages": ["${KEY}"`],
])("a planted key %s cannot be redacted: the proxy throws", async (_, path, bodyText) => {
  await expect(prepareAt(path, bodyText)).rejects.toMatchObject({ code: "bad-input" });
});
