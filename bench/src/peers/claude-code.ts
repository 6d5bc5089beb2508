import { KLAUDE_CODE_POLICY, type Policy } from "@plimsoll/core";
import { ONE_SUMMARY } from "./base-policy.ts";
import type { Peer } from "./peer.ts";

/** Tokens that it leaves below the line at which a summary still fits. */
const BUFFER = { tokens: 13_000 } as const;

const FIGURES: Peer["figures"] = {
  secondary: [
    "it acts 13,000 tokens below the effective window [github.com/anthropics/claude-code/issues/31806, which quotes the published program]",
    "the summary is asked for as one more turn of the session, behind its cached system text, tools and messages [analyses of the published program]",
  ],
};

/** One summary of everything at so many tokens below the window; nothing of the history stays. */
function policyNamed(name: string, summaryReserveTokens: number): Policy {
  return {
    ...KLAUDE_CODE_POLICY,
    name,
    gates: { at: ["before-submit", "before-step"], countPending: false },
    trigger: { atLeast: { minus: [{ ratio: 1, of: "window" }, { tokens: summaryReserveTokens }, BUFFER] } },
    keep: [{ kind: "recent", messages: 0 }],
    manualKeep: null,
    strategies: [ONE_SUMMARY],
    overflow: { keep: [{ kind: "recent", messages: 0 }], maxRecoveries: 1 },
    summary: { ...KLAUDE_CODE_POLICY.summary, request: "prefix" },
    subAgents: "own",
  };
}

/** Claude Code from 2.1.25 on: it leaves 20,000 tokens for the summary. */
export const CLAUDE_CODE_PEER: Peer = {
  policy: policyNamed("claude-code", 20_000),
  figures: {
    ...FIGURES,
    primary: [
      "it compacts at 167,000 of 200,000 tokens: the effective window is the window less 20,000 [10 automatic compactions in recorded sessions, versions 2.1.25 to 2.1.39, at 167,066 tokens or more]",
    ],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "the files that it reads again after a summary, and the reminders, skills and plan that it puts back: its first request after one was recorded at 31,000 to 68,000 tokens",
    "clearing of old tool results before the summary, which comes and goes between versions",
    "our engine keeps the last human message and the newest step; it keeps neither",
    "windows are those of the session's model: 200,000 tokens in all recorded compactions up to 2.1.39, a million in later ones; a compaction at 998,659 tokens was recorded",
  ],
};

/** Claude Code up to 2.1.20: it leaves the reply's whole 32,000 tokens. */
export const CLAUDE_CODE_2_1_20_PEER: Peer = {
  ...CLAUDE_CODE_PEER,
  policy: policyNamed("claude-code-2.1.20", 32_000),
  figures: {
    ...FIGURES,
    primary: [
      "it compacts at 155,000 of 200,000 tokens: the effective window is the window less the reply's 32,000 [17 automatic compactions in recorded sessions, versions 2.1.1 to 2.1.20, at 155,099 tokens or more]",
    ],
  },
};
