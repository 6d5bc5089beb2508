import { aiSdkImporter } from "../src/formats/message-lists/ai-sdk.ts";
import { anthropicMessagesImporter } from "../src/formats/message-lists/anthropic.ts";
import { langChainImporter } from "../src/formats/message-lists/langchain.ts";
import { openAiChatImporter } from "../src/formats/message-lists/openai-chat.ts";
import { openAiResponsesImporter } from "../src/formats/message-lists/openai-responses.ts";
import type { ImporterSubject } from "../src/testing/importer-contract.ts";

/** Arguments that name a file, quote a text that they replace, and write a plan: measures can see the parts that a format passes on. */
export const ARGS: Readonly<Record<string, unknown>> = {
  path: "a.ts",
  old_string: "x",
  new_string: "y",
  todos: [{ content: "t", status: "pending" }],
};

const THINKING = { type: "thinking", thinking: "t", signature: "s" };

/** A message list in the form of each API, with a call and its result, made from the vendors' documentation. */
export const MESSAGE_LIST_SUBJECTS: readonly ImporterSubject[] = [
  {
    importer: langChainImporter,
    text: JSON.stringify([
      { type: "human", data: { content: "q" } },
      {
        type: "ai",
        data: {
          ...{ content: [{ type: "thinking", thinking: "t" }] },
          usage_metadata: { input_tokens: 3, output_tokens: 1, input_token_details: { cache_read: 1, cache_creation: 1 } },
          tool_calls: [{ id: "c", name: "read", args: ARGS }],
        },
      },
      { type: "tool", data: { tool_call_id: "c", content: "x" } },
    ]),
  },
  {
    importer: aiSdkImporter,
    text: JSON.stringify([
      { role: "user", content: "q" },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "t" },
          { type: "tool-call", toolCallId: "c", toolName: "read", input: ARGS },
        ],
        usage: { inputTokens: 3, outputTokens: 1, inputTokenDetails: { cacheReadTokens: 1, cacheWriteTokens: 1 } },
      },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", output: { type: "text", value: "x" } }] },
    ]),
  },
  {
    importer: openAiResponsesImporter,
    text: JSON.stringify([
      { role: "user", content: "q" },
      { type: "reasoning", summary: [{ type: "summary_text", text: "t" }] },
      { type: "function_call", call_id: "c", name: "read", arguments: JSON.stringify(ARGS) },
      { type: "function_call_output", call_id: "c", output: "x" },
    ]),
  },
  {
    importer: anthropicMessagesImporter,
    text: JSON.stringify([
      { role: "user", content: "q" },
      { role: "assistant", content: [THINKING, { type: "tool_use", id: "c", name: "read", input: ARGS }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "x" }] },
    ]),
  },
  {
    importer: openAiChatImporter,
    text: JSON.stringify([
      { role: "user", content: "q" },
      { role: "assistant", tool_calls: [{ id: "c", function: { name: "read", arguments: JSON.stringify(ARGS) } }] },
      { role: "tool", tool_call_id: "c", content: "x" },
    ]),
  },
];
