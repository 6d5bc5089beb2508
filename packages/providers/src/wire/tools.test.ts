import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, test } from "vitest";
import { createAnthropicSession } from "../anthropic/session.ts";
import { createCompactionMiddleware } from "../drop-in/ai-sdk-middleware.ts";
import { createMessagesCompactor } from "../drop-in/anthropic.ts";
import { createChatCompactor } from "../drop-in/openai-chat.ts";
import { createItemsCompactor } from "../drop-in/openai-responses.ts";
import { createChatSession } from "../openai-chat/session.ts";
import { createResponsesSession } from "../openai-responses/session.ts";
import { toolSpecsOf } from "./tools.ts";

const options = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 100_000, maxOutputTokens: 1_000 } };
const SPEC = { name: "read", description: "Reads.", parametersJson: "{}" };

/** Tools as JavaScript may hand them over. */
const untyped = (tools: unknown) => JSON.parse(JSON.stringify(tools));

const takers: readonly (readonly [string, (tools: unknown) => Promise<unknown>])[] = [
  ["the Messages drop-in", (tools) => createMessagesCompactor(options).fit([], { tools: untyped(tools) })],
  ["the Chat drop-in", (tools) => createChatCompactor(options).fit([], { tools: untyped(tools) })],
  ["the Responses drop-in", (tools) => createItemsCompactor(options).fit([], { tools: untyped(tools) })],
  [
    "the middleware",
    async (tools) => {
      const params = { prompt: [], tools: untyped(tools) };
      const model = new MockLanguageModelV3();
      const doGenerate = () => model.doGenerate(params);
      await createCompactionMiddleware(options).wrapGenerate({
        params,
        model,
        doGenerate,
        doStream: () => model.doStream(params),
      });
    },
  ],
  [
    "a Messages session",
    (tools) => createAnthropicSession({ request: { model: "claude-haiku-5-5", max_tokens: 1_000, tools: untyped(tools) } }),
  ],
  ["a Chat session", (tools) => createChatSession({ request: { model: "gpt-5", tools: untyped(tools) } })],
  ["a Responses session", (tools) => createResponsesSession({ request: { model: "gpt-5", tools: untyped(tools) } })],
];

describe.each(takers)("%s refuses", (_, take) => {
  test.each<[string, unknown, string]>([
    ["tools that are no list", { read: SPEC }, "tools"],
    ["an entry null", [SPEC, null], "tools[1]"],
    ["an entry that is a name", [SPEC, "read"], "tools[1]"],
    ["a tool without a name", [{ description: "Reads." }], "tools[0].name"],
  ])("%s, and says where", async (_, tools, place) => {
    await expect(take(tools)).rejects.toMatchObject({ code: "bad-input", details: { place } });
  });
});

test.each<[string, unknown, string]>([
  ["a description that is none", { ...SPEC, description: undefined }, "tools[0].description"],
  ["a schema that is no text", { ...SPEC, parametersJson: 3 }, "tools[0].parametersJson"],
])("a drop-in refuses %s, and says where", async (_, tool, place) => {
  const fitted = createChatCompactor(options).fit([], { tools: untyped([tool]) });
  await expect(fitted).rejects.toMatchObject({ code: "bad-input", details: { place } });
});

const schema = { type: "object" };
const read = { name: "read", description: "", parametersJson: JSON.stringify(schema) };

test.each<[string, unknown, object]>([
  ["Messages", { name: "read", input_schema: schema }, read],
  ["Chat Completions", { type: "function", function: { name: "read", parameters: schema } }, read],
  ["Chat Completions, a custom one", { type: "custom", custom: { name: "read" } }, { name: "read" }],
  ["Responses", { type: "function", name: "read", parameters: schema, strict: false }, read],
  ["the AI SDK", { type: "function", name: "read", inputSchema: schema }, read],
  ["a tool of the vendor", { type: "web_search" }, { name: "web_search", parametersJson: '{"type":"web_search"}' }],
])("a tool of %s in our terms", (_, tool, spec) => {
  expect(toolSpecsOf([tool])).toMatchObject([spec]);
});
