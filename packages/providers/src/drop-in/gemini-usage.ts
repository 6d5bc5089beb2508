import { type Usage, usageOf } from "@plimsoll/core";
import { type Fields, jsonValueOf, numberAt } from "../fields.ts";

/** The `usageMetadata` of an answer: the prompt's count holds the cached part, thoughts are counted apart from what is said. */
export function geminiUsage(usage: Fields | null): Usage {
  const promptTokens = numberAt(usage, "promptTokenCount");
  const thoughtTokens = numberAt(usage, "thoughtsTokenCount");
  const saidTokens = numberAt(usage, "candidatesTokenCount");
  const outputTokens = saidTokens === null && thoughtTokens === null ? null : (saidTokens ?? 0) + (thoughtTokens ?? 0);
  return usageOf({
    totalInputTokens: promptTokens,
    // Left out if nothing was read from the cache.
    cacheReadTokens: promptTokens === null ? null : (numberAt(usage, "cachedContentTokenCount") ?? 0),
    outputTokens,
    reasoningTokens: thoughtTokens,
    // What tools of the server brought in is paid for, and is no part of the prompt that is sent again.
    billed: {
      inputTokens: promptTokens === null ? null : promptTokens + (numberAt(usage, "toolUsePromptTokenCount") ?? 0),
      outputTokens,
    },
    raw: jsonValueOf(usage),
  });
}
