import type { Policy } from "../policy.ts";
import { BRACKETED_LABELS } from "./labels.ts";
import { CHECKPOINT_SECTIONS, PI_POLICY } from "./pi.ts";

/**
 * Our own default: old tool results cleared in a batch, then an incremental summary, down to a target that leaves room for twenty
 * steps; everything the engine appends comes after. Its safety is the ledger's upper bound, not a reserve. Numbers are first choices, to be tuned on recorded sessions.
 */
export const PLIMSOLL_POLICY: Policy = {
  ...PI_POLICY,
  name: "plimsoll",
  estimator: { kind: "ledger" },
  cutEstimator: null,
  gates: { at: ["before-submit", "before-step"], countPending: true },
  trigger: { atLeast: { ratio: 0.9, of: "input-budget" } },
  keep: { ratio: 0.3, of: "input-budget" },
  strategies: [
    { kind: "clear-tool-results", keepResults: 10, clearAtLeastTokens: 4000 },
    { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: "turn-prefix" },
  ],
  truncation: { capTokens: 8000 },
  overflow: { keep: { ratio: 0.2, of: "input-budget" }, maxRecoveries: 3 },
  unknownWindow: { tokens: 128_000 },
  summary: {
    role: "user",
    sections: CHECKPOINT_SECTIONS,
    maxTokens: 4096,
    turnPrefixMaxTokens: 4096,
    request: "serialised",
    resultCapChars: 2000,
    labels: BRACKETED_LABELS,
  },
  progress: { target: { atMost: { ratio: 0.6, of: "input-budget" }, steps: 20 }, minimumNewTokens: 1000, maximumFailures: 3 },
};
