import { type Usage, usageOf } from "@plimsoll/core";
import type { ToolTable } from "@plimsoll/core/extend";
import { unreadMark } from "./content-parts.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "./fields.ts";
import { objectCall, type ReplyPart, textPart } from "./log-items.ts";

/** Reads the blocks of an assistant's message in the Messages form as parts of its reply. */
export function replyPartsOfBlocks(table: ToolTable, blocks: readonly Fields[]): readonly ReplyPart[] {
  // A compaction without content failed, and replaced nothing.
  const sent = blocks.filter((block) => block.type !== "compaction" || stringAt(block, "content") !== null);
  return sent.map((block) => partOf(table, block));
}

function partOf(table: ToolTable, block: Fields): ReplyPart {
  switch (block.type) {
    case "text":
      return textPart(stringAt(block, "text") ?? "");
    case "thinking":
      return { type: "reasoning", text: stringAt(block, "thinking") ?? "", opaque: stringAt(block, "signature") };
    case "compaction":
      return { type: "compaction", summary: stringAt(block, "content") ?? "" };
    case "tool_use":
      return objectCall(table, stringAt(block, "id"), stringAt(block, "name"), recordAt(block, "input"));
    default:
      // Redacted thinking, and inputs and outputs of server-side tools: opaque, but sent back.
      return { type: "reasoning", text: "", opaque: jsonValueOf(block), ...unreadMark(block) };
  }
}

/**
 * The usage of a message, `null` if it reports zeros only (the agent's own messages do). The parts of the prompt are disjoint. With several iterations (or one, of a
 * compaction that was asked for, above which there is nothing) the context is that of the last sampling of the model itself: the counts above them may add all samplings up (an advisor's question between two, Claude Code
 * 2.1.227). All of them were paid for.
 */
export function anthropicUsageOf(usage: Fields | null): Usage | null {
  const reported = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
  const iterations = recordsAt(usage, "iterations");
  const isNothing = reported.every((key) => (numberAt(usage, key) ?? 0) === 0);
  if (isNothing && iterations.length === 0) return null;
  const last = iterations.findLast(({ type = "message" }) => type === "message");
  const sampled = isNothing ? (last ?? iterations.at(-1)) : iterations.length > 1 ? last : undefined;
  const occupied = sampled ?? usage;
  const billed = { inputTokens: sum(iterations, reported.slice(0, -1)), outputTokens: sum(iterations, reported.slice(-1)) };
  return usageOf({
    uncachedTokens: numberAt(occupied, "input_tokens"),
    cacheReadTokens: numberAt(occupied, "cache_read_input_tokens"),
    cacheWriteTokens: numberAt(occupied, "cache_creation_input_tokens"),
    cacheWriteOneHourTokens: numberAt(recordAt(occupied, "cache_creation"), "ephemeral_1h_input_tokens"),
    outputTokens: numberAt(occupied, "output_tokens"),
    raw: jsonValueOf(usage),
    ...(iterations.length > 1 ? { billed } : {}),
  });
}

function sum(iterations: readonly Fields[], keys: readonly string[]): number {
  return iterations.reduce((total, item) => keys.reduce((subtotal, key) => subtotal + (numberAt(item, key) ?? 0), total), 0);
}
