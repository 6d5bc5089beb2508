import { type Amount, resolveAmount, type Trigger } from "../../budget.ts";
import type { CharsPerTokenSpec } from "../../tokens/chars-per-token.ts";
import type { Policy } from "../policy.ts";

/** klaude-code's estimate: characters / 4, ceiling, at least 1; 300 an image (its tests K-e1). */
export const KLAUDE_CODE_LENGTH_ESTIMATE: CharsPerTokenSpec = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "code-points",
  rounding: "ceil",
  perMessageTokens: 0,
  minimumMessageTokens: 1,
  imageTokens: 300,
};

/** Its code's share kept free: half of the input budget in windows above 524,288 tokens, a quarter below (its tests K-c1). */
const RESERVE: Amount = {
  windowAbove: 524_288,
  above: { ratio: 0.5, of: "input-budget" },
  upTo: { ratio: 0.25, of: "input-budget" },
};

/** Its code's kept tail: 20,000, in small windows 35 % but at least 4,096, and never more than three quarters of the window (K-c1). */
const KEEP: Amount = {
  min: [{ tokens: 20_000 }, { max: [{ tokens: 4096 }, { ratio: 0.35, of: "window" }] }, { ratio: 0.75, of: "window" }],
};

/** The amount that it keeps when a person compacts: a quarter of the tail, at least 2,048 (K-c2). */
const MANUAL_KEEP: Amount = {
  max: [
    { tokens: 2048 },
    {
      min: [{ tokens: 5000 }, { max: [{ tokens: 1024 }, { ratio: 0.0875, of: "window" }] }, { ratio: 0.1875, of: "window" }],
    },
  ],
};

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
 * klaude-code's sizes from the window and the maximum output; `null` or 0 is not known. If the output alone would fill the window, the
 * reserve is a share of the window instead.
 */
export function klaudeCodeSizes(windowTokens: number | null, maxOutputTokens: number | null): KlaudeCodeSizes {
  if (windowTokens === null || windowTokens <= 0) {
    const maxSummaryTokens = Math.floor(0.8 * DEFAULT_RESERVE_TOKENS);
    return { reserveTokens: DEFAULT_RESERVE_TOKENS, keepTokens: 20_000, manualKeepTokens: 5000, maxSummaryTokens };
  }
  const inputTokens = windowTokens - (maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS);
  const budget = { windowTokens, inputBudgetTokens: inputTokens > 0 ? inputTokens : windowTokens };
  const reserveTokens = Math.floor(resolveAmount(RESERVE, budget));
  return {
    reserveTokens,
    keepTokens: Math.floor(resolveAmount(KEEP, budget)),
    manualKeepTokens: Math.floor(resolveAmount(MANUAL_KEEP, budget)),
    maxSummaryTokens: Math.min(Math.floor(0.8 * DEFAULT_RESERVE_TOKENS), Math.max(1024, Math.floor(0.8 * reserveTokens))),
  };
}

/** klaude-code's trigger with the reserve given: context ≥ (window − maximum output) − reserve. */
export function klaudeCodeTrigger(reserve: Amount): Trigger {
  return { atLeast: { minus: [{ ratio: 1, of: "input-budget" }, reserve] } };
}

/** Imitates the compaction of the agent klaude-code, read from its code: checked before a run and at each step. Sub-agents do not compact. */
export const KLAUDE_CODE_POLICY: Policy = {
  name: "klaude-code",
  enabled: true,
  estimator: { kind: "usage-anchored", of: KLAUDE_CODE_LENGTH_ESTIMATE, anchor: "prompt-and-reply" },
  cutEstimator: KLAUDE_CODE_LENGTH_ESTIMATE,
  gates: { at: ["before-submit", "before-step"], countPending: false },
  trigger: klaudeCodeTrigger(RESERVE),
  afterPause: null,
  emergency: null,
  keep: [{ kind: "recent", amount: KEEP }],
  manualKeep: [{ kind: "recent", amount: MANUAL_KEEP }],
  strategies: [
    { kind: "summarize", writer: "model", boundary: "next-safe", promptId: "checkpoint", turnPrefixPromptId: "turn-prefix" },
  ],
  fallback: {
    actAtBudget: true,
    minimumNewRatio: 0.02,
    strategies: [
      { kind: "summarize", writer: "digest", boundary: "any-safe", promptId: "digest", turnPrefixPromptId: null },
      { kind: "drop-oldest", amount: "until-it-fits", notice: "roles" },
      { kind: "cut-oversized", to: "fit" },
      { kind: "drop-notices" },
      { kind: "drop-oldest", amount: "until-it-fits", notice: "none" },
      { kind: "cut-oversized", to: "stubs" },
    ],
    forced: [
      { kind: "drop-oldest", amount: "all-but-keep", notice: "roles" },
      { kind: "cut-oversized", to: "stubs" },
    ],
  },
  truncation: null,
  overflow: { keep: [{ kind: "recent", amount: KEEP }], maxRecoveries: 1 },
  unknownWindow: "off",
  subAgents: "off",
  summary: {
    role: "user",
    sections: ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"],
    maxTokens: 13_107,
    turnPrefixMaxTokens: 8192,
    request: "serialised",
    resultCapChars: 2000,
    labels: {
      human: { before: "[User]: ", after: "" },
      command: { before: "[User command]: ", after: "" },
      injected: { before: "[Note]: ", after: "" },
      summary: { before: "[Summary]: ", after: "" },
      assistant: { before: "[Assistant]: ", after: "" },
      call: { before: "[Tool call]: ", after: "" },
      result: { before: "[Tool result]: ", after: "" },
      failedResult: { before: "[Tool result, failed]: ", after: "" },
    },
  },
  progress: { target: null, minimumNewTokens: 0, maximumFailures: 3 },
  facts: { maxTokens: 1000 },
};
