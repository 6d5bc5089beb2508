import { PI_POLICY } from "@plimsoll/core";
import type { Peer } from "./peer.ts";

/** Codex: at nine tenths of the window all of the history gives way to a summary beside the person's newest messages. */
export const CODEX_PEER: Peer = {
  policy: {
    ...PI_POLICY,
    name: "codex",
    gates: { at: ["before-submit", "after-tool-batch"], countPending: false },
    trigger: { atLeast: { ratio: 0.9, of: "window" } },
    keep: [{ kind: "recent", messages: 0 }],
    strategies: [
      { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: null },
    ],
    truncation: { capTokens: 10_000 },
    overflow: { keep: [{ kind: "recent", messages: 0 }], maxRecoveries: 2 },
    summary: { ...PI_POLICY.summary, resultCapChars: null },
  },
  figures: [
    {
      says: "it acts at 9/10 of the window unless the model's entry names less (auto_compact_token_limit)",
      source: "openai/codex codex-rs/protocol/src/openai_models.rs @8db0700",
      standing: "primary",
    },
    {
      says: "a tool output is cut to 10,000 tokens (truncation_policy; 10,000 bytes for models that it does not know)",
      source: "all 120 turn_context lines of recorded sessions, versions 0.118 to 0.125",
      standing: "primary",
    },
    {
      says: "the person's messages stay up to 20,000 tokens (COMPACT_USER_MESSAGE_MAX_TOKENS)",
      source: "openai/codex codex-rs/core/src/compact.rs @e06dd0e",
      standing: "primary",
    },
    {
      says: "the request for a summary holds the whole history, results uncut, and no tools: nothing of it is cached",
      source: "openai/codex codex-rs/core/src/compact.rs @0100b10; its program against a loopback provider",
      standing: "primary",
    },
  ],
  readOn: "2026-11-22",
  notExpressed: [
    "the person's messages up to 20,000 tokens, which it keeps verbatim before the summary; ours keeps the last one",
    "compaction on the server, the default with the vendor's own models, whose result is not readable",
    "a request for a summary that is too long is sent again without its oldest messages",
    "the newest step, which ours keeps and it does not",
  ],
};
