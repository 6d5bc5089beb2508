import { field, fieldText, isFields, isGiven } from "./json-node.ts";
import type { ResponsesRequest } from "./responses-request.ts";
import { at, isWholeFrom, unknownFields, type VendorRule } from "./vendor-rule.ts";

/** The SDK's ResponseCreateParamsBase. */
const PARAMETERS = new Set(
  (
    "background context_management conversation include input instructions max_output_tokens metadata model moderation " +
    "parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning " +
    "safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user " +
    "max_tool_calls"
  ).split(" "),
);

/** Parameters and tools of a Responses request. */
export const RESPONSES_PARAMETER_RULES: readonly VendorRule<ResponsesRequest>[] = [
  {
    id: "parameters",
    source: "openai 6.49.0, ResponseCreateParamsBase; https://github.com/bestruirui/octopus/issues/31 (Unknown parameter)",
    check: ({ body }) => unknownFields(body, PARAMETERS),
  },
  {
    id: "max-output-tokens",
    source: "https://github.com/earendil-works/pi/issues/6265 (Expected a value >= 16)",
    *check({ body }) {
      const node = field(body, "max_output_tokens");
      if (isGiven(node) && !isWholeFrom(node.value, 16)) yield at(node, "Invalid 'max_output_tokens': Expected a value >= 16");
    },
  },
  {
    id: "tools-count",
    source: "https://github.com/musistudio/claude-code-router/issues/686 (maximum length 128)",
    *check({ body, tools }) {
      if (tools.length > 128) yield at(field(body, "tools"), `Invalid 'tools': array too long, got ${tools.length}`);
    },
  },
  {
    id: "tool-shape",
    source: "openai 6.49.0, FunctionTool: name, parameters and strict next to the type, not inside a `function`",
    *check({ tools }) {
      for (const tool of tools) {
        if (fieldText(tool, "type") === "") yield at(field(tool, "type"), "Missing required parameter: 'tools[].type'.");
        if (fieldText(tool, "type") !== "function") continue;
        if (!/^[a-zA-Z0-9_-]{1,128}$/.test(fieldText(tool, "name")))
          yield at(field(tool, "name"), "Missing or invalid 'tools[].name'");
        const parameters = field(tool, "parameters");
        if (isGiven(parameters) && !isFields(parameters.value)) yield at(parameters, "Invalid type for 'tools[].parameters'");
      }
    },
  },
];
