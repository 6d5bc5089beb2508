import type { Policy } from "@plimsoll/core";
import { BASE_POLICY } from "./base-policy.ts";
import type { Peer } from "./peer.ts";

/** Newest history that stays: a share of the window, without the message that would exceed it. */
const KEEP: Policy["keep"] = [{ kind: "recent", amount: { ratio: 0.1, of: "window" }, exceeding: "goes" }];

/** LangChain's Deep Agents, its summarization middleware with its defaults: at 85 % of the window all but the newest tenth. */
export const DEEP_AGENTS_PEER: Peer = {
  policy: {
    ...BASE_POLICY,
    name: "deep-agents",
    estimator: {
      kind: "chars-per-token",
      charsPerToken: 4,
      unit: "utf16-units",
      rounding: "floor",
      perMessageTokens: 12,
      minimumMessageTokens: 0,
      imageTokens: 0,
    },
    cutEstimator: null,
    gates: { at: ["before-step"], countPending: true },
    trigger: { atLeast: { ratio: 0.85, of: "window" } },
    keep: KEEP,
    strategies: [
      { kind: "summarize", writer: "model", boundary: "nearer-safe", promptId: "checkpoint", turnPrefixPromptId: null },
    ],
    overflow: { keep: KEEP, maxRecoveries: 2 },
  },
  figures: [
    {
      says: "it compacts at 0.85 of the model's input limit and keeps 0.10 of it; 170,000 tokens and 6 messages where that is unknown (_compute_summarization_defaults)",
      source: "langchain-ai/deepagents libs/deepagents/deepagents/middleware/summarization.py @d8b7d74",
      standing: "primary",
    },
  ],
  line: { follows: "share", source: "_compute_summarization_defaults @d8b7d74" },
  readOn: "2026-11-22",
  notExpressed: [
    "its JavaScript version counts by characters, whatever the provider reported; a call is counted as JSON with its id and type: half of some 90 characters a pair is added to each message here",
    "after a request that was too long it multiplies its count by window ÷ count × 1.1 for the rest of the session, and acts earlier from then on (tokenEstimationMultiplier); no measure of ours learns from a rejection: 31 compactions and 15 overflows where it has 48 and 6, none lost on either side (13 sessions, 64k)",
    "it cuts results to a share if a batch of calls is all that there is, and summarises all if the provider still says no",
    "long arguments of old calls are cut at the same line",
    "the history that was summarised goes to a file that the model can read",
  ],
};
