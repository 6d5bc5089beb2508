import { field, fieldText, isFields, isGiven, isSet, textOf } from "./json-node.ts";
import type { ResponsesRequest } from "./responses-request.ts";
import { at, bodyIsObject, isWholeFrom, loneSurrogates, unknownFields, type VendorRule } from "./vendor-rule.ts";

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
  { id: "body", source: "https://platform.openai.com/docs/guides/error-codes", check: ({ body }) => bodyIsObject(body) },
  {
    id: "well-formed",
    source: "RFC 8259, section 8.2; the same fault at another vendor: https://github.com/anthropics/claude-code/issues/3277",
    check: ({ body }) => loneSurrogates(body),
  },
  {
    id: "parameters",
    source: "openai 6.49.0, ResponseCreateParamsBase; https://github.com/bestruirui/octopus/issues/31 (Unknown parameter)",
    check: ({ body }) => unknownFields(body, PARAMETERS),
  },
  {
    id: "model",
    source: "https://platform.openai.com/docs/api-reference/responses/create (model: needed without a stored prompt)",
    *check({ body }) {
      if (fieldText(body, "model") === "" && !isGiven(field(body, "prompt")))
        yield at(field(body, "model"), "Missing required parameter: 'model'.");
    },
  },
  {
    id: "input-present",
    source: "openai 6.49.0, ResponseCreateParamsBase.input: a string or items",
    *check({ input, items, goesOn }) {
      if (isSet(input) && textOf(input) === null && !Array.isArray(input.value)) yield at(input, "Invalid type for 'input'");
      else if (items.length === 0 && (textOf(input) ?? "") === "" && !goesOn)
        yield at(input, 'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.');
    },
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
