import { PI_POLICY } from "@plimsoll/core";
import type { Peer } from "./peer.ts";

/** Codex: at nine tenths of the window all of the history gives way to a summary beside the person's newest messages. */
export const CODEX_PEER: Peer = {
  policy: {
    ...PI_POLICY,
    name: "codex",
    gates: { at: ["before-submit", "after-tool-batch"], countPending: false },
    trigger: { atLeast: { ratio: 0.9, of: "window" } },
    keep: { messages: 0 },
    strategies: [
      { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: null },
    ],
    truncation: { capTokens: 2500 },
    overflow: { keep: { messages: 0 }, maxRecoveries: 2 },
  },
  source:
    "codex-rs/core: compact.rs (user messages up to 20,000 tokens), automatic limit at 9/10 of the window, output cap 10 KiB",
  readOn: "2026-11-21",
  notExpressed: [
    "the person's messages up to 20,000 tokens, which it keeps verbatim beside the summary; ours keeps the last one",
    "compaction on the server, whose result is not readable",
    "a request for a summary that is too long is retried with the oldest messages left out",
  ],
};
