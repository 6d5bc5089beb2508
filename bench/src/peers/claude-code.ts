import { KLAUDE_CODE_POLICY } from "@plimsoll/core";
import type { Peer } from "./peer.ts";

/** Tokens that it leaves for the summary: at most 20,000, a tenth of the 200,000-token window; smaller windows take the share. */
const SUMMARY_RESERVE = { min: [{ tokens: 20_000 }, { ratio: 0.1, of: "window" }] } as const;
/** Tokens that it leaves in addition: 13,000, and their share of the same window. */
const BUFFER = { min: [{ tokens: 13_000 }, { ratio: 0.065, of: "window" }] } as const;

/** Claude Code: one summary of everything close to the end of the window; nothing of the history stays. */
export const CLAUDE_CODE_PEER: Peer = {
  policy: {
    ...KLAUDE_CODE_POLICY,
    name: "claude-code",
    gates: { at: ["before-submit", "before-step"], countPending: false },
    trigger: { atLeast: { minus: [{ ratio: 1, of: "window" }, SUMMARY_RESERVE, BUFFER] } },
    keep: [{ kind: "recent", messages: 0 }],
    manualKeep: null,
    strategies: [
      { kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: null },
    ],
    overflow: { keep: [{ kind: "recent", messages: 0 }], maxRecoveries: 1 },
    summary: { ...KLAUDE_CODE_POLICY.summary, request: "prefix" },
    subAgents: "own",
  },
  figures: [
    {
      says: "it acts 13,000 tokens below the effective window",
      source: "github.com/anthropics/claude-code/issues/31806, which quotes the published program",
      standing: "secondary",
    },
    {
      says: "the effective window is the window less the model's output, 20,000 tokens at most: 167,000 of 200,000",
      source: "analyses of the published program",
      standing: "secondary",
    },
    {
      says: "the summary is asked for as one more turn of the session, behind its cached system text, tools and messages",
      source: "analyses of the published program",
      standing: "secondary",
    },
    { says: "in windows below 200,000 tokens both amounts shrink with the window", source: "ours", standing: "chosen" },
  ],
  readOn: "2026-11-22",
  notExpressed: [
    "the files that it reads again after a summary, and the reminders, skills and plan that it puts back",
    "clearing of old tool results before the summary, which comes and goes between versions",
    "our engine keeps the last human message and the newest step; it keeps neither",
  ],
};
