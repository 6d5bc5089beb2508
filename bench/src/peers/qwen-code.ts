import type { Amount, Policy } from "@plimsoll/core";
import { BASE_POLICY } from "./base-policy.ts";
import type { Peer } from "./peer.ts";

/** Tokens that it leaves for the summary, and below that line. */
const RESERVE_TOKENS = 20_000 + 13_000;
const SHARE: Amount = { ratio: 0.85, of: "window" };
/** The smaller of a share and a distance; in windows that the distance would fill, only the share. */
const AUTO: Amount = {
  windowAbove: RESERVE_TOKENS,
  above: { min: [SHARE, { minus: [{ ratio: 1, of: "window" }, { tokens: RESERVE_TOKENS }] }] },
  upTo: SHARE,
};
const KEEP: Policy["keep"] = [{ kind: "recent", messages: 0 }];

/** Qwen Code 0.24: one snapshot of everything, asked for behind the cached prefix. */
export const QWEN_CODE_PEER: Peer = {
  policy: {
    ...BASE_POLICY,
    name: "qwen-code",
    gates: { at: ["before-submit", "before-step"], countPending: true },
    trigger: { atLeast: AUTO },
    keep: KEEP,
    strategies: [
      { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: null },
    ],
    overflow: { keep: KEEP, maxRecoveries: 1 },
    summary: { ...BASE_POLICY.summary, maxTokens: 20_000, request: "prefix", resultCapChars: null },
    progress: { ...BASE_POLICY.progress, maximumFailures: 3 },
  },
  figures: {
    primary: [
      "it compacts at min(0.85 window, window − 20,000 − 13,000); at 0.85 of windows that this leaves nothing of (computeThresholds) [https://www.npmjs.com/package/@qwen-code/qwen-code 0.24.4; QwenLM/qwen-code pull request 6583]",
      "the summary has at most 20,000 tokens, and after three failures in a row none is asked for (COMPACT_MAX_OUTPUT_TOKENS, MAX_CONSECUTIVE_FAILURES) [https://www.npmjs.com/package/@qwen-code/qwen-code 0.24.4]",
      "the request for a summary keeps tools and prefix: 66,176 of 69,573 tokens were read from the cache [https://www.npmjs.com/package/@qwen-code/qwen-code 0.24.4, against a loopback provider]",
    ],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "up to five files of 5,000 tokens and three images, 50,000 tokens in all, that it puts back after a snapshot",
    "our engine keeps the last human message and the newest step; of the newest step it keeps the open call alone",
    "3,000 tokens below the effective window it compacts although snapshots failed; the fallback does that here",
    "a snapshot that is larger than what it replaces is thrown away, as it is here",
    "clearing of old tool results by time and size, which it does apart from snapshots",
  ],
};
