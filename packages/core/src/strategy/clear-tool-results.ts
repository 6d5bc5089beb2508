import { z } from "zod";
import { openStepStart } from "../cut-point.ts";
import type { ReplacePartEdit } from "../edit/apply-edits.ts";
import { partHandle } from "../message/handle.ts";
import type { ToolResultMessage } from "../message/message.ts";
import { partChars } from "../message/size.ts";
import { clearedText, isClearedText } from "../prompts/notices.ts";
import { defineStrategy, type StrategyAnswer, type StrategyInput, type StrategyKind } from "./strategy.ts";

/** Replaces old tool results by stubs with handles, in one batch. Needs no model. */
export interface ClearToolResultsSpec {
  readonly kind: "clear-tool-results";
  /** The newest results that stay. */
  readonly keepResults: number;
  /** A batch that saves less is not worth the broken prompt cache. */
  readonly clearAtLeastTokens: number;
}

/**
 * Replaces the text of all but the newest results by stubs, all at once: clearing one result a call rewrites the prompt cache every time and costs
 * more than it saves (measured on two recorded sessions: 114% and 85% of no compaction, against 70% and 62% in batches of ten).
 */
export const CLEAR_TOOL_RESULTS: StrategyKind = defineStrategy<ClearToolResultsSpec>({
  kind: "clear-tool-results",
  schema: z.strictObject({
    kind: z.literal("clear-tool-results"),
    keepResults: z.int().nonnegative().describe("The newest results that stay."),
    clearAtLeastTokens: z
      .number()
      .nonnegative()
      .describe("Clears only if at least this is saved at once: each edit breaks the prompt cache."),
  }),
  needsModel: () => false,
  plan: clearToolResults,
});

function clearToolResults({ keepResults, clearAtLeastTokens }: ClearToolResultsSpec, input: StrategyInput): StrategyAnswer {
  const closed = input.messages.slice(0, openStepStart(input.messages));
  const results = closed.filter((message) => message.role === "tool-result");
  const old = results.slice(0, Math.max(0, results.length - keepResults));
  const [first, ...rest] = old.flatMap((message) => stubsFor(message));
  if (first === undefined)
    return { kind: "not-applicable", reason: `no result older than the newest ${keepResults} is worth a stub` };
  const savedTokens = saved([first, ...rest], old, input);
  return savedTokens < clearAtLeastTokens
    ? { kind: "not-applicable", reason: `clearing would save ${savedTokens} of at least ${clearAtLeastTokens} tokens` }
    : { kind: "edits", edits: [first, ...rest] };
}

/** Stubs for the parts that are longer than their stub and none themselves; images are always cleared. */
function stubsFor(message: ToolResultMessage): readonly ReplacePartEdit[] {
  return message.parts.flatMap((part, partIndex) => {
    const handle = partHandle(message.id, partIndex);
    const text = clearedText(part.type === "image" ? "image" : `result of ${message.toolName}`, partChars(part), handle);
    const isWorthIt = part.type === "image" || (part.text.length > text.length && !isClearedText(part.text, handle));
    return isWorthIt ? [{ kind: "replace-part", messageId: message.id, partIndex, text, handle }] : [];
  });
}

function saved(edits: readonly ReplacePartEdit[], messages: readonly ToolResultMessage[], input: StrategyInput): number {
  const touched = new Set(edits.map((edit) => edit.messageId));
  const beforeTokens = messages
    .filter((message) => touched.has(message.id))
    .reduce((sum, message) => sum + input.messageTokens(message), 0);
  const afterTokens = edits.reduce((sum, edit) => sum + input.measure.textTokens(edit.text) * input.scaleRatio, 0);
  return Math.floor(beforeTokens - afterTokens);
}
