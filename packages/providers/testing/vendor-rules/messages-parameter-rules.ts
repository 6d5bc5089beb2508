import { field, fieldsOf, fieldText, isGiven, isSet, itemsOf, type JsonNode, textOf } from "./json-node.ts";
import type { MessagesRequest } from "./messages-request.ts";
import { at, isWholeFrom, unknownFields, type VendorRule } from "./vendor-rule.ts";

/** Parameters of the SDK's MessageCreateParamsBase, those of older models, and those of documented betas. */
const PARAMETERS = new Set(
  (
    "model messages max_tokens system tools tool_choice thinking stop_sequences stream metadata cache_control container " +
    "diagnostics inference_geo output_config service_tier speed temperature top_k top_p context_management compaction mcp_servers"
  ).split(" "),
);

const TOOL_FIELDS = new Set(
  "name description input_schema type cache_control strict allowed_callers defer_loading eager_input_streaming input_examples".split(
    " ",
  ),
);

/** Models that think only without a budget: Claude 4.7 and later. */
const WITHOUT_BUDGET = /^claude-(?:(?:opus|sonnet|haiku)-(?:4-[7-9]|[5-9])|fable|mythos)/;

/** Parameters and tools of a Messages request. */
export const MESSAGES_PARAMETER_RULES: readonly VendorRule<MessagesRequest>[] = [
  {
    id: "parameters",
    source:
      "@anthropic-ai/sdk 1.12.0, MessageCreateParamsBase; https://github.com/amrit110/oli/issues/7 (Extra inputs are not permitted)",
    check: ({ body }) => unknownFields(body, PARAMETERS),
  },
  {
    id: "max-tokens",
    source: "https://platform.claude.com/docs/en/api/messages (max_tokens: required; 0 only fills the prompt cache)",
    *check({ body }) {
      const node = field(body, "max_tokens");
      if (!isWholeFrom(node.value, 0)) yield at(node, "max_tokens: Input should be a valid integer");
    },
  },
  {
    id: "system-shape",
    source: "@anthropic-ai/sdk 1.12.0, MessageCreateParamsBase.system: a string or text blocks",
    *check({ body, system }) {
      const node = field(body, "system");
      if (isSet(node) && textOf(node) === null && !Array.isArray(node.value))
        yield at(node, "system: Input should be a valid list");
      for (const block of system) if (block.type !== "text") yield at(block.node, "system: Input should be 'text'");
    },
  },
  {
    id: "thinking-mode",
    source: "https://platform.claude.com/docs/en/build-with-claude/extended-thinking (Claude 4.7 and later refuse a budget)",
    *check({ body, model, thinking }) {
      const node = field(body, "thinking");
      const type = fieldText(node, "type");
      if (thinking === "adaptive" && !["adaptive", "between_tools"].includes(type))
        yield at(node, `thinking: Input tag '${type}' does not match any of the expected tags`);
      if (thinking === "manual" && WITHOUT_BUDGET.test(model)) yield at(node, '"thinking.type.enabled" is not supported');
    },
  },
  {
    id: "thinking-sampling",
    source:
      "https://platform.claude.com/docs/en/build-with-claude/extended-thinking (no temperature, no top_k, top_p from 0.95)",
    *check({ body, thinking }) {
      if (thinking !== "manual" && thinking !== "adaptive") return;
      const [temperature, topK, topP] = [field(body, "temperature"), field(body, "top_k"), field(body, "top_p")];
      if (isGiven(temperature) && temperature.value !== 1)
        yield at(temperature, "`temperature` may only be set to 1 when thinking is enabled");
      if (isGiven(topK)) yield at(topK, "`top_k` must be unset when thinking is enabled");
      if (typeof topP.value === "number" && topP.value < 0.95)
        yield at(topP, "`top_p` must be at least 0.95 when thinking is enabled");
    },
  },
  {
    id: "tool-choice",
    source: "@anthropic-ai/sdk 1.12.0, ToolChoice; https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",
    *check({ body, tools }) {
      const node = field(body, "tool_choice");
      if (!isSet(node)) return;
      const type = fieldText(node, "type");
      if (!["auto", "any", "tool", "none"].includes(type))
        yield at(node, "tool_choice: Input tag is none of auto, any, tool, none");
      if (tools.length === 0) yield at(node, "tool_choice may only be specified while providing tools");
      const name = fieldText(node, "name");
      if (type === "tool" && !tools.some((tool) => fieldText(tool, "name") === name))
        yield at(node, `Tool '${name}' not found in provided tools`);
    },
  },
  {
    id: "tool-schema",
    source:
      "@anthropic-ai/sdk 1.12.0, Tool.InputSchema: type object; https://github.com/Hmbown/Codewhale/issues/4329 (no union at the top)",
    *check({ tools }) {
      for (const tool of tools.filter(isCustom)) {
        yield* unknownFields(tool, TOOL_FIELDS);
        const schema = field(tool, "input_schema");
        if (fieldText(schema, "type") !== "object") yield at(schema, "input_schema.type: Input should be 'object'");
        if (["oneOf", "allOf", "anyOf"].some((name) => Object.hasOwn(fieldsOf(schema), name)))
          yield at(schema, "input_schema does not support oneOf, allOf, or anyOf at the top level");
      }
    },
  },
  {
    id: "compaction-alone",
    source:
      "https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand (read 2026-11-29: parameters that it refuses)",
    *check({ body }) {
      if (!isSet(field(body, "compaction"))) return;
      const choice = fieldText(field(body, "tool_choice"), "type");
      const format = field(field(body, "output_config"), "format");
      for (const node of [field(body, "context_management"), field(body, "stop_sequences"), format])
        if (isSet(node)) yield at(node, "cannot be combined with compaction");
      if (choice === "any" || choice === "tool") yield at(body, "tool_choice cannot be combined with compaction");
    },
  },
  {
    id: "stop-sequences",
    source: "https://github.com/BerriAI/litellm/issues/3286",
    *check({ body }) {
      for (const node of itemsOf(field(body, "stop_sequences")))
        if ((textOf(node) ?? "").trim() === "") yield at(node, "each stop sequence must contain non-whitespace");
    },
  },
];

/** Whether a tool is the caller's own; tools that the vendor defines have a dated type. */
function isCustom(tool: JsonNode): boolean {
  const type = field(tool, "type");
  return !isGiven(type) || type.value === "custom";
}
