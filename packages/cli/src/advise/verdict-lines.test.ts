import { knobsOf, type LocatedAgent, type SettingChoice } from "@plimsoll/bench/internal";
import { PI_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import type { AgentAdvice } from "./agent-advice.ts";
import { verdictLines } from "./verdict-lines.ts";

type Kind = SettingChoice["verdict"]["kind"] | "none";

const MINUTE_MS = 60_000;

/** Advice on an agent that was compacted often, and dearly. */
function adviceOn(agent: LocatedAgent, kind: Kind, compactions = 123): AgentAdvice {
  const score = { cost: 1, shares: [], gain: 90, farGain: null, overflows: 0, lineEvidence: 90 };
  const values = new Map([
    ["compaction.reserveTokens", 110_000],
    ["compaction.keepRecentTokens", 40_000],
  ]);
  const best = { values, policy: PI_POLICY, score, costRatio: 0.7, losses: [] };
  const verdicts: { readonly [Of in Kind]: SettingChoice["verdict"] | null } = {
    idle: { kind: "idle" },
    "too-few": { kind: "too-few", leaning: null },
    keep: { kind: "keep", why: "nothing-better" },
    change: { kind: "change", best, costRatio: { from: 0.6, through: 0.8 } },
    none: null,
  };
  const verdict = verdicts[kind];
  const choice = verdict === null ? null : { sessions: 3, idleSessions: 0, drawn: "sessions" as const, figures: [], verdict };
  const knobs = knobsOf(agent, null);
  const settings = { path: "/h/s", root: "/h", shown: "~/s", text: null };
  return {
    agent,
    logs: { read: 45, found: 45 },
    cost: {
      ...{
        sessions: 45,
        compactions,
        compactedSessions: 9,
        usdText: "$12,346 by list prices",
        compactionUsd: 1_234.5,
        compactionTokens: 234_000_000,
      },
      ...{ neededLater: 12, held: [] },
    },
    waitsMs: [3_000 * MINUTE_MS],
    windowTokens: 200_000,
    problems: [],
    turning: knobs === null ? null : { knobs, settings, values: new Map(), refusal: null, choice },
    ownEngine: null,
  };
}

const COST = "123 compactions since 2026-10-25 cost a modelled $1,235, 234M tokens, 50 h.";
const SET = "set reserveTokens=110000 keepRecentTokens=40000: 30 % cheaper (20 to 40).";

test.each<readonly [string, readonly AgentAdvice[], readonly string[]]>([
  ["a change", [adviceOn("pi", "change")], [`pi: ${SET}`]],
  ["nothing worth changing", [adviceOn("codex", "keep")], ["Nothing worth changing: Codex."]],
  ["too few", [adviceOn("gemini", "too-few")], ["Too few long sessions to tell: Gemini CLI (3 of 8)."]],
  ["nothing that fires", [adviceOn("opencode", "idle")], ["Never half full, nothing to change: OpenCode."]],
  ["no knob", [adviceOn("cline", "none")], ["No setting to propose: cline."]],
  [
    "more than there are lines for: short ones share one",
    [adviceOn("codex", "change"), adviceOn("pi", "change"), adviceOn("gemini", "keep"), adviceOn("cline", "none")],
    [`Codex: ${SET}`, `pi: ${SET}`, "Nothing worth changing: Gemini CLI. No setting to propose: cline."],
  ],
])("the verdict tells %s", (_, advice, middle) => {
  expect(verdictLines(advice, "2026-10-25").slice(1, -1)).toEqual(middle);
});

test("of logs that are too many to read the first line says how many were read", () => {
  const advice = { ...adviceOn("pi", "keep"), logs: { read: 20, found: 126 } };
  expect(verdictLines([advice], "2026-10-25")[0]).toBe(COST.replace("since 2026-10-25", "in 20 of 126 logs"));
});

const ALL = [
  ...(["claude-code", "codex", "copilot-cli", "pi", "opencode", "gemini", "qwen-code", "cline"] as const),
  ...(["roo-code", "kilo-code"] as const),
];
const KINDS = ["change", "keep", "too-few", "idle", "none"] as const;

test.each(KINDS.flatMap((a) => KINDS.flatMap((b) => KINDS.map((c) => [a, b, c] as const))))(
  "ten agents of %s, %s and %s are told of in whole words on five lines",
  (...kinds) => {
    const advice = ALL.map((agent, place) => adviceOn(agent, kinds[place % kinds.length] ?? "none"));
    const lines = verdictLines(advice, "2026-10-25");
    expect(lines.length).toBeLessThanOrEqual(5);
    for (const line of lines) expect(line).toMatch(/^[^…]{1,80}$/);
    for (const kind of new Set(kinds)) expect(lines.join(" ")).toContain(WORDS[kind]);
  },
);

/** Phrases of each kind of verdict. */
const WORDS = {
  change: "% cheaper",
  keep: "Nothing worth changing",
  "too-few": "Too few long sessions",
  idle: "Never half full",
  none: "No setting",
} as const;

test.each<readonly [string, number, string]>([
  ["what it cost", 123, COST],
  ["that it cost nothing", 0, "No compaction in 45 sessions since 2026-10-25: it cost you nothing."],
])("the first line says %s", (_, compactions, line) => {
  expect(verdictLines([adviceOn("pi", "keep", compactions)], "2026-10-25")[0]).toBe(line);
});

test.each([
  ["how to set it", "change", "In brackets: 95 % interval, your sessions. To set it: plimsoll advise --write"],
  ["what it rests on", "keep", "Told by replays of your own sessions; they say nothing of task success."],
] as const)("the last line says %s", (_, kind, line) => {
  expect(verdictLines([adviceOn("pi", kind)], "2026-10-25").at(-1)).toBe(line);
});

test("the verdict is five lines of 80 columns at most, whatever there is to say", () => {
  const all = (["claude-code", "codex", "pi", "opencode", "gemini", "cline"] as const).map((agent) =>
    adviceOn(agent, "change"),
  );
  const lines = verdictLines(all, "2026-10-25");
  expect(lines).toHaveLength(5);
  expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(80);
});
