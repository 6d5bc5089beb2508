import { type Usage, usageOf } from "@plimsoll/core";
import { type Fields, jsonValueOf, numberAt, recordAt } from "./fields.ts";

/**
 * The usage of a Chat Completions or Responses answer, or of a gateway in either form: the prompt is inclusive of its cached part.
 * `null` where no prompt is reported.
 */
export function openAiUsageOf(usage: Fields | null): Usage | null {
  const totalInputTokens = numberAt(usage, "prompt_tokens") ?? numberAt(usage, "input_tokens");
  if (totalInputTokens === null || totalInputTokens === 0) return null;
  const inputDetails = recordAt(usage, "prompt_tokens_details") ?? recordAt(usage, "input_tokens_details");
  const outputDetails = recordAt(usage, "completion_tokens_details") ?? recordAt(usage, "output_tokens_details");
  return usageOf({
    totalInputTokens,
    cacheReadTokens: numberAt(inputDetails, "cached_tokens") ?? numberAt(usage, "cache_read_input_tokens"),
    cacheWriteTokens: numberAt(usage, "cache_creation_input_tokens"),
    outputTokens: numberAt(usage, "completion_tokens") ?? numberAt(usage, "output_tokens"),
    reasoningTokens: numberAt(outputDetails, "reasoning_tokens"),
    raw: jsonValueOf(usage),
  });
}
