import type { Usage } from "@plimsoll/core";
import { UNREPORTED_USAGE, usageOf } from "@plimsoll/core";
import type { Fields } from "../fields.ts";
import { jsonValueOf, numberAt, recordAt } from "../fields.ts";

/**
 * The usage of a reply on the Chat Completions wire: `prompt_tokens` holds the cached part. Servers name that part in their own ways:
 * `prompt_tokens_details.cached_tokens` (OpenAI and most others), `prompt_cache_hit_tokens` (DeepSeek), `cached_tokens` (Moonshot);
 * routers add `prompt_tokens_details.cache_write_tokens`.
 */
export function chatUsage(usage: Fields | null): Usage {
  const totalInputTokens = numberAt(usage, "prompt_tokens");
  if (totalInputTokens === null) return { ...UNREPORTED_USAGE, raw: jsonValueOf(usage) };
  const details = recordAt(usage, "prompt_tokens_details");
  return usageOf({
    totalInputTokens,
    cacheReadTokens:
      numberAt(details, "cached_tokens") ?? numberAt(usage, "prompt_cache_hit_tokens") ?? numberAt(usage, "cached_tokens"),
    cacheWriteTokens: numberAt(details, "cache_write_tokens"),
    outputTokens: numberAt(usage, "completion_tokens"),
    reasoningTokens: numberAt(recordAt(usage, "completion_tokens_details"), "reasoning_tokens"),
    raw: jsonValueOf(usage),
  });
}

/** The usage of a reply on the Responses wire: `input_tokens` holds the cached part and what was written. */
export function responsesUsage(usage: Fields | null): Usage {
  const totalInputTokens = numberAt(usage, "input_tokens");
  if (totalInputTokens === null) return { ...UNREPORTED_USAGE, raw: jsonValueOf(usage) };
  const details = recordAt(usage, "input_tokens_details");
  return usageOf({
    totalInputTokens,
    cacheReadTokens: numberAt(details, "cached_tokens"),
    cacheWriteTokens: numberAt(details, "cache_write_tokens"),
    outputTokens: numberAt(usage, "output_tokens"),
    reasoningTokens: numberAt(recordAt(usage, "output_tokens_details"), "reasoning_tokens"),
    raw: jsonValueOf(usage),
  });
}
