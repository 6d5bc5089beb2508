import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { isRecord } from "@plimsoll/core/extend";
import { PROMPTS } from "../src/drop-in/ai-sdk-middleware.ts";
import { createArrayCompactor } from "../src/drop-in/array-compactor.ts";
import { LANGCHAIN_MESSAGES } from "../src/drop-in/langchain-messages.ts";
import { createAgentItemsCompactor } from "../src/drop-in/openai-agents.ts";
import type { CompactorOptions } from "../src/drop-in/request.ts";
import { type Fields, recordsAt } from "../src/fields.ts";
import { type AnyCompactor, type ProxyWire, wireNamed } from "../src/proxy/wires.ts";

/** The person's first words. */
const GO = "Look at the harbour.";
const ARGUMENTS: unknown = { path: "a.ts" };

/** A reply of a model as a program keeps it: sealed reasoning, a call and its result. `seal` is `null` for none. */
export interface KeptStep {
  readonly id: string;
  readonly seal: string | null;
  /** The arguments, as the program keeps them: text or a value, as its items do. */
  readonly given?: unknown;
}

/** A kind of items: a program's form of messages, and of a step. */
interface KeptItems {
  readonly said: (text: string) => unknown;
  readonly step: (step: Required<KeptStep>) => readonly unknown[];
  /** Whether arguments are a text, or a value. */
  readonly holds: "text" | "value";
  readonly compactor: (options: CompactorOptions) => AnyCompactor;
}

/** The wire of a name. */
export const wire = (name: string): ProxyWire => wireNamed(name) ?? missing(name);
/** Ends a test that names no kind of items. */
export const missing = (name: string): never => {
  throw new Error(`${name} is no wire`);
};
/** An item as untyped data: the very object. */
export const fieldsOf = (item: unknown): Fields => (isRecord(item) ? item : {});

/** The kinds of items that programs keep. */
export const KEPT_ITEMS: { readonly [name: string]: KeptItems } = {
  "openai-chat": {
    holds: "text",
    said: (content) => ({ role: "user", content }),
    step: ({ id, seal, given }) => [
      {
        ...{ role: "assistant", content: null },
        ...(seal === null ? {} : { reasoning: "hm", reasoning_details: [{ type: "reasoning.encrypted", data: seal }] }),
        tool_calls: [{ id, type: "function", function: { name: "look", arguments: given } }],
      },
      { role: "tool", tool_call_id: id, content: `seen ${id}` },
    ],
    compactor: (options) => wire("openai-chat").compactor(options),
  },
  "openai-responses": {
    holds: "text",
    said: (content) => ({ type: "message", role: "user", content }),
    step: ({ id, seal, given }) => [
      ...(seal === null ? [] : [{ type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: seal }]),
      { type: "function_call", id: `fc_${id}`, call_id: id, name: "look", arguments: given },
      { type: "function_call_output", call_id: id, output: `seen ${id}` },
    ],
    compactor: (options) => wire("openai-responses").compactor(options),
  },
  anthropic: {
    holds: "value",
    said: (content) => ({ role: "user", content }),
    step: ({ id, seal, given }) => [
      {
        role: "assistant",
        content: [
          ...(seal === null ? [] : [{ type: "thinking", thinking: "hm", signature: seal }]),
          { type: "tool_use", id, name: "look", input: given },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `seen ${id}` }] },
    ],
    compactor: (options) => wire("anthropic").compactor(options),
  },
  gemini: {
    holds: "value",
    said: (text) => ({ role: "user", parts: [{ text }] }),
    step: ({ id, seal, given }) => [
      {
        role: "model",
        parts: [
          ...(seal === null ? [] : [{ text: "hm", thought: true, thoughtSignature: seal }]),
          { functionCall: { id, name: "look", args: given } },
        ],
      },
      { role: "user", parts: [{ functionResponse: { id, name: "look", response: { output: `seen ${id}` } } }] },
    ],
    compactor: (options) => wire("gemini").compactor(options),
  },
  "ai-sdk": {
    holds: "value",
    said: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    step: ({ id: toolCallId, seal, given: input }) => [
      {
        role: "assistant",
        content: [
          ...(seal === null ? [] : [{ type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: seal } } }]),
          { type: "tool-call", toolCallId, toolName: "look", input },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName: "look", output: { type: "text", value: `seen ${toolCallId}` } }],
      },
    ],
    compactor: (options) => createArrayCompactor(PROMPTS, options),
  },
  langchain: {
    holds: "value",
    said: (text) => new HumanMessage(text),
    step: ({ id, seal, given }) => {
      const reply = new AIMessage({
        content: [
          ...(seal === null ? [] : [{ type: "thinking", thinking: "hm", signature: seal }]),
          { type: "text", text: "so" },
        ],
        tool_calls: [{ id, name: "look", args: {}, type: "tool_call" }],
      });
      const [call] = recordsAt(reply, "tool_calls");
      return [
        Object.assign(reply, { tool_calls: [{ ...call, args: given }] }),
        new ToolMessage({ content: `seen ${id}`, tool_call_id: id, name: "look" }),
      ];
    },
    compactor: (options) => createArrayCompactor(LANGCHAIN_MESSAGES, options),
  },
  agents: {
    holds: "text",
    said: (content) => ({ role: "user", content }),
    step: ({ id: callId, seal, given }) => [
      ...(seal === null
        ? []
        : [{ type: "reasoning", id: `rs_${callId}`, content: [], providerData: { encrypted_content: seal } }]),
      { type: "function_call", id: `fc_${callId}`, callId, name: "look", arguments: given, status: "completed" },
      { type: "function_call_result", callId, name: "look", status: "completed", output: `seen ${callId}` },
    ],
    compactor: (options) => createAgentItemsCompactor(options),
  },
};

/** A history: a person's words, steps, and more words. */
export function keptHistory(name: string, steps: readonly KeptStep[], last = "Go on."): readonly Fields[] {
  const { said, step, holds } = KEPT_ITEMS[name] ?? missing(name);
  const given = holds === "text" ? JSON.stringify(ARGUMENTS) : ARGUMENTS;
  return [said(GO), ...steps.flatMap((each) => step({ given, ...each })), said(last)].map(fieldsOf);
}
