import { PI_POLICY } from "@plimsoll/core";
import type { Peer } from "./peer.ts";

/** Newest history that stays, as a share of the window. */
const KEEP = { ratio: 0.1, of: "window" } as const;

/** LangChain's Deep Agents, its summarization middleware with its defaults: at 85 % of the window all but the newest tenth. */
export const DEEP_AGENTS_PEER: Peer = {
  policy: {
    ...PI_POLICY,
    name: "deep-agents",
    gates: { at: ["before-step"], countPending: true },
    trigger: { atLeast: { ratio: 0.85, of: "window" } },
    keep: [{ kind: "recent", amount: KEEP }],
    strategies: [
      { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: null },
    ],
    overflow: { keep: [{ kind: "recent", amount: KEEP }], maxRecoveries: 1 },
  },
  figures: [
    {
      says: "it acts at 0.85 of the model's input limit and keeps 0.10 of it; 170,000 tokens and 6 messages where that is unknown (_compute_summarization_defaults)",
      source: "langchain-ai/deepagents libs/deepagents/deepagents/middleware/summarization.py @d8b7d74",
      standing: "primary",
    },
  ],
  line: { follows: "share", source: "_compute_summarization_defaults @d8b7d74" },
  readOn: "2026-11-22",
  notExpressed: [
    "it counts the messages, by characters where no usage is known, and not the system prompt",
    "of the span to summarise at most the newest 4,000 tokens are shown to the model, unless told otherwise",
    "long arguments of old calls are cut at the same line",
    "the history that was summarised goes to a file that the model can read",
  ],
};
