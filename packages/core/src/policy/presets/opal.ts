import type { CharsPerTokenSpec } from "../../tokens/chars-per-token.ts";
import type { Policy } from "../policy.ts";
import { FALLBACK, SQUARE_LABELS } from "./common-parts.ts";

/** opal's estimate: UTF-8 bytes / 4, floor, plus 10 a message (its tests O-t1, O-t2). */
export const OPAL_LENGTH_ESTIMATE: CharsPerTokenSpec = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf8-bytes",
  rounding: "floor",
  perMessageTokens: 10,
  minimumMessageTokens: 0,
  imageTokens: 1200,
};

/**
 * Imitates the compaction of the agent opal. It compacts at 80% of the window before every model call, and keeps the newest quarter of the window from a human message
 * on. A split turn gets a second summary if at least five of its messages go. Without a model its truncate strategy is a drop with counts. An overflow keeps a fifth of
 * the window. An unknown window counts as 128,000.
 */
export const OPAL_POLICY: Policy = {
  name: "opal",
  enabled: true,
  estimator: { kind: "usage-anchored", of: OPAL_LENGTH_ESTIMATE, anchor: "prompt" },
  cutEstimator: null,
  gates: { at: ["before-step"], countPending: false },
  trigger: { atLeast: { ratio: 0.8, of: "window" } },
  afterPause: null,
  emergency: null,
  keep: [{ kind: "recent", amount: { ratio: 0.25, of: "window" } }],
  manualKeep: null,
  strategies: [
    {
      kind: "summarize",
      writer: "model",
      boundary: "turn",
      promptId: "checkpoint",
      turnPrefixPromptId: "turn-prefix",
      turnPrefixFromMessages: 5,
      forcedKeepMessages: 2,
    },
    { kind: "drop-oldest", amount: "all-but-keep", notice: "roles" },
  ],
  fallback: FALLBACK,
  truncation: null,
  overflow: { keep: [{ kind: "recent", amount: { ratio: 0.2, of: "window" } }], maxRecoveries: 2 },
  unknownWindow: { tokens: 128_000 },
  subAgents: "own",
  summary: {
    role: "user",
    sections: ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"],
    maxTokens: 4096,
    turnPrefixMaxTokens: 4096,
    request: "serialised",
    resultCapChars: 500,
    labels: SQUARE_LABELS,
  },
  progress: { minimumNewTokens: 0, maximumFailures: 3 },
  facts: { maxTokens: 0, files: "by-touch" },
};
