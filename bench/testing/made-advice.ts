import type { SettingFigures } from "../src/advise/choose-setting.ts";
import type { AdvisedAgent, Decision } from "../src/advise/decide.ts";
import { knobsOf } from "../src/advise/knob-table.ts";
import { madeStanding } from "./example-tuned.ts";

const WINDOW_TOKENS = 272_000;

/** A setting with plausible figures: a limit, or the present one. */
export function madeFigures(limit: number | null, costRatio: number, keptPercent: number): SettingFigures {
  const figures = { held: keptPercent, far: keptPercent - 30, usd: 40 * costRatio };
  return {
    kind: limit === null ? "now" : "candidate",
    values: new Map(limit === null ? [] : [["model_auto_compact_token_limit", limit]]),
    ...{
      standing: madeStanding(`codex ${limit}`, 100 * costRatio, figures),
      costRatio,
      savedUsd: 40 * (1 - costRatio),
      losses: [],
      gains: [],
    },
  };
}

/** Codex with its settings file; `text` is at every place that the file decides. */
export function madeAgent(text: string): AdvisedAgent {
  const knobs = knobsOf("codex", null);
  if (knobs === null) throw new Error("the knobs of codex are not known");
  const settings = { path: text, root: text, shown: text, text: "" };
  const turning = { knobs, settings, values: new Map([[text, text]]), refusal: null };
  const rest = { program: "plimsoll", turning, version: null, oldestVersion: null, problems: [] };
  return { agent: "codex", title: "Codex", logsRead: 15, logsFound: 15, ...rest };
}

/** Advice on an agent that should be set another way, and on one that cannot be. `text` is at every place that a settings file or log decides. */
export function madeAdvice(text: string): readonly Decision[] {
  const [now, best] = [madeFigures(null, 1, 84), madeFigures(120_000, 0.72, 84.5)];
  const sureness = { cost: { from: 66, through: 81 }, drawn: "sessions", count: 12 } as const;
  const setting = { kind: "set", best, sureness } as const;
  const decision: Decision = {
    ...{
      agent: madeAgent(text),
      windowTokens: WINDOW_TOKENS,
      windowBy: text,
      waitsMs: [60_000, 90_000],
      recorded: madeFigures(null, 1, 84).standing,
      ...{ refusal: null, notJudged: [] },
    },
    models: [{ modelId: text, sessions: 15, usd: 41.5 }],
    days: { from: "2026-01-08", through: "2026-03-01" },
    cost: {
      sessions: 15,
      compactions: 9,
      compactedSessions: 6,
      usd: 41.5,
      usdIs: "whole",
      promptTokens: 9_000_000,
      usdText: "$41.50 by list prices",
      compactionUsd: 3.2,
      pricedCompactions: 9,
      neededLater: 31,
    },
    fills: [{ kind: `instructions of ${text}`, tokens: 3_000, percent: 4, usd: 1.66 }],
    choice: {
      ...{ sessions: 12, projects: 2, rows: [now, best, madeFigures(90_000, 0.61, 79)], setting },
      proxy: { kind: "keep", why: "nothing-cheaper" },
    },
  };
  const unknown: AdvisedAgent = { ...madeAgent(text), agent: "cline", title: "Cline", logsFound: 40, turning: null };
  return [
    decision,
    { ...decision, agent: unknown, refusal: "advise knows no setting of this agent", choice: null, waitsMs: [] },
  ];
}
