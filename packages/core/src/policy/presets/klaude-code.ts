import type { Amount, Trigger } from "../../budget.ts";
import type { CharsPerTokenSpec } from "../../tokens/chars-per-token.ts";
import type { Policy } from "../policy.ts";
import { FALLBACK, SQUARE_LABELS } from "./common-parts.ts";

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
export const KLAUDE_CODE_RESERVE: Amount = {
  windowAbove: 524_288,
  above: { ratio: 0.5, of: "input-budget" },
  upTo: { ratio: 0.25, of: "input-budget" },
};

/** Its code's kept tail: 20,000, in small windows 35% but at least 4,096, and never more than three quarters of the window (K-c1). */
export const KLAUDE_CODE_KEEP: Amount = {
  min: [{ tokens: 20_000 }, { max: [{ tokens: 4096 }, { ratio: 0.35, of: "window" }] }, { ratio: 0.75, of: "window" }],
};

/** The amount that it keeps when a person compacts: a quarter of the tail, at least 2,048 (K-c2). */
export const KLAUDE_CODE_MANUAL_KEEP: Amount = {
  max: [
    { tokens: 2048 },
    {
      min: [{ tokens: 5000 }, { max: [{ tokens: 1024 }, { ratio: 0.0875, of: "window" }] }, { ratio: 0.1875, of: "window" }],
    },
  ],
};

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
  trigger: klaudeCodeTrigger(KLAUDE_CODE_RESERVE),
  afterPause: null,
  emergency: null,
  keep: [{ kind: "recent", amount: KLAUDE_CODE_KEEP }],
  manualKeep: [{ kind: "recent", amount: KLAUDE_CODE_MANUAL_KEEP }],
  strategies: [
    { kind: "summarize", writer: "model", boundary: "next-safe", promptId: "checkpoint", turnPrefixPromptId: "turn-prefix" },
  ],
  fallback: FALLBACK,
  truncation: null,
  overflow: { keep: [{ kind: "recent", amount: KLAUDE_CODE_KEEP }], maxRecoveries: 1 },
  unknownWindow: "off",
  subAgents: "off",
  summary: {
    role: "user",
    sections: ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"],
    maxTokens: 13_107,
    turnPrefixMaxTokens: 8192,
    request: "serialised",
    resultCapChars: 2000,
    labels: SQUARE_LABELS,
  },
  progress: { minimumNewTokens: 0, maximumFailures: 3 },
  facts: { maxTokens: 0, files: "by-touch" },
};

/** As its document says, its kept tail: 20,000 tokens, in small windows 35%. */
const DOCUMENT_KEEP: Policy["keep"] = [
  { kind: "recent", amount: { min: [{ tokens: 20_000 }, { ratio: 0.35, of: "window" }] } },
];

/** klaude-code as its document says: strictly above window − min(16,384, 25%), for every caller. */
export const KLAUDE_CODE_DOCUMENT_POLICY: Policy = {
  ...KLAUDE_CODE_POLICY,
  name: "klaude-code-document",
  trigger: { above: { minus: [{ ratio: 1, of: "window" }, { min: [{ tokens: 16_384 }, { ratio: 0.25, of: "window" }] }] } },
  keep: DOCUMENT_KEEP,
  manualKeep: null,
  overflow: { keep: DOCUMENT_KEEP, maxRecoveries: 1 },
};
