import { PI_POLICY } from "@plimsoll/core";
import type { Peer } from "./peer.ts";

/** Newest observations that stay: ten, as in the published comparison. */
const KEPT_RESULTS = 10;
/** Ten observations of about 1,000 tokens: what a batch saves at least. */
const BATCH_TOKENS = 10_000;

const MASKING = {
  ...PI_POLICY,
  gates: { at: ["before-step"], countPending: true },
  trigger: { above: { tokens: 0 } },
  keep: { messages: 2 * KEPT_RESULTS },
  overflow: { keep: { messages: 2 * KEPT_RESULTS }, maxRecoveries: 1 },
} as const;

const SOURCE =
  "The Complexity Trap: Simple Observation Masking Is as Efficient as LLM Summarization (arXiv 2508.21433), window of 10";
const READ_ON = "2026-11-21";

/** Observation masking as it is usually done: at every call the results older than the newest ten are masked. */
export const ROLLING_MASK_PEER: Peer = {
  policy: {
    ...MASKING,
    name: "rolling-mask",
    strategies: [{ kind: "clear-tool-results", keepResults: KEPT_RESULTS, clearAtLeastTokens: 0 }],
    progress: { ...PI_POLICY.progress, minimumNewTokens: 0 },
  },
  source: SOURCE,
  readOn: READ_ON,
  notExpressed: [
    "our engine fires again only after 2 % of the input budget is new, so that a few results are masked together",
    "where masking is not enough the session ends there; here the engine's own rungs follow",
  ],
};

/** The same in batches, so that the prompt cache breaks less often. */
export const BATCHED_MASK_PEER: Peer = {
  policy: {
    ...MASKING,
    name: "batched-mask",
    strategies: [{ kind: "clear-tool-results", keepResults: KEPT_RESULTS, clearAtLeastTokens: BATCH_TOKENS }],
  },
  source: SOURCE,
  readOn: READ_ON,
  notExpressed: ["a batch is one of tokens, not of ten results", "the engine's own rungs follow where masking is not enough"],
};
