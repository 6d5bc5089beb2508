import type { Policy } from "../policy.ts";

/** The steps of every preset when its own strategies fail or free too little: a digest first, then the oldest go, then long messages are cut. */
export const FALLBACK: Policy["fallback"] = {
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
};

/** Speakers of the text that a summary is asked for, each in brackets. */
export const SQUARE_LABELS: Policy["summary"]["labels"] = {
  human: { before: "[User]: ", after: "" },
  command: { before: "[User command]: ", after: "" },
  injected: { before: "[Note]: ", after: "" },
  summary: { before: "[Summary]: ", after: "" },
  assistant: { before: "[Assistant]: ", after: "" },
  call: { before: "[Tool call]: ", after: "" },
  result: { before: "[Tool result]: ", after: "" },
  failedResult: { before: "[Tool result, failed]: ", after: "" },
};

/** Speakers of the text that a summary is asked for, as plain words. */
export const PLAIN_LABELS: Policy["summary"]["labels"] = {
  human: { before: "User: ", after: "" },
  command: { before: "User: [command: ", after: "]" },
  injected: { before: "Note: ", after: "" },
  summary: { before: "Summary: ", after: "" },
  assistant: { before: "Assistant: ", after: "" },
  call: { before: "Assistant: [tool_call: ", after: "]" },
  result: { before: "Tool: [tool_result: ", after: "]" },
  failedResult: { before: "Tool: [tool_result, failed: ", after: "]" },
};
