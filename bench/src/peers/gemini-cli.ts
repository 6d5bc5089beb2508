import type { Policy } from "@plimsoll/core";
import { BASE_POLICY, LENGTH_ESTIMATE, ONE_SUMMARY } from "./base-policy.ts";
import type { Peer } from "./peer.ts";

const THRESHOLD_RATIO = 0.5;
const PRESERVED_RATIO = 0.3;

/** Its estimate of a history that no report covers (estimateTokenCountSync). */
const BY_LENGTH: typeof LENGTH_ESTIMATE = { ...LENGTH_ESTIMATE, imageTokens: 3000, overhead: "left-out" };

const KEEP: Policy["keep"] = [{ kind: "recent", amount: { ratio: THRESHOLD_RATIO * PRESERVED_RATIO, of: "window" } }];

/** gemini-cli: at half the window the older seven tenths of the history become a snapshot. */
export const GEMINI_CLI_PEER: Peer = {
  policy: {
    ...BASE_POLICY,
    name: "gemini-cli",
    estimator: { kind: "usage-anchored", of: BY_LENGTH, anchor: "prompt", since: "left-out", afterCut: "estimated" },
    cutEstimator: BY_LENGTH,
    gates: { at: ["before-step"], countPending: false },
    trigger: { atLeast: { ratio: THRESHOLD_RATIO, of: "window" } },
    keep: KEEP,
    strategies: [{ ...ONE_SUMMARY, boundary: "human" }],
    overflow: { keep: KEEP, maxRecoveries: 0 },
    summary: { ...BASE_POLICY.summary, resultCapChars: null },
    // After one snapshot that is empty or larger than the text it replaces, none is asked for until the person speaks.
    progress: { ...BASE_POLICY.progress, maximumFailures: 1 },
  },
  figures: {
    primary: [
      "what it looks at is the prompt of the last answered request alone (getLastPromptTokenCount) [@google/gemini-cli-core@0.61.0 dist/src/context/chatCompressionService.js]",
      "it compacts at 0.5 of the token limit (DEFAULT_COMPRESSION_TOKEN_THRESHOLD; 0.7 in versions of 2025) [google-gemini/gemini-cli packages/core/src/services/chatCompressionService.ts @02b2885]",
      "it keeps 0.3 of the history, from a human message on (COMPRESSION_PRESERVE_THRESHOLD) [google-gemini/gemini-cli packages/core/src/services/chatCompressionService.ts @02b2885]",
      "a snapshot with which the history would be larger is thrown away and marks a failure (COMPRESSION_FAILED_INFLATED_TOKEN_COUNT, hasFailedCompressionAttempt) [google-gemini/gemini-cli packages/core/src/services/chatCompressionService.ts @02b2885]",
      "the request for a summary holds the older history, results uncut if they fit, under a system text of its own without tools: nothing of it is cached [google-gemini/gemini-cli packages/core/src/services/chatCompressionService.ts @02b2885]",
    ],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "the kept share is one of the history's characters; at its threshold 0.3 of the history is 0.15 of the window",
    "tool results older than the newest 50,000 tokens of them are cut to files before the summary",
    "after an inflated snapshot it asks for none in the rest of the session, unless told to; ours asks again after the next human message",
    "what it takes for the size after a compression leaves out what is about to be sent, reasoning, system text and tools; ours counts the open step and reasoning: after a lost call it is below its line sooner, and stays there (837 lost calls to 493 of ours, 13 sessions, 64k)",
    "within one human turn it finds no place to cut, and sends what it has; ours cuts nothing either, and the fallback compacts at the budget",
    "the second request in which the model checks its own snapshot",
    "its experimental context manager, which replaces all of this",
  ],
};
