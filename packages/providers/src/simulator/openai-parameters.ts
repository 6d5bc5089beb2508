import type { Fields } from "../fields.ts";
import { numberAt, recordAt, stringAt } from "../fields.ts";
import { invalid } from "./wire.ts";

/** Families that reason: they take no sampling parameters, and the newer name of the reply's limit alone (platform.openai.com/docs/guides/reasoning). */
const REASONING_FAMILIES = ["gpt-5", "o1", "o3", "o4"] as const;

/** Checks what a request asks for besides its messages; throws what the vendor refuses. */
export function checkChatParameters(body: unknown, modelId: string, tools: readonly Fields[]): void {
  const isReasoning = REASONING_FAMILIES.some((family) => modelId.startsWith(family));
  if (isReasoning && numberAt(body, "max_tokens") !== null)
    throw invalid(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: "max_tokens", code: "unsupported_parameter" },
    );
  const temperature = numberAt(body, "temperature");
  if (isReasoning && temperature !== null && temperature !== 1)
    throw invalid(
      `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      { param: "temperature", code: "unsupported_value" },
    );
  if (recordAt(body, "stream_options") !== null && recordAt({ body }, "body")?.stream !== true)
    throw invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", { param: "stream_options" });
  if (tools.length === 0 && recordAt({ body }, "body")?.tool_choice !== undefined)
    throw invalid("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.", {
      param: "tool_choice",
    });
}

/** Names of tools have word characters and hyphens alone, on both wires. */
export function checkToolNames(names: readonly string[], where: (index: number) => string): void {
  for (const [index, name] of names.entries()) {
    if (/^[a-zA-Z0-9_-]+$/.test(name)) continue;
    throw invalid(
      `Invalid '${where(index)}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { param: where(index), code: "invalid_value" },
    );
  }
}

/** Throws where an item's or message's parameter is missing. */
export function checkPresent(fields: Fields, key: string, where: string): void {
  if (stringAt(fields, key) !== null || Array.isArray(fields[key])) return;
  throw invalid(`Missing required parameter: '${where}.${key}'.`, {
    param: `${where}.${key}`,
    code: "missing_required_parameter",
  });
}
