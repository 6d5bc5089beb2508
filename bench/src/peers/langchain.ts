import type { Policy } from "@plimsoll/core";
import { PI_POLICY } from "@plimsoll/core";
import { CONTEXT_EDITING_PEER } from "./context-editing.ts";
import type { Peer } from "./peer.ts";

const KEEP: Policy["keep"] = [{ kind: "recent", messages: 20 }];

/** LangChain's summarization middleware, which has no line of its own, at 0.8 of the window: all but the newest 20 messages. */
export const LANGCHAIN_PEER: Peer = {
  policy: {
    ...PI_POLICY,
    name: "langchain",
    gates: { at: ["before-step"], countPending: true },
    trigger: { atLeast: { ratio: 0.8, of: "window" } },
    keep: KEEP,
    strategies: [
      { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: null },
    ],
    overflow: { keep: KEEP, maxRecoveries: 0 },
  },
  figures: [
    {
      says: "it keeps the newest 20 messages unless told otherwise (keep)",
      source: "https://reference.langchain.com/python/langchain/agents/middleware/summarization/SummarizationMiddleware",
      standing: "primary",
    },
    {
      says: "it has no line of its own (trigger: none unless it is given); 0.8 of the window stands for it",
      source: "ours",
      standing: "chosen",
    },
  ],
  line: { follows: "share", source: "ours: the middleware takes tokens, messages or a share" },
  readOn: "2026-11-22",
  notExpressed: [
    "of the span to summarise at most the newest 4,000 tokens are shown to the model (trim_tokens_to_summarize)",
    "it counts the messages, by characters, and not system text and tools",
    "the person's request goes with the rest; ours keeps the last human message",
    "a request that is too long fails; as published it is lost here, too",
  ],
};

/** LangChain's context editing middleware with its defaults: the same edit as the vendor's, made by the client. */
export const LANGCHAIN_CONTEXT_EDITING_PEER: Peer = {
  policy: { ...CONTEXT_EDITING_PEER.policy, name: "langchain-context-editing" },
  figures: [
    {
      says: "it acts above 100,000 tokens and keeps 3 tool results (ClearToolUsesEdit: trigger, keep)",
      source: "https://reference.langchain.com/javascript/langchain/index/contextEditingMiddleware",
      standing: "primary",
    },
  ],
  line: { follows: "tokens", source: "https://reference.langchain.com/javascript/langchain/index/contextEditingMiddleware" },
  readOn: "2026-11-22",
  notExpressed: [
    "it counts by characters unless told otherwise, and not the tools",
    "what it clears is cleared in the request alone; here it stays cleared",
    "if clearing is not enough the request fails there; here the fallback follows",
  ],
};
