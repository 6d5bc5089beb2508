import { expect, test } from "vitest";
import { madeAdvice, madeFigures } from "../../testing/made-advice.ts";
import type { SettingVerdict } from "../judge/settings.ts";
import { answerSentences, optionSentences, shortAnswer } from "./advice-words.ts";
import { adviceHtml, adviceText } from "./advise-command.ts";
import type { SettingFigures } from "./choose-setting.ts";
import type { Decision } from "./decide.ts";
import { knobsOf } from "./knob-table.ts";

type Verdict = SettingVerdict<SettingFigures>;

/** The made decision with other verdicts. */
function decided(setting: Verdict, proxy: Verdict = { kind: "idle" }): Decision {
  const [first] = madeAdvice("~/.codex/config.toml");
  if (first?.choice === null || first === undefined) throw new Error("the made advice has a choice");
  const row = { ...madeFigures(120_000, 0.97, 84.5), kind: "proxy" } as const;
  return { ...first, choice: { ...first.choice, rows: [...first.choice.rows, row], setting, proxy } };
}

const NO_CHOICE = { sessions: 12, projects: 2, rows: [], proxy: { kind: "idle" } } as const;
const CHEAP = madeFigures(120_000, 0.72, 84.5);
const moved = (measure: string, points: number) => ({ measure, than: "now", points, cases: 10 });
const LOSING = {
  ...CHEAP,
  losses: ["older replaced texts", "passages", "older passages", "replaced texts"].map((name, at) => moved(name, 9 - at)),
  gains: [moved("edited files", 4)],
};
const PROXY = { ...CHEAP, kind: "proxy" } as const;
const SURE =
  "saves 28.0% of a session's cost on average (19.0 to 34.0% in 95% of resamples of your sessions); about $11.20 in all; compacts 1 time, now 1";
const SHORT = "saves 28.0% a session on average ($11.20 in all)";
const JUDGED = "Judged on 12 sessions of 2 projects.";
const sureness = { cost: { from: 66, through: 81 }, drawn: "sessions", count: 12 } as const;

test("advice fits 80 columns", () => {
  const lines = adviceText(madeAdvice("settings"), { columns: 80, full: true }).split("\n");
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
});

test("the short answer says what the agent's own compactions kept, if that is known", () => {
  const [decision] = madeAdvice("settings");
  const said = (recorded: Decision["recorded"]) =>
    adviceText(decision ? [{ ...decision, recorded }] : [], { columns: 80, full: false }).replace(/\s+/g, " ");
  expect(said(decision?.recorded ?? null)).toMatch(
    /set its values, .* Codex's 9 compactions \(1 judged\) kept 84\.0% of the text .* \(older text: 54\.0%\) \(2 of the 9 have .*: 3 min in total\)\.$/,
  );
  expect(said(null)).not.toContain("kept 84");
});

test("a setting that does harm is to be removed, with the reason and the line", () => {
  const [decision] = madeAdvice("~/.codex/config.toml");
  const values = new Map([["model_auto_compact_token_limit", null]]);
  const instead = { kind: "set", best: CHEAP, sureness } as const;
  const setting = { kind: "remove", values, harm: moved("passages", 12.3), instead } as const;
  const unset = { ...madeFigures(null, 1.23, 84), kind: "default" } as const;
  const rows = [madeFigures(null, 1, 70), unset];
  const proxy = { kind: "set", best: PROXY, sureness } as const;
  const choice = decision?.choice ? { ...decision.choice, rows, setting, proxy } : null;
  const said = (pays: "tokens" | "plan") =>
    adviceText(decision === undefined ? [] : [{ ...decision, choice }], { columns: 80, full: false, pays });
  const text = said("plan");
  expect(text.replace(/\s+/g, " ")).toContain(
    "Remove model_auto_compact_token_limit from ~/.codex/config.toml: it loses up to 12.3 points of passages; the default costs 23.0% more on average. Or set model_auto_compact_token_limit=120000: saves, against the default, 28.0% of",
  );
  const paid = said("tokens").replace(/\s+/g, " ");
  expect(paid).toContain("points of passages; the default costs about $9.20 more. Or set");
  expect(paid).toContain("Or instead: Codex behind plimsoll proxy (needs an API key; not with a subscription) saves, against");
  expect(paid).toContain(
    "remove model_auto_compact_token_limit (costs about $9.20 more); or set model_auto_compact_token_limit=120000; or use plimsoll proxy",
  );
  expect(text).toContain("      (remove model_auto_compact_token_limit)\n");
});

test.each<readonly [string, Verdict, string, string]>([
  [
    "a change",
    { kind: "set", best: CHEAP, sureness },
    `Set model_auto_compact_token_limit=120000 in ~/.codex/config.toml: ${SURE}; loses nothing measured. ${JUDGED}`,
    `set its values, ${SHORT}`,
  ],
  [
    "a trade, with what it loses",
    { kind: "trade", best: LOSING, sureness },
    `Every saving has a loss or a doubt: model_auto_compact_token_limit=120000 ${SURE}; loses points: older replaced texts −9.0, passages −8.0, older passages −7.0 and 1 more; gains points: edited files +4.0. ${JUDGED}`,
    "every saving has a loss or a doubt: model_auto_compact_token_limit=120000 saves 28.0% a session on average ($11.20 in all) and loses up to 9.0 points of older replaced texts",
  ],
  [
    "too few sessions, with how many more",
    { kind: "too-few", missing: 1 },
    "Nothing to set yet: 12 sessions fill half of the window; an answer needs 1 more.",
    "nothing to set yet, 1 more session needed",
  ],
  [
    "nothing cheaper",
    { kind: "keep", why: "nothing-cheaper" },
    `Nothing to set: no setting tried saves 5%. ${JUDGED}`,
    "nothing to set: no setting tried saves 5%",
  ],
  [
    "windows that are never half full",
    { kind: "idle" },
    "Nothing to set: no session fills half of the window (136k tokens).",
    "nothing to set",
  ],
])("an answer says %s", (_, verdict, sentence, short) => {
  expect(answerSentences(decided(verdict), { full: false })).toEqual([sentence]);
  expect(shortAnswer(decided(verdict))).toBe(short);
});

test.each([
  ["other-window", "another window uses the same setting, and decides it"],
  [
    "too-much-lost",
    "each of the 2 settings tried (model 120k; model 90k) that saves 5% loses over 10 points of a measure; nearest: model 120k saves 28.0%, loses 11.0 points of passages (10 cases)",
  ],
] as const)("an answer that keeps a setting says why: %s", (why, words) => {
  const { choice, ...rest } = decided({ kind: "keep", why });
  const rows = choice?.rows.map((row, at) => ({ ...row, losses: at === 0 ? [] : [moved("passages", 10 + at)] })) ?? [];
  const decision = { ...rest, choice: choice && { ...choice, rows } };
  expect(answerSentences(decision)).toEqual([`Nothing to set: ${words}. ${JUDGED}`]);
  expect(shortAnswer(decision)).toBe(`nothing to set: ${words}`);
});

test.each<readonly [string, Verdict, RegExp, string]>([
  [
    "better by the same test",
    { kind: "set", best: PROXY, sureness },
    /^Run Codex behind plimsoll proxy \(needs an API key; not with a subscription\): saves 28\.0% .* 12 sessions of/,
    `use plimsoll proxy, ${SHORT}`,
  ],
  [
    "a trade, with all that it loses",
    { kind: "trade", best: { ...PROXY, losses: LOSING.losses }, sureness },
    /^Codex behind plimsoll proxy .* saves 28\.0% .* −7\.0, replaced texts −6\.0\. .* at 245k, can stay: the proxy cuts first\.$/,
    "nothing to set: no setting tried saves 5%; but plimsoll proxy saves 28.0% a session on average ($11.20 in all) and loses up to 9.0 points of older replaced texts",
  ],
  [
    "a small saving, with how often it compacts",
    { kind: "keep", why: "nothing-cheaper" },
    /^Don't use plimsoll proxy .* subscription\): it saves only 3\.0%, and compacts 1 time instead of 1\.$/,
    "nothing to set: no setting tried saves 5%; plimsoll proxy saves only 3.0%, and compacts 1 time instead of 1",
  ],
])("the proxy is a decision with its command: %s", (_, proxy, sentence, short) => {
  const decision = decided({ kind: "keep", why: "nothing-cheaper" }, proxy);
  expect(answerSentences(decision)[1]).toMatch(sentence);
  const kept = `Nothing to set: no setting tried saves 5%. ${JUDGED}`;
  expect(answerSentences(decision, { pays: "plan" })).toEqual([kept]);
  expect([shortAnswer(decision), shortAnswer(decision, "plan")]).toEqual([short, "nothing to set: no setting tried saves 5%"]);
  const command = "      plimsoll proxy --upstream https://api.openai.com/v1\n";
  expect(adviceText([decision], { columns: 80, full: false }).includes(command)).toBe(proxy.kind !== "keep");
  expect(adviceText([decision], { columns: 80, full: false, pays: "plan" })).not.toContain(command);
});

test("an agent whose own compaction comes first has it switched off", () => {
  const sooner = new Map([["model_auto_compact_token_limit", 100_000]]);
  const decision = decided({ kind: "idle" }, { kind: "set", best: PROXY, sureness });
  const { agent } = decision;
  const turning = agent.turning === null ? null : { ...agent.turning, values: sooner };
  expect(answerSentences({ ...decision, agent: { ...agent, turning } })[1]).toMatch(
    /own compaction would act first, at 100k: remove model_auto_compact_token_limit\.$/,
  );
});

test("the habits that cost most are named beside something to set too", () => {
  const habits = ["results of Read: 60.0% of the tokens sent, about $9.00 in all."];
  const text = adviceText([decided({ kind: "set", best: CHEAP, sureness })], { columns: 80, full: true, habits });
  expect(text).toContain("The most expensive habits in these logs:\n  - results of Read: 60.0%");
  expect(text.match(/set its values, saves/g)).toHaveLength(1);
});

test("a loss on one half only is a doubt, behind the figures over all sessions", () => {
  const losses = [{ ...moved("passages", 2), onHalf: true } as const];
  const best = { ...PROXY, losses, worst: moved("edited files", 0.9), gains: LOSING.gains };
  const decision = decided({ kind: "keep", why: "nothing-cheaper" }, { kind: "trade", best, sureness });
  const half = "in one of two random halves of your sessions";
  expect(answerSentences(decision)[1]).toContain(
    `; loses less than a point of each measure (most: edited files −0.90); gains points: edited files +4.0. Not sure: ${half} it loses points: passages −2.0 (10 cases). Judged`,
  );
  expect(shortAnswer(decision)).toBe(
    `nothing to set: no setting tried saves 5%; but plimsoll proxy ${SHORT} and loses under a point over all sessions, but on one half up to 2.0 points of passages (10 cases)`,
  );
  expect(answerSentences(decided({ kind: "trade", best, sureness }))[0]).toMatch(/^Every saving has a loss or a doubt: /);
  const two = decided({ kind: "trade", best, sureness, cheaper: LOSING });
  const losing = `model_auto_compact_token_limit=120000 ${SHORT} and loses up to 9.0 points of older replaced texts`;
  expect(answerSentences(two)[0]).toContain(`. Or ${losing}.`);
  expect(shortAnswer(two)).toContain(`; or ${losing}`);
});

test("the plugin is judged by its replay, where Claude Code compacts, beside the agent's own compaction", () => {
  const { agent, choice, ...rest } = decided({ kind: "keep", why: "nothing-cheaper" });
  const knobs = knobsOf("claude-code", null);
  const turning = agent.turning === null || knobs === null ? null : { ...agent.turning, knobs };
  expect(knobs?.plugin?.(new Map()).trigger).toEqual(knobs?.replay.likeness(new Map()).trigger);
  const rows = [...(choice?.rows ?? []), { ...madeFigures(1, 1.1, 88), kind: "plugin" } as const];
  const decision = { ...rest, agent: { ...agent, turning }, choice: choice && { ...choice, rows } };
  expect(optionSentences({ ...decision, agent: { ...decision.agent, version: "2.1.218" } })).toEqual([
    expect.stringMatching(
      /^Costs more: .* from 2\.1\.287 on; yours was 2\.1\.218: update .* Replayed .*: cost 110\.0% \(100\.0%\), kept 88\.0% \(84\.0%\)/,
    ),
    "By hand: type /compact between two tasks.",
  ]);
});

test("the page copies a line to paste, and no removal", () => {
  const setting = { kind: "remove", values: new Map([["n", null]]), harm: "it is bad", instead: { kind: "idle" } } as const;
  const page = adviceHtml([{ ...decided({ kind: "idle" }), choice: { ...NO_CHOICE, setting } }]);
  expect(page).toContain("(remove n)");
  expect(page).not.toContain("data-copy=");
});
