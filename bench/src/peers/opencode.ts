import type { Amount } from "@plimsoll/core";
import { PI_POLICY } from "@plimsoll/core";
import type { SummarizeSpec } from "@plimsoll/core/build";
import type { Peer, PeerFigure } from "./peer.ts";

/** The output that it reserves, which is the model's maximum. */
const OUTPUT: Amount = {
  minus: [
    { ratio: 1, of: "window" },
    { ratio: 1, of: "input-budget" },
  ],
};
/** It acts if input and output reach the input budget less as much again, 20,000 tokens at most. */
const USABLE: Amount = { minus: [{ ratio: 1, of: "input-budget" }, { min: [{ tokens: 20_000 }, OUTPUT] }] };
/** A quarter of what is usable stays, between 2,000 and 15,000 tokens. */
const TAIL: Amount = {
  min: [{ tokens: 15_000 }, { max: [{ tokens: 2000 }, { ratio: 0.25, of: "input-budget" }] }],
};

const SUMMARY: SummarizeSpec = {
  kind: "summarize",
  writer: "model",
  boundary: "any-safe",
  promptId: "checkpoint",
  turnPrefixPromptId: null,
};

const FIGURES: readonly PeerFigure[] = [
  {
    says: "it acts at window − output − min(20,000, output) (COMPACTION_BUFFER)",
    source: "sst/opencode packages/opencode/src/session/overflow.ts @31e22f6",
    standing: "primary",
  },
  {
    says: "a quarter of that stays verbatim, between 2,000 and 15,000 tokens (MIN_ and MAX_PRESERVE_RECENT_TOKENS; 8,000 before)",
    source: "sst/opencode packages/opencode/src/session/compaction.ts @31e22f6",
    standing: "primary",
  },
];

const NOT_EXPRESSED = [
  "the kept share is one of what is usable, ours one of the input budget; they differ where less than 60,000 tokens are usable",
  "tool outputs are cut to 2,000 characters in the request for a summary, which ours does too, and kept whole elsewhere; the request has no tools, so nothing of it is cached, as with ours",
  "the message that asks the model to go on after a compaction",
] as const;

/** OpenCode: what is older than the newest tokens is summarised when input and output no longer fit. */
export const OPENCODE_PEER: Peer = {
  policy: {
    ...PI_POLICY,
    name: "opencode",
    gates: { at: ["before-step"], countPending: false },
    trigger: { atLeast: USABLE },
    keep: [{ kind: "recent", amount: TAIL }],
    strategies: [SUMMARY],
    overflow: { keep: [{ kind: "recent", amount: TAIL }], maxRecoveries: 1 },
  },
  figures: FIGURES,
  readOn: "2026-11-22",
  notExpressed: NOT_EXPRESSED,
};

/** OpenCode with its setting `compaction.prune`, which was on by default until it was turned round: old tool outputs go first. */
export const OPENCODE_PRUNE_PEER: Peer = {
  policy: {
    ...OPENCODE_PEER.policy,
    name: "opencode-prune",
    strategies: [{ kind: "clear-tool-results", keepResults: 25, clearAtLeastTokens: 20_000 }, SUMMARY],
  },
  figures: [
    ...FIGURES,
    {
      says: "40,000 tokens of tool outputs are protected and 20,000 must go at least (PRUNE_PROTECT, PRUNE_MINIMUM)",
      source: "sst/opencode packages/opencode/src/session/compaction.ts @31e22f6",
      standing: "primary",
    },
    { says: "25 results of about 1,600 tokens stand for 40,000 tokens", source: "ours", standing: "chosen" },
  ],
  readOn: "2026-11-22",
  notExpressed: [
    ...NOT_EXPRESSED,
    "it protects tokens of tool outputs, and two turns; a policy counts results",
    "it prunes after each turn, whatever the size of the context; here pruning comes first when the trigger fires",
    "some tools' outputs are never pruned",
  ],
};
