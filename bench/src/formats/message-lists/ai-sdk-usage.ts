import { type Usage, usageOf } from "@plimsoll/core";
import { type Fields, jsonValueOf, numberAt, recordAt } from "../fields.ts";

/** The usage of a step as the AI SDK gives it, with details (version 6) or without; `null` where no prompt is reported. */
export function aiSdkUsageOf(usage: Fields | null): Usage | null {
  const totalInputTokens = numberAt(usage, "inputTokens") ?? numberAt(usage, "promptTokens");
  if (totalInputTokens === null) return null;
  const input = recordAt(usage, "inputTokenDetails");
  const output = recordAt(usage, "outputTokenDetails");
  return usageOf({
    totalInputTokens,
    cacheReadTokens: numberAt(input, "cacheReadTokens") ?? numberAt(usage, "cachedInputTokens"),
    cacheWriteTokens: numberAt(input, "cacheWriteTokens"),
    outputTokens: numberAt(usage, "outputTokens") ?? numberAt(usage, "completionTokens"),
    reasoningTokens: numberAt(output, "reasoningTokens") ?? numberAt(usage, "reasoningTokens"),
    raw: jsonValueOf(usage),
  });
}
