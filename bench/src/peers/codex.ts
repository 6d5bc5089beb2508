import type { Policy } from "@plimsoll/core";
import { BASE_POLICY, ONE_SUMMARY } from "./base-policy.ts";
import type { Peer } from "./peer.ts";

const KEEP: Policy["keep"] = [
  { kind: "human", atMost: { tokens: 20_000 } },
  { kind: "recent", messages: 0 },
];

/** Codex: at nine tenths of the window the history gives way to a summary, but for the person's messages, which stay word for word. */
export const CODEX_PEER: Peer = {
  policy: {
    ...BASE_POLICY,
    name: "codex",
    gates: { at: ["before-submit", "after-tool-batch"], countPending: false },
    trigger: { atLeast: { ratio: 0.9, of: "window" } },
    keep: KEEP,
    strategies: [ONE_SUMMARY],
    truncation: { capTokens: 10_000 },
    overflow: { keep: KEEP, maxRecoveries: 2 },
    summary: { ...BASE_POLICY.summary, resultCapChars: null },
  },
  figures: {
    primary: [
      "it compacts at 9/10 of the window unless the model's entry names less (auto_compact_token_limit) [openai/codex codex-rs/protocol/src/openai_models.rs @8db0700; 0.169.0 against a loopback provider]",
      "a window of 258,400 tokens in a log is 95% of the model's 272,000 (effective_context_window_percent); the line is 9/10 of the whole [openai/codex codex-rs/protocol/src/openai_models.rs; 13 compactions in recorded sessions]",
      "reasoning of earlier turns is counted on top of the report (get_non_last_reasoning_items_tokens) [openai/codex codex-rs/core/src/context_manager/history.rs; compactions in recorded sessions agree with it]",
      "a tool output is cut to 10,000 tokens (truncation_policy; 10,000 bytes for models that it does not know) [all 120 turn_context lines of recorded sessions, versions 0.118 to 0.125]",
      "the person's messages stay up to 20,000 tokens (COMPACT_USER_MESSAGE_MAX_TOKENS) [openai/codex codex-rs/core/src/compact.rs @e06dd0e]",
      "the request for a summary holds the whole history, results uncut, and no tools: nothing of it is cached [openai/codex codex-rs/core/src/compact.rs @0100b10; its program against a loopback provider]",
    ],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "it counts the reasoning of earlier turns on top of what was reported, which the provider has dropped by then: 2,000 to 31,000 tokens in recorded sessions",
    "the context that it writes at the start of a session (project rules, environment) is written again after a compaction",
    "its order, the person's messages first and the summary last; ours puts the summary in the place of what it covers",
    "a message of the person that is longer than what is left of the 20,000 tokens is cut there; ours stays whole or goes",
    "compaction on the server, the default with the vendor's own models, whose result is not readable",
    "a request for a summary that is too long is sent again without its oldest messages",
    "the newest step, which ours keeps and it does not",
  ],
};
