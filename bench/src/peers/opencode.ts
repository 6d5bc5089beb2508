import type { Amount } from "@plimsoll/core";
import { BASE_POLICY, ONE_SUMMARY } from "./base-policy.ts";
import type { Peer } from "./peer.ts";

/** It acts if a reply came back and input and output have reached the window less the model's largest reply. */
const USABLE: Amount = { ratio: 1, of: "input-budget" };
/** A quarter of the usable tokens stays, between 2,000 and 15,000 tokens. */
const TAIL: Amount = { min: [{ tokens: 15_000 }, { max: [{ tokens: 2000 }, { ratio: 0.25, of: "input-budget" }] }] };

const FIGURES: readonly string[] = [
  "it compacts at window − output: silent at 167,900 tokens, at work at 168,100 in a window of 200,000 with 32,000 of output [https://www.npmjs.com/package/opencode-ai 1.18.33, against a loopback provider]",
  "a quarter of that stays verbatim, between 2,000 and 15,000 tokens (MIN_ and MAX_PRESERVE_RECENT_TOKENS; 8,000 before) [sst/opencode packages/opencode/src/session/compaction.ts @31e22f6]",
];

const NOT_EXPRESSED = [
  "the kept share is one of what is usable, ours one of the input budget; they differ where less than 60,000 tokens are usable",
  "tool outputs are cut to 2,000 characters in the request for a summary, which ours does too, and kept whole elsewhere; the request has no tools, so nothing of it is cached, as with ours",
  "of a turn that is cut two to three newest steps stay, and the person's only request is lost; ours keeps the last human message",
  "the message that asks the model to go on after a compaction",
  "if usage stays high it compacts again after each reply, without end (73 requests in 25 seconds); ours acts again when something new arrived",
] as const;

/** OpenCode: messages older than the newest tokens are summarised when input and output no longer fit. */
export const OPENCODE_PEER: Peer = {
  policy: {
    ...BASE_POLICY,
    name: "opencode",
    gates: { at: ["before-step"], countPending: false },
    trigger: { atLeast: USABLE },
    keep: [{ kind: "recent", amount: TAIL }],
    strategies: [ONE_SUMMARY],
    overflow: { keep: [{ kind: "recent", amount: TAIL }], maxRecoveries: 1 },
  },
  figures: { primary: FIGURES },
  readOn: "2026-11-22",
  notExpressed: NOT_EXPRESSED,
};

/** OpenCode with its setting `compaction.prune`, which was on by default until it was turned round: old tool outputs go first. */
export const OPENCODE_PRUNE_PEER: Peer = {
  policy: {
    ...OPENCODE_PEER.policy,
    name: "opencode-prune",
    strategies: [{ kind: "clear-tool-results", keepResults: 25, clearAtLeastTokens: 20_000 }, ONE_SUMMARY],
  },
  figures: {
    primary: [
      ...FIGURES,
      "40,000 tokens of tool outputs are protected and 20,000 must go at least (PRUNE_PROTECT, PRUNE_MINIMUM) [sst/opencode packages/opencode/src/session/compaction.ts @31e22f6]",
    ],
    chosen: ["25 results of about 1,600 tokens stand for 40,000 tokens [ours]"],
  },
  readOn: "2026-11-22",
  notExpressed: [
    ...NOT_EXPRESSED,
    "it protects tokens of tool outputs, and two turns; a policy counts results",
    "it prunes after each turn, whatever the size of the context; here pruning comes first when the trigger fires",
    "some tools' outputs are never pruned",
  ],
};
