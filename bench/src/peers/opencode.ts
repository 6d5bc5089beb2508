import { PI_POLICY } from "@plimsoll/core";
import type { Peer } from "./peer.ts";

/** OpenCode: old tool outputs are pruned, then everything is summarised, when input and output no longer fit. */
export const OPENCODE_PEER: Peer = {
  policy: {
    ...PI_POLICY,
    name: "opencode",
    gates: { at: ["before-step"], countPending: false },
    trigger: { above: { ratio: 1, of: "input-budget" } },
    keep: { messages: 0 },
    strategies: [
      { kind: "clear-tool-results", keepResults: 25, clearAtLeastTokens: 20_000 },
      { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: null },
    ],
    overflow: { keep: { messages: 0 }, maxRecoveries: 1 },
  },
  source:
    "packages/opencode/src/session/compaction.ts: PRUNE_PROTECT 40,000, PRUNE_MINIMUM 20,000; overflow above window − output",
  readOn: "2026-11-21",
  notExpressed: [
    "it protects 40,000 tokens of tool outputs and two turns; a policy counts results: 25 of about 1,600 tokens",
    "it prunes after each turn, whatever the size of the context; here pruning comes first when the trigger fires",
    "some tools' outputs are never pruned",
    "the message that asks the model to go on after a compaction",
  ],
};
