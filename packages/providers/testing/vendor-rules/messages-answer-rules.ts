import { field, fieldText, isFields, isGiven, isSet, itemsOf, type JsonNode, textOf } from "./json-node.ts";
import { at, bodyIsObject, isWholeFrom, loneSurrogates, type VendorRule } from "./vendor-rule.ts";

const STOP_REASONS: readonly string[] = [
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
];

/** Counts of a usage; those that the SDKs let be `null` are marked. */
const COUNTS: Readonly<Record<string, "needed" | "nullable">> = {
  input_tokens: "needed",
  output_tokens: "needed",
  cache_read_input_tokens: "nullable",
  cache_creation_input_tokens: "nullable",
};

/** Rules by which the vendor's SDK and the AI SDK take a message of the Messages API. */
export const MESSAGES_ANSWER_RULES: readonly VendorRule<JsonNode>[] = [
  { id: "answer-body", source: "@anthropic-ai/sdk 1.12.0, Message", check: bodyIsObject },
  { id: "answer-well-formed", source: "RFC 8259, section 8.2", check: loneSurrogates },
  {
    id: "answer-message",
    source: "@anthropic-ai/sdk 1.12.0, Message: id, type, role, model, content",
    *check(body) {
      if (fieldText(body, "id") === "") yield at(field(body, "id"), "id: a string");
      if (fieldText(body, "type") !== "message") yield at(field(body, "type"), "type: 'message'");
      if (fieldText(body, "role") !== "assistant") yield at(field(body, "role"), "role: 'assistant'");
      if (fieldText(body, "model") === "") yield at(field(body, "model"), "model: a string");
      if (!Array.isArray(field(body, "content").value)) yield at(field(body, "content"), "content: a list of blocks");
    },
  },
  {
    id: "answer-blocks",
    source: "@ai-sdk/anthropic 3.0.138, anthropicMessagesResponseSchema: fields of text, thinking, redacted_thinking, tool_use",
    *check(body) {
      for (const block of itemsOf(field(body, "content"))) {
        const type = fieldText(block, "type");
        const needed: Readonly<Record<string, readonly string[]>> = {
          text: ["text"],
          thinking: ["thinking", "signature"],
          redacted_thinking: ["data"],
          tool_use: ["id", "name"],
        };
        if (needed[type] === undefined) yield at(block, `no agent asked for a block of type '${type}'`);
        for (const name of needed[type] ?? [])
          if (textOf(field(block, name)) === null) yield at(field(block, name), `${name}: a string`);
        if (type === "tool_use" && !isFields(field(block, "input").value)) yield at(field(block, "input"), "input: an object");
      }
    },
  },
  {
    id: "answer-citations",
    source: "@ai-sdk/anthropic 3.0.138, anthropicMessagesResponseSchema: citations is a list or absent, never null",
    *check(body) {
      for (const block of itemsOf(field(body, "content"))) {
        const citations = field(block, "citations");
        if (isSet(citations) && !Array.isArray(citations.value)) yield at(citations, "citations: expected array");
      }
    },
  },
  {
    id: "answer-stop",
    source: "@anthropic-ai/sdk 1.12.0, StopReason; https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
    *check(body) {
      const [reason, sequence] = [field(body, "stop_reason"), field(body, "stop_sequence")];
      if (!STOP_REASONS.includes(textOf(reason) ?? "")) yield at(reason, `stop_reason: one of ${STOP_REASONS.join(", ")}`);
      const isCalling = itemsOf(field(body, "content")).some((block) => fieldText(block, "type") === "tool_use");
      if (!isCalling && reason.value === "tool_use") yield at(reason, "stop_reason is tool_use, but no tool is called");
      if (isCalling && reason.value === "end_turn") yield at(reason, "a tool is called, but stop_reason is end_turn");
      if ((reason.value === "stop_sequence") !== isGiven(sequence))
        yield at(sequence, "stop_sequence goes with its stop_reason");
    },
  },
  {
    id: "answer-usage",
    source: "@anthropic-ai/sdk 1.12.0, Usage",
    *check(body) {
      const usage = field(body, "usage");
      for (const [name, kind] of Object.entries(COUNTS)) {
        const count = field(usage, name);
        const mayLack = kind === "nullable" && !isGiven(count);
        if (!mayLack && !isWholeFrom(count.value, 0)) yield at(count, `usage.${name}: a count`);
      }
      const parts = field(usage, "cache_creation");
      const sum = ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"].reduce(
        (so, name) => so + Number(field(parts, name).value ?? 0),
        0,
      );
      if (isGiven(parts) && sum !== Number(field(usage, "cache_creation_input_tokens").value ?? 0))
        yield at(parts, "the parts of cache_creation add up to cache_creation_input_tokens");
    },
  },
];
