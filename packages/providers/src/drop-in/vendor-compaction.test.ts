import type Anthropic from "@anthropic-ai/sdk";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import type { LanguageModelMiddleware } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { expect, test } from "vitest";
import { createCompactionMiddleware } from "./ai-sdk.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import { LANGCHAIN_MESSAGES } from "./langchain-messages.ts";
import { createItemsCompactor } from "./openai-responses.ts";
import type { ResponseItem } from "./response-items.ts";

type Params = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0]["params"];

const LONG = "text of a file;\n".repeat(400);
const within = (contextWindowTokens: number, maxOutputTokens: number) => ({
  policy: PLIMSOLL_POLICY,
  limits: { contextWindowTokens, maxOutputTokens },
});
const [wide, narrow] = [within(200_000, 2_000), within(8_000, 500)];
type Limited = typeof wide;

/** Items with the server's compaction near the beginning, and much after it. */
const items: readonly ResponseItem[] = [
  { role: "user", content: "Read all files." },
  { type: "compaction", encrypted_content: "c2VhbGVk" },
  ...Array.from({ length: 30 }, (_, index): readonly ResponseItem[] => [
    { type: "function_call", call_id: `call_${index}`, name: "read_file", arguments: "{}" },
    { type: "function_call_output", call_id: `call_${index}`, output: LONG },
  ]).flat(),
  { role: "user", content: "Go on." },
];

/** The same on the Messages wire: the vendor's SDK has the block's type in its beta part. */
const block: object = { type: "compaction", content: "what the server wrote" };
const messages: readonly Anthropic.MessageParam[] = [
  { role: "user", content: "Read all files." },
  { role: "assistant", content: [Object.assign({ type: "text" as const, text: "" }, block)] },
  ...Array.from({ length: 30 }, (_, index): readonly Anthropic.MessageParam[] => [
    { role: "assistant", content: [{ type: "tool_use", id: `toolu_${index}`, name: "read_file", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${index}`, content: LONG }] },
  ]).flat(),
];

const compacted = {
  type: "text",
  text: "what the server wrote",
  providerOptions: { anthropic: { type: "compaction" } },
} as const;

/** The same in the AI SDK's prompts, as its provider for this vendor reads an answer into them. */
const prompt: Params["prompt"] = [
  { role: "user", content: [{ type: "text", text: "Read all files." }] },
  ...Array.from({ length: 30 }, (_, index): Params["prompt"] => {
    const call = { toolCallId: `call_${index}`, toolName: "read_file" };
    return [
      { role: "assistant", content: [...(index === 0 ? [compacted] : []), { type: "tool-call", ...call, input: {} }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: LONG } }] },
    ];
  }).flat(),
];

/** The prompt that reaches the model through the middleware. */
async function throughMiddleware(options: Limited): Promise<readonly unknown[]> {
  let sent: readonly unknown[] = [];
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt: given }) => {
      sent = given;
      return {
        content: [],
        finishReason: { unified: "stop", raw: "stop" },
        usage: { inputTokens: NO_INPUT, outputTokens: { total: 1, text: 1, reasoning: 0 } },
        warnings: [],
      };
    },
  });
  const params: Params = { prompt };
  const [doGenerate, doStream] = [() => model.doGenerate(params), () => model.doStream(params)];
  await createCompactionMiddleware(options).wrapGenerate({ params, model, doGenerate, doStream });
  return sent;
}

const NO_INPUT = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };

/** The same in LangChain's messages: as a block, and as an item that was kept of an answer. */
const langChain = (first: BaseMessage): readonly BaseMessage[] => [
  new HumanMessage("Read all files."),
  first,
  ...Array.from({ length: 30 }, (_, index): readonly BaseMessage[] => [
    new AIMessage({ content: "", tool_calls: [{ id: `call_${index}`, name: "read_file", args: {}, type: "tool_call" }] }),
    new ToolMessage({ content: LONG, tool_call_id: `call_${index}`, name: "read_file" }),
  ]).flat(),
];
const asBlock = langChain(new AIMessage({ content: [{ type: "compaction", content: "what the server wrote" }] }));
const asItem = langChain(
  new AIMessage({ content: "", response_metadata: { output: [{ type: "compaction", encrypted_content: "c2VhbGVk" }] } }),
);

const rows: readonly (readonly [string, (options: Limited) => Promise<readonly unknown[]>, readonly unknown[]])[] = [
  ["Responses", (options) => createItemsCompactor(options).fit(items), items],
  ["Messages", (options) => createMessagesCompactor(options).fit(messages), messages],
  ["AI SDK", throughMiddleware, prompt],
  ["LangChain, a block", (options) => createArrayCompactor(LANGCHAIN_MESSAGES, options).fit(asBlock), asBlock],
  ["LangChain, an answer's item", (options) => createArrayCompactor(LANGCHAIN_MESSAGES, options).fit(asItem), asItem],
];

test.each(rows)("%s: an array with the vendor's compaction that fits goes through untouched", async (_, fit, own) => {
  const sent = await fit(wide);
  expect(sent.length).toBe(own.length);
  expect(sent.every((item, index) => item === own[index])).toBe(true);
});

test.each(rows)("%s: with compaction off it goes through whatever its size", async (_, fit, own) => {
  expect((await fit({ ...narrow, policy: NONE_POLICY })).length).toBe(own.length);
});

test.each(rows)("%s: rather than cut it away the request is refused, with what to do", async (_, fit) => {
  await expect(fit(narrow)).rejects.toMatchObject({
    code: "unsendable",
    details: { reason: "vendor-compaction" },
    message: expect.stringContaining("leave compaction to the vendor (policy none), or switch the vendor's off"),
  });
});
