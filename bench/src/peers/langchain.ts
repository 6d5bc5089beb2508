import type { Policy } from "@plimsoll/core";
import { BASE_POLICY, LENGTH_ESTIMATE, ONE_SUMMARY } from "./base-policy.ts";
import { CONTEXT_EDITING_PEER } from "./context-editing.ts";
import type { Peer } from "./peer.ts";

const KEEP: Policy["keep"] = [{ kind: "recent", messages: 20 }];

/**
 * The middlewares' own count (countTokensApproximately): four characters a token, of only the messages. A call is counted as JSON with its id and type,
 * and a result with the call's id: half of some 90 characters a pair.
 */
const MESSAGES_BY_LENGTH: Policy["estimator"] = { ...LENGTH_ESTIMATE, perMessageTokens: 12, overhead: "left-out" };

/** LangChain's summarization middleware, which has no line of its own, at 0.8 of the window: all but the newest 20 messages. */
export const LANGCHAIN_PEER: Peer = {
  policy: {
    ...BASE_POLICY,
    name: "langchain",
    estimator: MESSAGES_BY_LENGTH,
    cutEstimator: null,
    gates: { at: ["before-step"], countPending: true },
    trigger: { atLeast: { ratio: 0.8, of: "window" } },
    keep: KEEP,
    strategies: [ONE_SUMMARY],
    overflow: { keep: KEEP, maxRecoveries: 0 },
  },
  figures: {
    primary: [
      "it keeps the newest 20 messages unless told otherwise (keep) [https://reference.langchain.com/python/langchain/agents/middleware/summarization/SummarizationMiddleware]",
    ],
    chosen: ["it has no line of its own (trigger: none unless it is given); 0.8 of the window stands for it [ours]"],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "of the span to summarise at most the newest 4,000 tokens are shown to the model (trim_tokens_to_summarize)",
    "it counts reasoning as nothing; ours counts its text",
    "the person's request goes with the rest; ours does so as published, and keeps the last human message elsewhere",
    "a request that is too long fails; as published it is lost here, too",
  ],
};

/** LangChain's context editing middleware with its defaults: the same edit as the vendor's, made by the client. */
export const LANGCHAIN_CONTEXT_EDITING_PEER: Peer = {
  policy: {
    ...CONTEXT_EDITING_PEER.policy,
    name: "langchain-context-editing",
    estimator: MESSAGES_BY_LENGTH,
    cutEstimator: null,
    trigger: { atLeast: { tokens: 100_000 } },
    keep: [],
    overflow: { keep: [], maxRecoveries: 0 },
  },
  figures: {
    primary: [
      "it acts above 100,000 tokens and keeps 3 tool results (ClearToolUsesEdit: trigger, keep) [https://reference.langchain.com/javascript/langchain/index/contextEditingMiddleware]",
    ],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "it keeps the newest 3 results whatever step they are of; ours 3 and those of the open step",
    "a result that is shorter than our stub is cleared by it, and left by ours",
    "if clearing is not enough the request fails there; here the fallback follows",
  ],
};
