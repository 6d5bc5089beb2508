import { type Content, GenerateContentResponse } from "@google/genai";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { AgentInputItem } from "@openai/agents-core";
import { usageOf } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { PROMPTS, type PromptMessage } from "../src/drop-in/ai-sdk-middleware.ts";
import { createMessagesCompactor } from "../src/drop-in/anthropic.ts";
import { createArrayCompactor } from "../src/drop-in/array-compactor.ts";
import { createContentsCompactor } from "../src/drop-in/google-genai.ts";
import { LANGCHAIN_MESSAGES } from "../src/drop-in/langchain-messages.ts";
import { createAgentItemsCompactor } from "../src/drop-in/openai-agents.ts";
import { createChatCompactor } from "../src/drop-in/openai-chat.ts";
import { createItemsCompactor } from "../src/drop-in/openai-responses.ts";
import { OPENCODE_MESSAGES } from "../src/drop-in/opencode.ts";
import type { OpenCodeMessage } from "../src/drop-in/opencode-written.ts";
import { PI_MESSAGES } from "../src/drop-in/pi.ts";
import type { ObservedAnswer } from "../src/drop-in/wire-array.ts";
import { type Fields, numberAt, recordAt, stringAt } from "../src/fields.ts";
import type { ArrayContractCase, ArraySubject, ContractTurn } from "../src/testing/index.ts";
import {
  anthropicAnswer,
  anthropicItems,
  chatAnswer,
  chatItems,
  promptItems,
  responsesAnswer,
  responsesItems,
} from "./array-drop-ins.ts";

/** A kind of array that runs the public contract. */
export interface ContractRow {
  readonly name: string;
  readonly run: (contractCase: ArrayContractCase) => Promise<void>;
}

/** All kinds of arrays that drop-ins take. */
export const ARRAY_ROWS: readonly ContractRow[] = [
  row("Anthropic messages", {
    create: createMessagesCompactor,
    items: (turns) => turns.flatMap(anthropicItems),
    answer: anthropicAnswer,
    declared: (content) => ({ role: "system", content }) as const,
  }),
  row("Chat Completions messages", {
    create: createChatCompactor,
    items: (turns) => turns.flatMap(chatItems),
    answer: chatAnswer,
    declared: (content) => ({ role: "system", content }) as const,
  }),
  row("Chat Completions messages with a developer", {
    create: createChatCompactor,
    items: (turns) => turns.flatMap(chatItems),
    answer: chatAnswer,
    declared: (text) => ({ role: "developer" as const, content: [{ type: "text" as const, text }] }),
  }),
  row("Responses items", {
    create: createItemsCompactor,
    items: (turns) => turns.flatMap(responsesItems),
    answer: responsesAnswer,
    declared: (text) => ({ role: "developer" as const, content: [{ type: "input_text" as const, text }] }),
  }),
  row("Responses items with tools that are added", {
    create: createItemsCompactor,
    items: (turns) => turns.flatMap(responsesItems),
    answer: responsesAnswer,
    declared: (description) => ({
      type: "additional_tools" as const,
      role: "developer" as const,
      tools: [{ type: "custom" as const, name: "more", description }],
    }),
  }),
  row("Gemini contents", {
    create: createContentsCompactor,
    items: (turns) => turns.flatMap(geminiItems),
    answer: geminiAnswer,
  }),
  row("LangChain messages", {
    create: (options) => createArrayCompactor(LANGCHAIN_MESSAGES, options),
    items: (turns) => turns.flatMap(langChainItems),
    answer: langChainAnswer,
    declared: (text) => new SystemMessage(text),
  }),
  row("OpenAI Agents items", {
    create: createAgentItemsCompactor,
    items: (turns) => turns.flatMap(agentItems),
    answer: agentAnswer,
    declared: (content) => ({ role: "system", content }) as const,
  }),
  row("AI SDK prompts", {
    create: (options) => createArrayCompactor({ ...PROMPTS, observed: aiSdkObserved }, options),
    items: (turns) => turns.flatMap((turn): readonly PromptMessage[] => promptItems(turn)),
    answer: (id, tokens) => ({ id, tokens }),
    declared: (content) => ({ role: "system", content }) as const,
  }),
  row("OpenCode's messages", {
    create: (options) => createArrayCompactor(OPENCODE_MESSAGES, options),
    items: (turns) => turns.flatMap(openCodeItems),
    answer: (id, input) => ({ info: openCodeInfo("assistant", { id, ...openCodeUsage(input) }), parts: [] }),
    unanswered: (sent) =>
      sent.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          part.type === "tool" && recordAt(part, "state")?.status === "pending" ? [String(part.callID)] : [],
        ),
      ),
  }),
  row("pi's messages", {
    create: (options) => createArrayCompactor(PI_MESSAGES, options),
    items: (turns) => turns.flatMap(piItems),
    answer: piAnswer,
  }),
];

function row<Item, Answer>(name: string, subject: ArraySubject<Item, Answer>): ContractRow {
  return { name, run: (contractCase) => contractCase.run(subject, createMemorySessionStore) };
}

function aiSdkObserved(answer: unknown): ObservedAnswer {
  const usage = usageOf({ totalInputTokens: numberAt(answer, "tokens") });
  return { requestId: stringAt(answer, "id") ?? "", modelId: "simulated", usage };
}

function geminiItems(turn: ContractTurn): readonly Content[] {
  if (turn.kind === "human")
    return [
      ...(turn.before === null ? [] : [{ role: "model", parts: [{ text: turn.before }] }]),
      { role: "user", parts: [{ text: turn.text }] },
    ];
  const { callId: id, path, said, result: output } = turn;
  const name = "read_file";
  return [
    { role: "model", parts: [{ text: said }, { functionCall: { id, name, args: { path } }, thoughtSignature: "c2VhbGVk" }] },
    { role: "user", parts: [{ functionResponse: { id, name, response: { output } } }] },
  ];
}

function geminiAnswer(responseId: string, promptTokenCount: number): GenerateContentResponse {
  const usageMetadata = { promptTokenCount, candidatesTokenCount: 10, totalTokenCount: promptTokenCount + 10 };
  return Object.assign(new GenerateContentResponse(), { responseId, modelVersion: "simulated", usageMetadata });
}

function langChainItems(turn: ContractTurn): readonly BaseMessage[] {
  if (turn.kind === "human")
    return [...(turn.before === null ? [] : [new AIMessage(turn.before)]), new HumanMessage(turn.text)];
  const { callId: id, path, said, result: content } = turn;
  const name = "read_file";
  return [
    new AIMessage({ content: said, tool_calls: [{ id, name, args: { path }, type: "tool_call" }] }),
    new ToolMessage({ content, tool_call_id: id, name }),
  ];
}

function langChainAnswer(id: string, input_tokens: number): BaseMessage {
  const usage_metadata = { input_tokens, output_tokens: 10, total_tokens: input_tokens + 10 };
  return Object.assign(new AIMessage({ id, content: "seen" }), { usage_metadata });
}

function agentItems(turn: ContractTurn): readonly AgentInputItem[] {
  if (turn.kind === "human")
    return [...(turn.before === null ? [] : [agentReply(turn.before)]), { role: "user", content: turn.text }];
  const { callId, path, said, result: output } = turn;
  const name = "read_file";
  return [
    agentReply(said),
    { type: "function_call", callId, name, arguments: JSON.stringify({ path }), status: "completed" },
    { type: "function_call_result", callId, name, status: "completed", output },
  ];
}

function agentReply(text: string): AgentInputItem {
  return { role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
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

/** A turn as OpenCode hands it to plugins: a call's result is in the reply that has the call. */
export function openCodeItems(turn: ContractTurn): readonly OpenCodeMessage[] {
  const reply = (...parts: readonly Fields[]) => ({
    info: openCodeInfo("assistant", {}),
    parts: [{ type: "step-start" }, ...parts, { type: "step-finish", reason: "tool-calls" }],
  });
  if (turn.kind === "human")
    return [
      ...(turn.before === null ? [] : [reply({ type: "text", text: turn.before })]),
      { info: openCodeInfo("user", {}), parts: [{ type: "text", text: turn.text }] },
    ];
  const { callId: callID, path, said, result: output } = turn;
  const state = { status: "completed", input: { path }, output, title: path, metadata: {}, time: { start: 1, end: 1 } };
  return [reply({ type: "text", text: said }, { type: "tool", callID, tool: "read", state })];
}

/** The fields that OpenCode keeps of a message. */
export function openCodeInfo(role: "user" | "assistant", more: Fields): Fields {
  const model = { providerID: "simulated", modelID: "simulated-model" };
  return { id: "msg_1", sessionID: "ses_1", role, time: { created: 1 }, ...(role === "user" ? { model } : model), ...more };
}

/** The usage of a reply, as OpenCode keeps it. */
export function openCodeUsage(input: number): Fields {
  return { tokens: { input, output: 10, reasoning: 0, cache: { read: 0, write: 0 } } };
}

function piItems(turn: ContractTurn): readonly Fields[] {
  const reply = (...content: readonly Fields[]) => ({ role: "assistant", content, timestamp: 1 });
  if (turn.kind === "human")
    return [
      ...(turn.before === null ? [] : [reply({ type: "text", text: turn.before })]),
      { role: "user", content: turn.text, timestamp: 1 },
    ];
  const { callId: id, path, said, result: text } = turn;
  const name = "read_file";
  return [
    reply({ type: "text", text: said }, { type: "toolCall", id, name, arguments: { path } }),
    { role: "toolResult", toolCallId: id, toolName: name, isError: false, content: [{ type: "text", text }], timestamp: 1 },
  ];
}

function piAnswer(responseId: string, input: number): Fields {
  const usage = { input, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: input + 10 };
  return { role: "assistant", content: [{ type: "text", text: "seen" }], responseId, model: "simulated", usage };
}
