import type { Fields } from "../fields.ts";
import { numberAt, recordAt, stringAt } from "../fields.ts";
import type { JoinedMessage } from "./anthropic-blocks.ts";
import { invalid } from "./wire.ts";

/** Smallest budget of thinking: platform.claude.com/docs/en/build-with-claude/extended-thinking. */
const MINIMUM_BUDGET_TOKENS = 1_024;

/** Checks what a request asks for besides its messages; throws what the vendor refuses. */
export function checkParameters(body: unknown, messages: readonly JoinedMessage[], maxOutputTokens: number): void {
  const temperature = numberAt(body, "temperature");
  if (temperature !== null && temperature > 1) throw invalid("temperature: Input should be less than or equal to 1");
  if (temperature !== null && temperature < 0) throw invalid("temperature: Input should be greater than or equal to 0");
  const thinking = stringAt(recordAt(body, "thinking"), "type");
  if (thinking !== "enabled" && thinking !== "adaptive") return;
  if (temperature !== null && temperature !== 1)
    throw invalid(
      "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    );
  const choice = stringAt(recordAt(body, "tool_choice"), "type");
  if (choice === "any" || choice === "tool") throw invalid("Thinking may not be enabled when tool_choice forces tool use.");
  if (thinking === "enabled") checkBudget(body, messages, maxOutputTokens);
}

/**
 * With a budget of thinking, the reply of the open tool loop begins with its reasoning, and so does each that has any; adaptive thinking does not ask
 * for that.
 */
function checkBudget(body: unknown, messages: readonly JoinedMessage[], maxOutputTokens: number): void {
  const budgetTokens = numberAt(recordAt(body, "thinking"), "budget_tokens") ?? 0;
  if (budgetTokens < MINIMUM_BUDGET_TOKENS)
    throw invalid(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${MINIMUM_BUDGET_TOKENS}`);
  if (budgetTokens >= maxOutputTokens) throw invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
  const index = messages.findLastIndex((message) => message.role === "assistant");
  const blocks = messages[index]?.blocks ?? [];
  const type = stringAt(blocks[0], "type") ?? "text";
  if (blocks.some((block) => block.type === "tool_use") && !isReasoning(blocks[0]))
    throw invalid(
      `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). To avoid this requirement, disable \`thinking\`.`,
    );
  for (const [place, message] of messages.entries())
    if (message.blocks.some(isReasoning) && !isReasoning(message.blocks[0]))
      throw invalid(
        `messages.${place}.content.0: If an assistant message contains any thinking blocks, the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${stringAt(message.blocks[0], "type") ?? "text"}\`.`,
      );
}

function isReasoning(block: Fields | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}
