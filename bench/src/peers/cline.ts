import type { Amount } from "@plimsoll/core";
import { BASE_POLICY } from "./base-policy.ts";
import type { Peer } from "./peer.ts";

/** Four fifths of the window, in large windows all but 40,000 tokens. */
const ALLOWED: Amount = { max: [{ minus: [{ ratio: 1, of: "window" }, { tokens: 40_000 }] }, { ratio: 0.8, of: "window" }] };
/** Half of the amount that the smaller windows allow. */
const HALF: Amount = { ratio: 0.4, of: "window" };

/** Cline in its editor (before its SDK) without its summaries: at four fifths of the window the older half of the messages goes; no model is asked. */
export const CLINE_PEER: Peer = {
  policy: {
    ...BASE_POLICY,
    name: "cline",
    gates: { at: ["before-step"], countPending: false },
    trigger: { atLeast: ALLOWED },
    keep: [{ kind: "recent", amount: HALF }],
    strategies: [{ kind: "drop-oldest", amount: "all-but-keep", notice: "count" }],
    overflow: { keep: [{ kind: "recent", amount: { ratio: 0.2, of: "window" } }], maxRecoveries: 1 },
  },
  figures: {
    primary: [
      "it compacts at max(window − 40,000, 0.8 window); at 37,000 of 64,000 and 98,000 of 128,000 (maxAllowedSize) [cline/cline src/core/context/context-management/context-window-utils.ts @031561e]",
      "half of the messages go, three quarters where half would not do (getNextTruncationRange) [cline/cline src/core/context/context-management/ContextManager.ts @01cfde0]",
    ],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "half of the messages, wherever their tokens are; a policy keeps tokens: half of those at which it acts",
    "windows of exactly 64,000 and 128,000 tokens have lines of their own",
    "the first message and its reply, which it keeps; ours keeps the last human message",
    "files that were read twice are masked first, and nothing is dropped where that saves 30%",
    "the summary that it asks some models for instead",
  ],
};
