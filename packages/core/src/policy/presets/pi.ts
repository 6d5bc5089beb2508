import type { CharsPerTokenSpec } from "../../tokens/chars-per-token.ts";
import type { Policy } from "../policy.ts";
import { SVEN_POLICY } from "./sven.ts";

/** pi's estimate: UTF-16 units / 4, ceiling (its document, "Token Estimation"). An image counts 1,200: chosen, as its size is not told. */
export const PI_LENGTH_ESTIMATE: CharsPerTokenSpec = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf16-units",
  rounding: "ceil",
  perMessageTokens: 0,
  minimumMessageTokens: 0,
  imageTokens: 1200,
};

/** Sections of pi's summary format. */
export const CHECKPOINT_SECTIONS = [
  "Goal",
  "Constraints & Preferences",
  "Progress",
  "Key Decisions",
  "Next Steps",
  "Critical Context",
] as const;

/**
 * pi's design, as the Go agent documents it: before every model call, context > window − 16,384; the newest 20,000 tokens kept; a
 * split turn's prefix summarised apart; the summary as a user message. The summary may take 0.8 × the reserve (its code).
 */
export const PI_POLICY: Policy = {
  ...SVEN_POLICY,
  name: "pi",
  estimator: { kind: "usage-anchored", of: PI_LENGTH_ESTIMATE, anchor: "prompt-and-reply" },
  cutEstimator: PI_LENGTH_ESTIMATE,
  gates: { at: ["before-step"], countPending: false },
  trigger: { above: { minus: [{ ratio: 1, of: "window" }, { tokens: 16_384 }] } },
  emergency: null,
  keep: { tokens: 20_000 },
  strategies: [
    { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: "turn-prefix" },
  ],
  truncation: null,
  overflow: { keep: { tokens: 20_000 }, maxRecoveries: 1 },
  unknownWindow: "off",
  summary: { role: "user", sections: CHECKPOINT_SECTIONS, maxTokens: 13_107, request: "serialised", resultCapChars: 2000 },
};
