import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { withId } from "@plimsoll/core/extend";
import { createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { proxyInMemory } from "../testing/proxy-in-memory.ts";
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

type Asked = { readonly [key: string]: unknown };
/** Wraps a model that answers with a word, with a history of its own or one that its vendor has, and asks it: the answer is read to its end. */
type Wrap = (
  options: CompactorOptions,
  history: "own" | "the vendor's",
  model: (request: Asked) => AIMessage,
) => (text: string) => unknown;

const bySdk =
  (wrap: "wrapGenerate" | "wrapStream"): Wrap =>
  (given, history, answer) => {
    const middleware = createCompactionMiddleware(given);
    const providerOptions = history === "own" ? {} : { openai: { previousResponseId: "r" } };
    const [doGenerate, doStream] = [answer, answer].map((ask) => async (request: Asked) => ask(request));
    const model = { modelId: "m", provider: "openai.responses", doGenerate, doStream };
    return (text) => {
      const params = { prompt: [{ role: "user", content: [{ type: "text", text }] }], providerOptions };
      return Reflect.apply(middleware[wrap], undefined, [{ model, params }]);
    };
  };
const byAgents =
  (respond: "getResponse" | "getStreamedResponse", inputOf: (text: string) => unknown): Wrap =>
  (given, history, answer) => {
    const getResponse = async (request: Asked) => answer(request);
    const getStreamedResponse = async function* (request: Asked) {
      yield answer(request);
    };
    const model = Reflect.apply(createCompactingModel, undefined, [{ getResponse, getStreamedResponse }, given]);
    const atVendor = history === "own" ? {} : { previousResponseId: "r" };
    return (text) => {
      const request = { input: inputOf(text), ...atVendor, modelSettings: {}, tools: [], handoffs: [] };
      const answered = model[respond](request);
      return respond === "getResponse" ? answered : answered.next();
    };
  };
const byLangChain: Wrap = (given, history, answer) => {
  const { wrapModelCall } = createLangChainMiddleware(given);
  const modelSettings = history === "own" ? {} : { conversation: "r" };
  return (text) => {
    const call = { messages: [new HumanMessage(text)], tools: [], model: {}, runtime: {}, modelSettings };
    return Reflect.apply(wrapModelCall ?? answer, undefined, [call, async (request: Asked) => answer(request)]);
  };
};
const WRAPPERS: readonly (readonly [string, Wrap])[] = [
  ["a prompt of the AI SDK", bySdk("wrapGenerate")],
  ["a streamed prompt of the AI SDK", bySdk("wrapStream")],
  ["an Agents model's text", byAgents("getResponse", (text) => text)],
  ["an Agents model's streamed items", byAgents("getStreamedResponse", (content) => [{ role: "user", content }])],
  ["a LangChain model's messages", byLangChain],
];

/** The model's requests, in their own keys. */
const noting = () => {
  const sent: unknown[] = [];
  const answer = ({ prompt, input, messages }: Asked) => {
    sent.push(prompt ?? input ?? messages);
    return Object.assign(new AIMessage("Noted."), {
      stream: new ReadableStream({ start: (controller) => controller.close() }),
    });
  };
  return { sent, answer };
};

test.each(WRAPPERS)("a planted key in %s is not sent, though the vendor has the history", async (_, wrap) => {
  const { sent, answer } = noting();
  await wrap(options, "the vendor's", answer)(KEY);
  expect(JSON.stringify(sent)).toContain("[key]");
  expect(JSON.stringify(sent)).not.toContain("sk-planted");
});

test("a planted key in results without their calls is not sent", async () => {
  const sent = await createChatCompactor(options).fit([{ role: "tool", tool_call_id: "c", content: `KEY=${KEY}` }]);
  expect(sent).toEqual([{ role: "tool", tool_call_id: "c", content: "KEY=[key]" }]);
});

const BROKEN: readonly (readonly [string, (text: string) => string])[] = [
  [
    "throws",
    () => {
      throw new Error("no");
    },
  ],
  ["changes what it redacted", (text) => `${text}!`],
  ["gives no text", () => Object(1)],
];
const FAILING = WRAPPERS.flatMap(([name, wrap]) =>
  (["own", "the vendor's"] as const).flatMap((history) =>
    BROKEN.map(([how, broken]) => [how, name, history, wrap, broken] as const),
  ),
);

test.each(FAILING)("a redactor that %s rejects %s (history: %s) with a typed error, and nothing is sent", async (...row) => {
  const [, , history, wrap, broken] = row;
  let isBroken = true;
  const { sent, answer } = noting();
  const ask = wrap({ ...options, redact: (text, where) => (isBroken ? broken(text) : redact(text, where)) }, history, answer);
  const typed = { code: "bad-input", message: expect.stringContaining("the redactor") };
  await expect(ask("Go on.")).rejects.toMatchObject(typed);
  expect(sent).toEqual([]);
  isBroken = false;
  await ask(KEY);
  expect(JSON.stringify(sent)).toContain("[key]");
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
  proxyInMemory({ limits: LIMITS, redact }).prepare({
    ...{ path, headers: { "x-api-key": "key" }, bodyText, signal: new AbortController().signal },
  });

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
