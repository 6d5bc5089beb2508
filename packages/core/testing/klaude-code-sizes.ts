import { resolveAmount } from "../src/budget.ts";
import { KLAUDE_CODE_KEEP, KLAUDE_CODE_MANUAL_KEEP, KLAUDE_CODE_RESERVE } from "../src/policy/presets/klaude-code.ts";

/** Maximum output that it takes if none is configured, in tokens (K-c1: 1,000,000 gives 484,000). */
const DEFAULT_MAX_OUTPUT_TOKENS = 32_000;

/** Reserve if the window is not known, in tokens; its summaries take 0.8 of a reserve, never more than of this one. */
const DEFAULT_RESERVE_TOKENS = 16_384;

/** klaude-code's sizes for a model, in tokens. */
export interface KlaudeCodeSizes {
  readonly reserveTokens: number;
  readonly keepTokens: number;
  readonly manualKeepTokens: number;
  readonly maxSummaryTokens: number;
}

/**
 * klaude-code's sizes from the window and the maximum output; `null` or 0 is not known. If the output would fill the window by itself, the reserve is
 * a share of the window instead.
 */
export function klaudeCodeSizes(windowTokens: number | null, maxOutputTokens: number | null): KlaudeCodeSizes {
  if (windowTokens === null || windowTokens <= 0) {
    const maxSummaryTokens = Math.floor(0.8 * DEFAULT_RESERVE_TOKENS);
    return { reserveTokens: DEFAULT_RESERVE_TOKENS, keepTokens: 20_000, manualKeepTokens: 5000, maxSummaryTokens };
  }
  const inputTokens = windowTokens - (maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS);
  const budget = { windowTokens, inputBudgetTokens: inputTokens > 0 ? inputTokens : windowTokens };
  const reserveTokens = Math.floor(resolveAmount(KLAUDE_CODE_RESERVE, budget));
  return {
    reserveTokens,
    keepTokens: Math.floor(resolveAmount(KLAUDE_CODE_KEEP, budget)),
    manualKeepTokens: Math.floor(resolveAmount(KLAUDE_CODE_MANUAL_KEEP, budget)),
    maxSummaryTokens: Math.min(Math.floor(0.8 * DEFAULT_RESERVE_TOKENS), Math.max(1024, Math.floor(0.8 * reserveTokens))),
  };
}
