import { ROLLING_MASK_PEER } from "./observation-masking.ts";
import type { Peer } from "./peer.ts";

/** The AI SDK's `pruneMessages` as its reference shows it: at every call, calls and results before the last two messages go. */
export const AI_SDK_PRUNE_PEER: Peer = {
  policy: { ...ROLLING_MASK_PEER.policy, name: "ai-sdk-prune", strategies: [{ kind: "drop-tool-calls", keepMessages: 2 }] },
  figures: [
    {
      says: "toolCalls: before-last-2-messages, in the reference's example; without it nothing is pruned",
      source: "https://ai-sdk.dev/v5/docs/reference/ai-sdk-ui/prune-messages",
      standing: "primary",
    },
  ],
  line: { follows: "every-call", source: "https://ai-sdk.dev/v5/docs/reference/ai-sdk-ui/prune-messages" },
  readOn: "2026-11-22",
  notExpressed: [
    "reasoning of the open step, which the same example removes; ours keeps it with its calls",
    "a reply that speaks keeps nothing of its calls; ours puts the tool's name in the place of each, and a word in that of reasoning",
    "our engine fires again only after 2 % of the input budget is new, so that a few calls go together; not as published",
    "if pruning is not enough the request fails there; here the fallback follows",
  ],
};
