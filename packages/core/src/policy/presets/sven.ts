import type { CharsPerTokenSpec } from "../../tokens/chars-per-token.ts";
import type { Policy } from "../policy.ts";

/** sven's estimate: UTF-8 bytes / 4, floor, at least 1 a message, 765 an image (its document, "Layer 1"; its tests T-1 to T-5). */
export const SVEN_LENGTH_ESTIMATE: CharsPerTokenSpec = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf8-bytes",
  rounding: "floor",
  perMessageTokens: 0,
  minimumMessageTokens: 1,
  imageTokens: 765,
};

/**
 * sven's compaction with its defaults: threshold 0.85 less an overhead reserve of 0.10, never below 0.1, of the input
 * budget; the newest 6 messages kept; one structured summary as an assistant message; from 0.95 on only a drop with a notice.
 */
export const SVEN_POLICY: Policy = {
  name: "sven",
  enabled: true,
  estimator: { kind: "calibrated-ema", of: SVEN_LENGTH_ESTIMATE, alphaRatio: 0.2, minimumFactor: 0.5, maximumFactor: 3 },
  cutEstimator: null,
  gates: { at: ["before-submit", "after-tool-batch"], countPending: false },
  trigger: {
    atLeast: {
      max: [
        { ratio: 0.75, of: "input-budget" },
        { ratio: 0.1, of: "input-budget" },
      ],
    },
  },
  emergency: { atLeast: { ratio: 0.95, of: "input-budget" } },
  keep: { messages: 6 },
  strategies: [
    { kind: "summarize", writer: "model", boundary: "not-in-tool-batch", promptId: "structured", turnPrefixPromptId: null },
    { kind: "drop-oldest", amount: "all-but-keep", notice: "count" },
  ],
  truncation: { capTokens: 4000 },
  overflow: { keep: { messages: 6 }, maxRecoveries: 2 },
  unknownWindow: "off",
  subAgents: "own",
  summary: {
    role: "assistant",
    sections: [
      "Active Task",
      "Key Decisions & Rationale",
      "Files & Artifacts",
      "Constraints & Requirements",
      "Pending Items",
      "Session Narrative",
    ],
    maxTokens: 4096,
    request: "serialised",
    resultCapChars: null,
  },
  progress: { target: null, minimumNewTokens: 0, maximumFailures: 3 },
  facts: { maxTokens: 1000 },
};
