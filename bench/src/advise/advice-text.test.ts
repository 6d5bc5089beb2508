import { expect, test } from "vitest";
import { madeAdvice, madeFigures } from "../../testing/made-advice.ts";
import type { SettingVerdict } from "../judge/settings.ts";
import { answerSentences, shortAnswer } from "./advice-words.ts";
import { adviceText, answerLines } from "./advise-command.ts";
import type { SettingFigures } from "./choose-setting.ts";
import type { Decision } from "./decide.ts";

type Verdict = SettingVerdict<SettingFigures>;

/** The made decision with other verdicts. */
function decided(setting: Verdict, proxy: Verdict = { kind: "idle" }): Decision {
  const [first] = madeAdvice("~/.codex/config.toml");
  if (first?.choice === null || first === undefined) throw new Error("the made advice has a choice");
  return { ...first, choice: { ...first.choice, setting, proxy } };
}

const CHEAP = madeFigures(120_000, 0.72, 84.5);
const moved = (measure: string, points: number) => ({ measure, than: "now", points, cases: 10 });
const LOSING = {
  ...CHEAP,
  losses: ["older replaced texts", "passages", "older passages", "replaced texts"].map((name, at) => moved(name, 9 - at)),
  gains: [moved("edited files", 4)],
};
const PROXY = { ...CHEAP, kind: "proxy" } as const;
const SURE = "How sure: 12 sessions of 2 projects, in 95% of samples of your sessions it saves 19.0 to 34.0%";
const FEW = "to generalise beyond you, 8 projects are needed";
const sureness = { cost: { from: 66, through: 81 }, drawn: "sessions", count: 12 } as const;

test("advice fits 80 columns, and its answer is at most six lines", () => {
  const lines = adviceText(madeAdvice("settings"), { columns: 80, full: true }).split("\n");
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
  const many = Array.from({ length: 9 }, () => madeAdvice("settings")).flat();
  expect(answerLines(many).length).toBeLessThanOrEqual(6);
  expect(answerLines(many).at(-1)).toBe(`Others, below: $${(15 * 41.5).toFixed(2)}`);
});

test("a setting that does harm is to be removed, with the reason and the line", () => {
  const [decision] = madeAdvice("~/.codex/config.toml");
  const values = new Map([["model_auto_compact_token_limit", null]]);
  const setting = { kind: "remove", values, harm: moved("passages", 12.3) } as const;
  const choice = decision?.choice ? { ...decision.choice, setting } : null;
  const text = adviceText(decision === undefined ? [] : [{ ...decision, choice }], { columns: 80, full: false, pays: "plan" });
  expect(text.replace(/\s+/g, " ")).toContain(
    "Remove model_auto_compact_token_limit from ~/.codex/config.toml: up to 12.3 points of passages lost against the default. How sure: 12 sessions",
  );
  expect(text).toContain("      (remove model_auto_compact_token_limit)\n");
  expect(text).not.toContain("looks best");
});

test.each<readonly [string, Verdict, string, string]>([
  [
    "a change",
    { kind: "set", best: CHEAP, sureness },
    `Set model_auto_compact_token_limit=120000 in ~/.codex/config.toml: saves 28.0% of the cost; loses nothing measured. ${SURE}; ${FEW}.`,
    "Set the values below, saves 28.0% of the cost",
  ],
  [
    "a trade, with what it loses",
    { kind: "trade", best: LOSING, sureness },
    `Nothing to set without a loss; losing up to 9.0 points of older replaced texts, model_auto_compact_token_limit=120000: saves 28.0% of the cost; loses points: older replaced texts −9.0, passages −8.0, older passages −7.0 and 1 more; gains points: edited files +4.0. ${SURE}; ${FEW}.`,
    "nothing without a loss; model_auto_compact_token_limit=120000 saves 28.0% of the cost and loses up to 9.0 points of older replaced texts",
  ],
  [
    "what is worse in another window",
    { kind: "keep", why: "other-window" },
    "Nothing to set: another window uses the same setting, and decides it.",
    "nothing to set",
  ],
  [
    "a loss that is too large for an offer",
    { kind: "keep", why: "too-much-lost" },
    "Nothing to set: each setting that saves 5% loses over 10 points of a measure.",
    "nothing to set",
  ],
  [
    "too few sessions, with how many more",
    { kind: "too-few", missing: 1, looksLike: null },
    "Nothing to set yet: 12 sessions fill half of the window; an answer needs 1 more; to generalise beyond you, 8 projects are needed.",
    "nothing to set yet, 1 more session needed",
  ],
  [
    "too few sessions and nothing else, whatever looks better in them",
    { kind: "too-few", missing: 4, looksLike: CHEAP.standing },
    "Nothing to set yet: 12 sessions fill half of the window; an answer needs 4 more; to generalise beyond you, 8 projects are needed.",
    "nothing to set yet, 4 more sessions needed",
  ],
  ["nothing cheaper", { kind: "keep", why: "nothing-cheaper" }, "Nothing to set: no setting saves 5%.", "nothing to set"],
  [
    "windows that are never half full",
    { kind: "idle" },
    "Nothing to set: no session fills half of the window (136k tokens).",
    "nothing to set",
  ],
])("an answer says %s", (_, verdict, sentence, short) => {
  expect(answerSentences(decided(verdict), "tokens", "largest")).toEqual([sentence]);
  expect(shortAnswer(decided(verdict))).toBe(short);
});

test.each<readonly [string, Verdict, RegExp, string]>([
  [
    "better by the same test",
    { kind: "set", best: PROXY, sureness },
    /^Run Codex behind plimsoll proxy \(needs an API key; not with a subscription\): saves 28\.0% .*: 12 sessions of/,
    "use plimsoll proxy, saves 28.0% of the cost",
  ],
  [
    "a trade, with all that it loses",
    { kind: "trade", best: { ...PROXY, losses: LOSING.losses }, sureness },
    /^Or, losing up to 9\.0 points of older replaced texts, run Codex behind plimsoll proxy .* −7\.0, replaced texts −6\.0\. .* at 245k, can stay: the proxy cuts first\.$/,
    "nothing without a loss; plimsoll proxy saves 28.0% of the cost and loses up to 9.0 points of older replaced texts",
  ],
  [
    "no saving",
    { kind: "keep", why: "nothing-cheaper" },
    /^Don't use plimsoll proxy .* subscription\): it doesn't save 5%\.$/,
    "nothing to set, yours looks best",
  ],
])("the proxy is a decision with its command: %s", (_, proxy, sentence, short) => {
  const decision = decided({ kind: "keep", why: "nothing-cheaper" }, proxy);
  expect(answerSentences(decision)[1]).toMatch(sentence);
  expect(answerSentences(decision, "plan")).toHaveLength(1);
  expect([shortAnswer(decision), shortAnswer(decision, "plan")]).toEqual([
    short,
    proxy.kind === "keep" ? short : "nothing to set",
  ]);
  const best = "Looks best here: your own compaction. How sure: 12 sessions of 2 projects";
  expect(answerSentences(decision, "plan")[0]?.includes(best)).toBe(proxy.kind === "keep");
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

test.each([
  ["where nothing can be set", { kind: "keep", why: "nothing-cheaper" }, true],
  ["but not beside something to set", { kind: "set", best: CHEAP, sureness }, false],
] as const)("the habits that cost most are named %s", (_, verdict, isNamed) => {
  const habits = ["about $9.00: results of Read are 60.0% of the tokens sent: ask for parts of files and shorter outputs."];
  const text = adviceText([decided(verdict)], { columns: 80, full: true, habits });
  expect(text.includes("The most expensive habits in these logs:\n  - about $9.00: results of Read")).toBe(isNamed);
});
