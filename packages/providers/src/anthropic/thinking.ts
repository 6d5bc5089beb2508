import type { ModelRequest } from "@plimsoll/core";
import { modelFamily } from "../catalog/model-limits.ts";
import { numberAt, recordAt } from "../fields.ts";
import type { AnthropicBody } from "./encode.ts";

/** Families whose reasoning is a budget of tokens; newer ones adapt it to an effort (platform.claude.com/docs/en/build-with-claude/adaptive-thinking). */
const BUDGET_FAMILIES = /^claude-(?:3-7|(?:sonnet|opus)-4-[05]|opus-4-1|haiku-4-5|(?:sonnet|opus)-4$)/;
const NEVER_FAMILIES = /^claude-(?:2|3-5|3-(?:opus|sonnet|haiku)|instant)/;

/** The shortest reply that a request may ask for, in tokens: more than its own budget of thinking; 0 without one. */
export function leastReplyOf(body: unknown): number {
  const budgetTokens = numberAt(recordAt(body, "thinking"), "budget_tokens");
  return budgetTokens === null ? 0 : budgetTokens + 1;
}

/** Budgets in tokens; chosen. The wire's smallest is 1,024, and the reply needs room in addition to it. */
const BUDGET_TOKENS = { low: 4_096, medium: 10_000, high: 24_000 } as const;
const SMALLEST_BUDGET_TOKENS = 1_024;

/** The parameters for the level of reasoning that is asked for; none for models that do not reason, or if the reply leaves no room. */
export function thinkingFor({
  reasoning,
  isReasoningWished,
  modelId,
  maxOutputTokens,
  thinkingTokens,
}: ModelRequest): Pick<AnthropicBody, "thinking" | "output_config"> {
  // Without the parameter such a model does not think at all, which is less than the lowest level.
  if (reasoning === undefined || isReasoningWished) return {};
  const family = modelFamily(modelId);
  if (NEVER_FAMILIES.test(family)) return {};
  if (!BUDGET_FAMILIES.test(family)) return { thinking: { type: "adaptive" }, output_config: { effort: reasoning } };
  const budgetTokens = Math.min(BUDGET_TOKENS[reasoning], thinkingTokens ?? maxOutputTokens - SMALLEST_BUDGET_TOKENS);
  return budgetTokens < SMALLEST_BUDGET_TOKENS ? {} : { thinking: { type: "enabled", budget_tokens: budgetTokens } };
}

/**
 * The body with thinking, if the open tool loop allows it: with a budget, a reply that calls tools has to begin with its reasoning, which
 * compaction or another model may have left out.
 */
export function withThinking(body: AnthropicBody, asked: Pick<AnthropicBody, "thinking" | "output_config">): AnthropicBody {
  return asked.thinking?.type === "enabled" && hasLostReasoning(body) ? body : { ...body, ...asked };
}

/** A request needs this beta to choose the treatment of thinking over a changed beginning. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/** The beta without which the vendor writes no summary, and takes none back. */
export const SUMMARY_BETA = "compact-2026-09-04";

/** The request with which the vendor writes a summary of another's messages: platform.claude.com/docs/en/build-with-claude/compaction-on-demand. */
export function summaryRequest<Body extends object>(
  body: Body,
): Body & { readonly compaction: { readonly type: "summarize" } } {
  return { ...body, compaction: { type: "summarize" } };
}

/** The options of a request under betas; nothing for none. */
export function betaOptions(betas: readonly string[]): { readonly headers?: { readonly "anthropic-beta": string } } {
  return betas.length === 0 ? {} : { headers: { "anthropic-beta": betas.join(",") } };
}

/** Asks the vendor to drop bound thinking that no longer fits, instead of refusing the request. */
export const DROPPING = { block_binding: { prefix_mismatch_behavior: "drop_block" } } as const;

/** The body, which asks the vendor to drop thinking over a changed beginning. Its other settings of thinking stay. */
export function withDropping(body: AnthropicBody): AnthropicBody {
  const given = body.thinking ?? ({ type: "adaptive" } as const);
  return { ...body, thinking: { ...given, ...DROPPING } };
}

function hasLostReasoning(body: AnthropicBody): boolean {
  const reply = body.messages.findLast((message) => message.role === "assistant");
  if (reply === undefined || typeof reply.content === "string") return false;
  const [first] = reply.content;
  const calls = reply.content.some((block) => block.type === "tool_use");
  return calls && first?.type !== "thinking" && first?.type !== "redacted_thinking";
}
