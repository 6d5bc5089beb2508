import { knobsOf, type SettingFigures } from "@plimsoll/bench/internal";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import type { AgentAdvice } from "../src/advise/agent-advice.ts";

const WINDOW_TOKENS = 272_000;

/** A setting with plausible figures. */
function figures(limit: number | null, costRatio: number, gain: number): SettingFigures {
  return {
    values: new Map(limit === null ? [] : [["model_auto_compact_token_limit", limit]]),
    policy: { ...PLIMSOLL_POLICY, name: `codex ${limit}` },
    costRatio,
    score: { cost: costRatio, shares: [], gain, farGain: gain - 30, overflows: 0, lineEvidence: 90 },
    losses: [],
  };
}

/** Advice on an agent that should be set another way, and on one that cannot be. `text` stands wherever a settings file has a say. */
export function madeAdvice(text: string): readonly AgentAdvice[] {
  const knobs = knobsOf("codex", null);
  if (knobs === null) throw new Error("the knobs of codex are not known");
  const now = figures(null, 1, 84);
  const best = figures(120_000, 0.72, 84.5);
  const choice = { sessions: 12, idleSessions: 3, drawn: "sessions", figures: [now, best, figures(90_000, 0.61, 79)] } as const;
  const cost = {
    sessions: 15,
    compactions: 9,
    compactedSessions: 6,
    usdText: "$41.50 by list prices",
    compactionUsd: 3.2,
    compactionTokens: 1_900_000,
    neededLater: 31,
    held: [{ what: "your messages", percent: 61.2, uses: 80 }],
  };
  const verdict = { kind: "change", best, costRatio: { from: 0.66, through: 0.81 } } as const;
  return [
    {
      agent: "codex",
      logs: { read: 15, found: 15 },
      cost,
      waitsMs: [60_000, 90_000],
      windowTokens: WINDOW_TOKENS,
      problems: [],
      turning: {
        knobs,
        settings: { path: text, root: text, shown: text, text: "" },
        values: new Map([[text, text]]),
        refusal: null,
        choice: { ...choice, verdict },
      },
      ownEngine: { ...choice, verdict: { kind: "keep", why: "nothing-better" } },
    },
    {
      agent: "cline",
      logs: { read: 15, found: 40 },
      cost,
      waitsMs: [],
      windowTokens: null,
      problems: [],
      turning: null,
      ownEngine: null,
    },
  ];
}
