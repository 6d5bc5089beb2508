import type { ChatRequest } from "./chat-request.ts";
import { field, fieldText, isFields, isGiven, isSet, itemsOf } from "./json-node.ts";
import { at, isWholeFrom, unknownFields, type VendorRule } from "./vendor-rule.ts";

/** The SDK's ChatCompletionCreateParamsBase. */
const PARAMETERS = new Set(
  (
    "messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata " +
    "modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options " +
    "prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options " +
    "temperature tool_choice tools top_logprobs top_p user verbosity web_search_options"
  ).split(" "),
);

const REASONING_MODEL = /^(?:o\d|gpt-[5-9])/;

/** Parameters and tools of a Chat Completions request. */
export const CHAT_PARAMETER_RULES: readonly VendorRule<ChatRequest>[] = [
  {
    id: "parameters",
    source:
      "openai 6.49.0, ChatCompletionCreateParamsBase; https://github.com/teabranch/open-responses-server/issues/41 (Unknown parameter)",
    check: ({ body }) => unknownFields(body, PARAMETERS),
  },
  {
    id: "max-tokens",
    source: "https://github.com/langchain-ai/langgraph/issues/5943 and https://github.com/teilomillet/gollm/issues/33",
    *check({ body, model }) {
      const [older, newer] = [field(body, "max_tokens"), field(body, "max_completion_tokens")];
      for (const node of [older, newer])
        if (isGiven(node) && !isWholeFrom(node.value, 1)) yield at(node, "Invalid value: expected an integer of at least 1");
      if (isGiven(older) && isGiven(newer))
        yield at(older, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.");
      if (isGiven(older) && REASONING_MODEL.test(model))
        yield at(older, "Unsupported parameter: use 'max_completion_tokens' instead.");
    },
  },
  {
    id: "tools-count",
    source: "https://github.com/zed-industries/zed/issues/32946 (maximum length 128); an empty array: openai 6.49.0",
    *check({ body, tools }) {
      const node = field(body, "tools");
      if (isSet(node) && tools.length === 0) yield at(node, "Invalid 'tools': empty array.");
      if (tools.length > 128) yield at(node, `Invalid 'tools': array too long, got ${tools.length}`);
    },
  },
  {
    id: "tool-shape",
    source: "https://github.com/brekkylab/ailoy/pull/109; openai 6.49.0, ChatCompletionFunctionTool",
    *check({ tools }) {
      for (const tool of tools.filter((each) => fieldText(each, "type") !== "custom")) {
        const called = field(tool, "function");
        if (fieldText(tool, "type") !== "function") yield at(field(tool, "type"), "Invalid value for 'type'");
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(fieldText(called, "name")))
          yield at(field(called, "name"), "Invalid 'tools[].function.name'");
        const parameters = field(called, "parameters");
        if (isSet(parameters) && (!isFields(parameters.value) || !["object", ""].includes(fieldText(parameters, "type"))))
          yield at(parameters, "Invalid schema for function: schema must be a JSON Schema of 'type: \"object\"'");
      }
    },
  },
  {
    id: "tool-choice",
    source:
      "https://platform.openai.com/docs/api-reference/chat/create ('tool_choice' is only allowed when 'tools' are specified)",
    *check({ body, tools }) {
      for (const name of ["tool_choice", "parallel_tool_calls"])
        if (isSet(field(body, name)) && tools.length === 0)
          yield at(field(body, name), `'${name}' is only allowed when 'tools' are specified`);
    },
  },
  {
    id: "stop",
    source: "openai 6.49.0, ChatCompletionCreateParamsBase.stop: up to 4 sequences",
    *check({ body }) {
      if (itemsOf(field(body, "stop")).length > 4) yield at(field(body, "stop"), "Invalid 'stop': array too long");
    },
  },
];
