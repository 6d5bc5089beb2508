import { GenerateContentResponse } from "@google/genai";
import { AIMessage, type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { usageOf } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { PROMPTS } from "../src/drop-in/ai-sdk-middleware.ts";
import { createMessagesCompactor } from "../src/drop-in/anthropic.ts";
import { createArrayCompactor } from "../src/drop-in/array-compactor.ts";
import { createContentsCompactor } from "../src/drop-in/google-genai.ts";
import { LANGCHAIN_MESSAGES } from "../src/drop-in/langchain-messages.ts";
import { createAgentItemsCompactor } from "../src/drop-in/openai-agents.ts";
import { createChatCompactor } from "../src/drop-in/openai-chat.ts";
import { createItemsCompactor } from "../src/drop-in/openai-responses.ts";
import { OPENCODE_MESSAGES } from "../src/drop-in/opencode.ts";
import { PI_MESSAGES } from "../src/drop-in/pi.ts";
import type { ObservedAnswer } from "../src/drop-in/wire-array.ts";
import { type Fields, numberAt, recordAt, stringAt } from "../src/fields.ts";
import type { ArrayContractCase, ArraySubject, ContractTurn } from "../src/testing/index.ts";
import { anthropicAnswer, chatAnswer, responsesAnswer } from "./array-drop-ins.ts";
import { type FormName, openCodeInfo, turnItems } from "./item-forms.ts";

/** A kind of array that runs the public contract. */
export interface ContractRow {
  readonly name: string;
  readonly run: (contractCase: ArrayContractCase) => Promise<void>;
}

/** All kinds of arrays that drop-ins take. */
export const ARRAY_ROWS: readonly ContractRow[] = [
  row("Anthropic messages", "anthropic", {
    create: createMessagesCompactor,
    answer: anthropicAnswer,
    declared: (content) => ({ role: "system", content }) as const,
  }),
  row("Chat Completions messages", "openai-chat", {
    create: createChatCompactor,
    answer: chatAnswer,
    declared: (content) => ({ role: "system", content }) as const,
  }),
  row("Chat Completions messages with a developer", "openai-chat", {
    create: createChatCompactor,
    answer: chatAnswer,
    declared: (text) => ({ role: "developer" as const, content: [{ type: "text" as const, text }] }),
  }),
  row("Responses items", "openai-responses", {
    create: createItemsCompactor,
    answer: responsesAnswer,
    declared: (text) => ({ role: "developer" as const, content: [{ type: "input_text" as const, text }] }),
  }),
  row("Responses items with tools that are added", "openai-responses", {
    create: createItemsCompactor,
    answer: responsesAnswer,
    declared: (description) => ({
      type: "additional_tools" as const,
      role: "developer" as const,
      tools: [{ type: "custom" as const, name: "more", description }],
    }),
  }),
  row("Gemini contents", "gemini", { create: createContentsCompactor, answer: geminiAnswer }),
  row("LangChain messages", "langchain", {
    create: (options) => createArrayCompactor(LANGCHAIN_MESSAGES, options),
    answer: langChainAnswer,
    declared: (text) => new SystemMessage(text),
  }),
  row("OpenAI Agents items", "agents", {
    create: createAgentItemsCompactor,
    answer: agentAnswer,
    declared: (content) => ({ role: "system", content }) as const,
  }),
  row("AI SDK prompts", "ai-sdk", {
    create: (options) => createArrayCompactor({ ...PROMPTS, observed: aiSdkObserved }, options),
    answer: (id, tokens) => ({ id, tokens }),
    declared: (content) => ({ role: "system", content }) as const,
  }),
  row("OpenCode's messages", "opencode", {
    create: (options) => createArrayCompactor(OPENCODE_MESSAGES, options),
    answer: (id, input) => ({ info: openCodeInfo("assistant", { id, ...openCodeUsage(input) }), parts: [] }),
    unanswered: (sent) =>
      sent.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          part.type === "tool" && recordAt(part, "state")?.status === "pending" ? [String(part.callID)] : [],
        ),
      ),
  }),
  row("pi's messages", "pi", {
    create: (options) => createArrayCompactor(PI_MESSAGES, options),
    answer: piAnswer,
  }),
];

function row<Item, Answer>(name: string, form: FormName, own: Omit<ArraySubject<Item, Answer>, "items">): ContractRow {
  const items = (turns: readonly ContractTurn[]): Item[] => turns.flatMap(turnItems(form));
  return { name, run: (contractCase) => contractCase.run({ ...own, items }, createMemorySessionStore) };
}

function aiSdkObserved(answer: unknown): ObservedAnswer {
  const usage = usageOf({ totalInputTokens: numberAt(answer, "tokens") });
  return { requestId: stringAt(answer, "id") ?? "", modelId: "simulated", usage };
}

function geminiAnswer(responseId: string, promptTokenCount: number): GenerateContentResponse {
  const usageMetadata = { promptTokenCount, candidatesTokenCount: 10, totalTokenCount: promptTokenCount + 10 };
  return Object.assign(new GenerateContentResponse(), { responseId, modelVersion: "simulated", usageMetadata });
}

function langChainAnswer(id: string, input_tokens: number): BaseMessage {
  const usage_metadata = { input_tokens, output_tokens: 10, total_tokens: input_tokens + 10 };
  return Object.assign(new AIMessage({ id, content: "seen" }), { usage_metadata });
}

function agentAnswer(responseId: string, inputTokens: number): unknown {
  const usage = {
    inputTokens,
    outputTokens: 10,
    totalTokens: inputTokens + 10,
    inputTokensDetails: [],
    outputTokensDetails: [],
  };
  return { responseId, usage, output: [] };
}

/** The usage of a reply, as OpenCode keeps it. */
export function openCodeUsage(input: number): Fields {
  return { tokens: { input, output: 10, reasoning: 0, cache: { read: 0, write: 0 } } };
}

function piAnswer(responseId: string, input: number): Fields {
  const usage = { input, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: input + 10 };
  return { role: "assistant", content: [{ type: "text", text: "seen" }], responseId, model: "simulated", usage };
}
