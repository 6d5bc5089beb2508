import { type Usage, usageOf } from "../usage.ts";

/** Adds the usage of two requests; `null` if one of them reported nothing at all, and in each figure that one of them left out. */
export function addedUsage(first: Usage | null, second: Usage | null): Usage | null {
  if (first === null || second === null) return null;
  const sum = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);
  return usageOf({
    totalInputTokens: sum(first.input.totalTokens, second.input.totalTokens),
    uncachedTokens: sum(first.input.uncachedTokens, second.input.uncachedTokens),
    cacheReadTokens: sum(first.input.cacheReadTokens, second.input.cacheReadTokens),
    cacheWriteTokens: sum(first.input.cacheWriteTokens, second.input.cacheWriteTokens),
    outputTokens: sum(first.output.totalTokens, second.output.totalTokens),
    reasoningTokens: sum(first.output.reasoningTokens, second.output.reasoningTokens),
    raw: [first.raw, second.raw],
  });
}
