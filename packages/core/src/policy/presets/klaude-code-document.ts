import type { Policy } from "../policy.ts";
import { FALLBACK, SQUARE_LABELS } from "./common-parts.ts";
import { KLAUDE_CODE_LENGTH_ESTIMATE } from "./klaude-code.ts";

/** klaude-code as its document says: strictly above window − min(16,384, 25 %), and min(20,000, 35 %) kept. */
export const KLAUDE_CODE_DOCUMENT_POLICY: Policy = {
  name: "klaude-code-document",
  enabled: true,
  estimator: { kind: "usage-anchored", of: KLAUDE_CODE_LENGTH_ESTIMATE, anchor: "prompt-and-reply" },
  cutEstimator: KLAUDE_CODE_LENGTH_ESTIMATE,
  gates: { at: ["before-submit", "before-step"], countPending: false },
  trigger: { above: { minus: [{ ratio: 1, of: "window" }, { min: [{ tokens: 16_384 }, { ratio: 0.25, of: "window" }] }] } },
  afterPause: null,
  emergency: null,
  keep: [{ kind: "recent", amount: { min: [{ tokens: 20_000 }, { ratio: 0.35, of: "window" }] } }],
  manualKeep: null,
  strategies: [
    { kind: "summarize", writer: "model", boundary: "next-safe", promptId: "checkpoint", turnPrefixPromptId: "turn-prefix" },
  ],
  fallback: FALLBACK,
  truncation: null,
  overflow: {
    keep: [{ kind: "recent", amount: { min: [{ tokens: 20_000 }, { ratio: 0.35, of: "window" }] } }],
    maxRecoveries: 1,
  },
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
