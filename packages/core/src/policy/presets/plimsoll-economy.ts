import type { Policy } from "../policy.ts";

/** As plimsoll, with half of what it recalls: cheaper, and what lies far back is lost more often. */
export const PLIMSOLL_ECONOMY_POLICY: Policy = {
  name: "plimsoll-economy",
  enabled: true,
  estimator: { kind: "ledger" },
  cutEstimator: null,
  gates: { at: ["before-submit", "before-step"], countPending: true },
  trigger: {
    atLeast: {
      max: [{ ratio: 0.85, of: "input-budget" }, { min: [{ ratio: 0.94, of: "input-budget" }, { tokens: 150_000 }] }],
    },
  },
  afterPause: {
    pauseMs: 300_000,
    atLeast: { max: [{ ratio: 0.5, of: "input-budget" }, { min: [{ ratio: 0.7, of: "input-budget" }, { tokens: 70_000 }] }] },
  },
  emergency: null,
  keep: [
    { kind: "recent", amount: { ratio: 0.05, of: "input-budget" } },
    { kind: "human", atMost: { min: [{ tokens: 20_000 }, { ratio: 0.2, of: "input-budget" }] } },
    { kind: "plan", atMost: { ratio: 0.04, of: "input-budget" } },
    { kind: "files-in-hand", atMost: { ratio: 0.04, of: "input-budget" } },
    { kind: "recall", atMost: { ratio: 0.1, of: "input-budget" } },
  ],
  manualKeep: null,
  strategies: [{ kind: "summarize", writer: "digest", boundary: "any-safe", promptId: "digest", turnPrefixPromptId: null }],
  fallback: {
    actAtBudget: true,
    minimumNewRatio: 0.02,
    strategies: [
      { kind: "summarize", writer: "digest", boundary: "any-safe", promptId: "digest", turnPrefixPromptId: null },
      { kind: "drop-oldest", amount: "until-it-fits", notice: "count" },
      { kind: "cut-oversized", to: "fit" },
      { kind: "drop-notices" },
      { kind: "drop-oldest", amount: "until-it-fits", notice: "none" },
      { kind: "cut-oversized", to: "stubs" },
    ],
    forced: [
      { kind: "drop-oldest", amount: "all-but-keep", notice: "count" },
      { kind: "cut-oversized", to: "stubs" },
    ],
  },
  truncation: { capTokens: 16_000 },
  overflow: {
    keep: [
      { kind: "recent", amount: { ratio: 0.05, of: "input-budget" } },
      { kind: "human", atMost: { min: [{ tokens: 20_000 }, { ratio: 0.2, of: "input-budget" }] } },
      { kind: "plan", atMost: { ratio: 0.04, of: "input-budget" } },
      { kind: "files-in-hand", atMost: { ratio: 0.04, of: "input-budget" } },
      { kind: "recall", atMost: { ratio: 0.1, of: "input-budget" } },
    ],
    maxRecoveries: 3,
  },
  unknownWindow: { tokens: 128_000 },
  subAgents: "own",
  summary: {
    role: "user",
    sections: ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"],
    maxTokens: 4096,
    turnPrefixMaxTokens: 4096,
    request: "prefix",
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
  progress: { target: null, minimumNewTokens: 1000, minimumSteps: 10, maximumFailures: 3 },
  facts: { maxTokens: 1000 },
};
