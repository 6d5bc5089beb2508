import { KLAUDE_CODE_POLICY } from "@plimsoll/core";
import type { Peer } from "./peer.ts";

/**
 * Tokens that its automatic compaction leaves below the input budget, and their share of the 200,000-token window that they are made
 * for: smaller windows take the share.
 */
const BUFFER = { min: [{ tokens: 13_000 }, { ratio: 0.065, of: "window" }] } as const;

/** Claude Code: one summary of everything close to the end of the window; nothing of the history stays. */
export const CLAUDE_CODE_PEER: Peer = {
  policy: {
    ...KLAUDE_CODE_POLICY,
    name: "claude-code",
    gates: { at: ["before-submit", "before-step"], countPending: false },
    trigger: { atLeast: { minus: [{ ratio: 1, of: "input-budget" }, BUFFER] } },
    keep: { messages: 0 },
    manualKeep: null,
    strategies: [
      { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: null },
    ],
    overflow: { keep: { messages: 0 }, maxRecoveries: 1 },
    subAgents: "own",
  },
  source: "analyses of the published program: 13,000 tokens below window − output, 167,000 of 200,000",
  readOn: "2026-11-21",
  notExpressed: [
    "the files that it reads again after a summary, and the reminders, skills and plan that it puts back",
    "the summary is asked for as one more turn of the session, and so reads the prompt cache",
    "clearing of old tool results before the summary, which comes and goes between versions",
    "our engine keeps the last human message and the newest step; it keeps neither",
  ],
};
