import { type Usage, usageOf } from "@plimsoll/core";
import type { ToolTable } from "@plimsoll/core/internal";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "./fields.ts";
import { callDraft, type ReplyPart, textPart } from "./log-items.ts";

/** Reads the blocks of an assistant's message in the Messages form as parts of its reply. */
export function replyPartsOfBlocks(table: ToolTable, blocks: readonly Fields[]): readonly ReplyPart[] {
  return blocks.map((block) => partOf(table, block));
}

function partOf(table: ToolTable, block: Fields): ReplyPart {
  switch (block.type) {
    case "text":
      return textPart(stringAt(block, "text") ?? "");
    case "thinking":
      return { type: "reasoning", text: stringAt(block, "thinking") ?? "", opaque: stringAt(block, "signature") };
    case "tool_use": {
      const args = recordAt(block, "input");
      const callId = stringAt(block, "id") ?? "";
      return callDraft(table, {
        callId,
        toolName: stringAt(block, "name") ?? "",
        argumentsJson: JSON.stringify(args ?? {}),
        args,
      });
    }
    default:
      // Redacted thinking and what server-side tools were asked and gave: opaque, but sent back.
      return { type: "reasoning", text: "", opaque: jsonValueOf(block) };
  }
}

/**
 * The usage of a message, `null` if it reports zeros only (the agent's own messages do). The parts of the prompt are
 * disjoint. With several iterations the counts are those of the last, and all of them were paid for.
 */
export function anthropicUsageOf(usage: Fields | null): Usage | null {
  const uncachedTokens = numberAt(usage, "input_tokens");
  const cacheReadTokens = numberAt(usage, "cache_read_input_tokens");
  const cacheWriteTokens = numberAt(usage, "cache_creation_input_tokens");
  const outputTokens = numberAt(usage, "output_tokens");
  if ([uncachedTokens, cacheReadTokens, cacheWriteTokens, outputTokens].every((tokens) => tokens === null || tokens === 0))
    return null;
  const iterations = recordsAt(usage, "iterations");
  const billed = {
    inputTokens: sum(iterations, ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]),
    outputTokens: sum(iterations, ["output_tokens"]),
  };
  return usageOf({
    uncachedTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteOneHourTokens: numberAt(recordAt(usage, "cache_creation"), "ephemeral_1h_input_tokens"),
    outputTokens,
    raw: jsonValueOf(usage),
    ...(iterations.length > 1 ? { billed } : {}),
  });
}

function sum(iterations: readonly Fields[], keys: readonly string[]): number {
  return iterations.reduce((total, item) => keys.reduce((subtotal, key) => subtotal + (numberAt(item, key) ?? 0), total), 0);
}
