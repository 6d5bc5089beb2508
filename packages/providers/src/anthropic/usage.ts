import type { Usage } from "@plimsoll/core";
import { UNREPORTED_USAGE, usageOf } from "@plimsoll/core";
import type { Fields } from "../fields.ts";
import { jsonValueOf, numberAt, recordAt, recordsAt } from "../fields.ts";

/**
 * The usage of a reply on the Messages wire. The parts of the prompt are disjoint: `input_tokens` is what no cache had. Where the
 * request sampled several times (`iterations`: server-side tools or compaction), the context is that of the last sampling of a reply and
 * all of them were paid for.
 */
export function anthropicUsage(usage: Fields | null): Usage {
  if (numberAt(usage, "input_tokens") === null) return { ...UNREPORTED_USAGE, raw: jsonValueOf(usage) };
  const iterations = recordsAt(usage, "iterations");
  const sampled = iterations.findLast((item) => item.type === "message" || item.type === undefined);
  const isSeveral = iterations.length > 1 || iterations.some((item) => item !== sampled);
  const occupied = isSeveral ? (sampled ?? usage) : usage;
  return usageOf({
    uncachedTokens: numberAt(occupied, "input_tokens"),
    cacheReadTokens: numberAt(occupied, "cache_read_input_tokens"),
    cacheWriteTokens: numberAt(occupied, "cache_creation_input_tokens"),
    cacheWriteOneHourTokens: numberAt(recordAt(occupied, "cache_creation"), "ephemeral_1h_input_tokens"),
    outputTokens: numberAt(occupied, "output_tokens"),
    reasoningTokens: numberAt(recordAt(usage, "output_tokens_details"), "thinking_tokens"),
    raw: jsonValueOf(usage),
    ...(isSeveral ? { billed: billedOver(iterations) } : {}),
  });
}

const INPUT_KEYS = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

function billedOver(iterations: readonly Fields[]) {
  return { inputTokens: sumOf(iterations, INPUT_KEYS), outputTokens: sumOf(iterations, ["output_tokens"]) };
}

function sumOf(iterations: readonly Fields[], keys: readonly string[]): number {
  return iterations.reduce((total, item) => keys.reduce((sum, key) => sum + (numberAt(item, key) ?? 0), total), 0);
}
