import { type ChatRequest, roleOf } from "./chat-request.ts";
import { field, fieldText, isGiven, itemsOf, textOf } from "./json-node.ts";
import { at, repeated, type VendorRule } from "./vendor-rule.ts";

/** Types of content parts by role: the SDK's ChatCompletion…MessageParam. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  developer: ["text"],
  system: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
  function: [],
};

const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Messages of a Chat Completions request: roles, contents, and pairs of calls and results. */
export const CHAT_MESSAGE_RULES: readonly VendorRule<ChatRequest>[] = [
  {
    id: "content-type",
    source: "openai 6.49.0, ChatCompletionMessageParam: the content of each role",
    *check({ messages }) {
      for (const node of messages) {
        const content = field(node, "content");
        if (isGiven(content) && textOf(content) === null && !Array.isArray(content.value))
          yield at(content, "Invalid type for 'content': expected one of a string or array of objects");
        for (const part of itemsOf(content)) {
          const type = fieldText(part, "type");
          if (!(PARTS[roleOf(node)] ?? []).includes(type)) yield at(part, `Invalid value: '${type}' for role ${roleOf(node)}`);
          if (type === "text" && textOf(field(part, "text")) === null) yield at(part, "Missing required parameter: 'text'");
        }
      }
    },
  },
  {
    id: "content-not-empty-array",
    source: "https://github.com/n8n-io/n8n/issues/36774 (messages[N].content: empty array)",
    *check({ messages }) {
      for (const node of messages) {
        const content = field(node, "content");
        if (Array.isArray(content.value) && content.value.length === 0) yield at(content, "Invalid 'content': empty array.");
      }
    },
  },
  {
    id: "call-shape",
    source: "openai 6.49.0, ChatCompletionMessageFunctionToolCall: id, type function, name, arguments as a string",
    *check({ rounds }) {
      for (const call of rounds.flatMap(({ calls }) => calls)) {
        const called = field(call, "function");
        if (fieldText(call, "id") === "") yield at(field(call, "id"), "Missing required parameter: 'id'");
        if (!["function", "custom"].includes(fieldText(call, "type")))
          yield at(field(call, "type"), "Invalid value for 'type'");
        if (fieldText(call, "type") === "function" && textOf(field(called, "arguments")) === null)
          yield at(field(called, "arguments"), "Invalid type for 'arguments': expected a string");
      }
    },
  },
  {
    id: "call-name",
    source:
      "https://github.com/brekkylab/ailoy/pull/109 and https://github.com/microsoft/semantic-kernel/issues/5320 (^[a-zA-Z0-9_-]{1,64}$)",
    *check({ rounds }) {
      for (const call of rounds.flatMap(({ calls }) => calls)) {
        const name = field(field(call, "function"), "name");
        if (fieldText(call, "type") === "function" && !FUNCTION_NAME.test(textOf(name) ?? ""))
          yield at(name, "Invalid 'name': string does not match pattern '^[a-zA-Z0-9_-]+$' with at most 64 characters");
      }
    },
  },
  {
    id: "call-id-unique",
    source: "https://github.com/openclaw/openclaw/pull/47136 (duplicate tool_call_id in one message)",
    *check({ rounds }) {
      for (const { calls } of rounds)
        yield* repeated(
          calls.map((call) => [call, fieldText(call, "id")] as const),
          (id) => `Duplicate tool call id '${id}'`,
        );
    },
  },
  {
    id: "result-once",
    source: "https://github.com/agno-agi/agno/issues/5116 (Duplicate value for 'tool_call_id')",
    *check({ rounds }) {
      for (const { results } of rounds)
        yield* repeated(
          results.map((node) => [node, fieldText(node, "tool_call_id")] as const),
          (id) => `Duplicate value for 'tool_call_id' of '${id}'`,
        );
    },
  },
];
