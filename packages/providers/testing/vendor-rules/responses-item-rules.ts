import { field, fieldText, isGiven, textOf } from "./json-node.ts";
import type { ResponsesRequest } from "./responses-request.ts";
import { at, repeated, unknownFields, type VendorRule } from "./vendor-rule.ts";

/** Fields of the items that an agent sends; a reasoning item's status is only for answers. */
const ITEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "id", "status", "phase"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status", "caller", "namespace"],
  function_call_output: ["type", "id", "call_id", "output", "status", "caller"],
  custom_tool_call: ["type", "id", "call_id", "name", "input", "status", "caller", "namespace"],
  // The name is not in the SDK's type: Codex 0.169.0 sends it with a script's notification.
  custom_tool_call_output: ["type", "id", "call_id", "name", "output", "status", "caller"],
  reasoning: ["type", "id", "summary", "content", "encrypted_content"],
  item_reference: ["type", "id"],
};

const ID_PREFIX: Readonly<Record<string, string>> = { message: "msg", function_call: "fc", reasoning: "rs" };

/** Items of a Responses request, each by itself: shape and ids. Which of them need another: `responses-needed-rules.ts`. */
export const RESPONSES_ITEM_RULES: readonly VendorRule<ResponsesRequest>[] = [
  {
    id: "item-fields",
    source:
      "https://github.com/BerriAI/litellm/issues/13420 and https://github.com/1jehuang/jcode/issues/1028 (Unknown parameter: 'input[3].status')",
    *check({ items }) {
      for (const { type, node } of items) {
        const known = ITEM_FIELDS[type];
        if (known !== undefined) yield* unknownFields(node, new Set(known));
      }
    },
  },
  {
    id: "id-prefix",
    source: "https://github.com/openai/codex/issues/33176 and https://github.com/UKGovernmentBEIS/inspect_ai/pull/1545",
    *check({ items }) {
      for (const { type, id, node } of items) {
        const prefix = ID_PREFIX[type];
        if (id !== "" && prefix !== undefined && !id.startsWith(prefix))
          yield at(field(node, "id"), `Invalid 'id': '${id}'. Expected an ID that begins with '${prefix}'.`);
      }
    },
  },
  {
    id: "id-pattern",
    source:
      "https://github.com/CopilotKit/CopilotKit/pull/6117 (measured), https://github.com/earendil-works/pi/issues/977, https://github.com/langchain-ai/langchainjs/issues/11044",
    *check({ items }) {
      for (const { node } of items) {
        const id = field(node, "id");
        if (isGiven(id) && !/^[a-zA-Z0-9_]{0,63}[a-zA-Z0-9]$/.test(textOf(id) ?? ""))
          yield at(id, "Invalid 'id'. Expected an ID that contains letters, numbers, underscores, or dashes");
      }
    },
  },
  {
    id: "call-id-unique",
    source: "https://github.com/earendil-works/pi/issues/9057 (Duplicate 'call_id')",
    *check({ items }) {
      for (const each of ["function_call", "function_call_output"])
        yield* repeated(
          items.filter(({ type }) => type === each).map(({ node }) => [node, fieldText(node, "call_id")] as const),
          (id) => `Duplicate 'call_id': ${id}`,
        );
    },
  },
  {
    id: "reasoning-shape",
    source:
      "openai 6.49.0, ResponseReasoningItem: summary is required; the id is not, whatever the type says (https://github.com/BerriAI/litellm/pull/15782)",
    *check({ items }) {
      for (const { type, node } of items)
        if (type === "reasoning" && !Array.isArray(field(node, "summary").value))
          yield at(field(node, "summary"), "Missing required parameter: 'summary'.");
    },
  },
];
