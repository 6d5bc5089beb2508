import { type Fields, jsonValueOf, recordAt, stringAt } from "./fields.ts";
import { callDraft, type ReplyPart, textPart } from "./log-items.ts";
import type { ToolTable } from "./tool-shapes.ts";

/** What the blocks of an assistant's message in the Messages form add to its reply. */
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
