import { expect, test } from "vitest";
import type { Fields } from "../fields.ts";
import { createBodyReader } from "./body-reader.ts";
import { createConversationKeys } from "./conversation-keys.ts";
import { readRequest } from "./read-request.ts";
import { wireAt } from "./wires.ts";

const user = { role: "user", content: "look" };
const model = { role: "assistant", content: "I look" };
const tools = [{ name: "shell", input_schema: { type: "object" } }];
const chatTools = [{ type: "function", function: { name: "shell", parameters: {} } }];
const trigger = { type: "compaction_trigger" };
const brought = { type: "additional_tools", role: "developer", tools: chatTools };
const told = { type: "message", role: "developer", content: "Give it a title." };
const geminiUser = { role: "user", parts: [{ text: "x" }] };
const geminiModel = { role: "model", parts: [{ text: "y" }] };
const result = { role: "tool", tool_call_id: "c1", content: "one file" };
const loop = "/v1beta/models/g:generateContent";

test.each<[string, string, Fields, "known" | "new", string]>([
  ["a first message with tools", "/v1/messages", { messages: [user], tools }, "new", "main"],
  ["a first message whose tools are an item", "/v1/responses", { input: [brought, user] }, "new", "main"],
  ["a later one whose tools are an item", "/v1/responses", { input: [brought, user, model, user] }, "known", "main"],
  ["a title beside a developer's message", "/v1/responses", { input: [told, user] }, "new", "side"],
  ["a later one with tools", "/v1/messages", { messages: [user, model, user], tools }, "known", "main"],
  ["a title: no tools, no history", "/v1/chat/completions", { messages: [user] }, "new", "side"],
  ["a conversation without tools", "/v1/chat/completions", { messages: [user, model, user] }, "new", "main"],
  ["a summary: a known history, no tools", "/v1/chat/completions", { messages: [user, model, user] }, "known", "on-top"],
  [
    "a check in a given form",
    "/v1/chat/completions",
    { messages: [user, model], tools: chatTools, response_format: { type: "json_schema" } },
    "known",
    "side",
  ],
  [
    "plain text is no given form",
    "/v1/chat/completions",
    { messages: [user, model], tools: chatTools, response_format: { type: "text" } },
    "known",
    "main",
  ],
  ["Gemini's check of a loop", loop, { contents: [geminiUser], generationConfig: { responseJsonSchema: {} } }, "new", "side"],
  [
    "Anthropic's own compaction",
    "/v1/messages",
    { messages: [user], tools, context_management: { edits: [{ type: "compact_20260112" }] } },
    "known",
    "vendors",
  ],
  [
    "Anthropic's clearing stands beside ours",
    "/v1/messages",
    { messages: [user], tools, context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
    "known",
    "main",
  ],
  ["a history that the vendor keeps", "/v1/responses", { input: [user], previous_response_id: "r" }, "known", "vendors"],
  ["a conversation that the vendor keeps", "/v1/responses", { input: [user], conversation: "c" }, "known", "vendors"],
  [
    "results whose calls another has, on Chat",
    "/v1/chat/completions",
    { messages: [result], tools: chatTools },
    "new",
    "vendors",
  ],
  ["results behind their calls", "/v1/chat/completions", { messages: [user, model, result], tools: chatTools }, "new", "main"],
  ["a cache of documents before a history", loop, { contents: [geminiUser, geminiModel], cachedContent: "c" }, "known", "main"],
  ["a cache of a history's beginning", loop, { contents: [geminiModel, geminiUser], cachedContent: "c" }, "known", "vendors"],
  [
    "a vendor's threshold",
    "/v1/responses",
    { input: [user], context_management: [{ type: "compaction" }] },
    "known",
    "vendors",
  ],
  ["the vendor's compaction on demand", "/v1/responses", { input: [user, model, trigger], tools }, "known", "on-top"],
  ["the vendor's compaction by its address", "/v1/responses/compact", { input: [user, model], tools }, "known", "on-top"],
])("%s", (_, path, body, known, expected) => {
  const keys = { has: () => known === "known", keyFor: async () => null };
  const { signal } = new AbortController();
  const read = readRequest({ path, headers: {}, bodyText: JSON.stringify(body), signal }, keys, createBodyReader());
  expect(read?.kind).toBe(expected);
});

test.each([
  ["/v1/messages", "anthropic"],
  ["/v1/messages/count_tokens", null],
  ["/chat/completions", "openai-chat"],
  ["/openai/v1/responses", "openai-responses"],
  ["/v1/responses/resp_1", null],
  ["/v1beta/models/gemini-3:streamGenerateContent", "gemini"],
  ["/v1beta/models/gemini-3:countTokens", null],
  ["/v1/models", null],
])("%s is %s", (path, name) => {
  expect(wireAt(path)?.name ?? null).toBe(name);
});

test.each<[string, string, readonly Fields[], readonly Fields[]]>([
  ["a mark of the cache", "/v1/messages", [user, { ...model, cache_control: { type: "ephemeral" } }], [user, model]],
  [
    "a signature",
    loop,
    [geminiUser, { role: "model", parts: [{ text: "y", thoughtSignature: "s" }] }],
    [geminiUser, { role: "model", parts: [{ text: "y" }] }],
  ],
  [
    "a signature on Chat",
    "/v1/chat/completions",
    [user, { ...model, extra_content: { google: { thought_signature: "s" } } }],
    [user, model],
  ],
])("%s that comes and goes leaves a conversation what it is", (_, path, before, after) => {
  const keys = createConversationKeys([], async () => undefined);
  const { signal } = new AbortController();
  const openings = [before, after].map((items) => {
    const bodyText = JSON.stringify(path === loop ? { contents: items } : { messages: items });
    return readRequest({ path, headers: {}, bodyText, signal }, keys, createBodyReader())?.signs.opening;
  });
  expect(openings).toEqual([expect.any(String), openings[0]]);
});
