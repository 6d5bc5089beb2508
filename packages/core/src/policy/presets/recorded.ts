import type { Policy } from "../policy.ts";

/**
 * Applies the compactions that the recorded agent itself made, and nothing else. It serves the validity of a replay and the
 * calibration of estimators; it is the one policy under which a replay folds recorded compactions.
 * Calibration under it measures the estimator of our default policy.
 */
export const RECORDED_POLICY: Policy = {
  name: "recorded",
  enabled: false,
  estimator: { kind: "ledger" },
  cutEstimator: null,
  gates: { at: [], countPending: false },
  trigger: { atLeast: { ratio: 0.75, of: "input-budget" } },
  afterPause: null,
  emergency: null,
  keep: [{ kind: "recent", messages: 6 }],
  manualKeep: null,
  strategies: [],
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
  overflow: { keep: [{ kind: "recent", messages: 6 }], maxRecoveries: 2 },
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
    turnPrefixMaxTokens: 4096,
    request: "serialised",
    resultCapChars: null,
    labels: {
      human: { before: "User: ", after: "" },
      command: { before: "User: [command: ", after: "]" },
      injected: { before: "Note: ", after: "" },
      summary: { before: "Summary: ", after: "" },
      assistant: { before: "Assistant: ", after: "" },
      call: { before: "Assistant: [tool_call: ", after: "]" },
      result: { before: "Tool: [tool_result: ", after: "]" },
      failedResult: { before: "Tool: [tool_result, failed: ", after: "]" },
    },
  },
  progress: { target: null, minimumNewTokens: 0, maximumFailures: 3 },
  facts: { maxTokens: 1000 },
};
