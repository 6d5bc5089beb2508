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
const LOSING = { ...CHEAP, losses: [{ measure: "older replaced texts", than: "now", points: 9 }] };
const sureness = { cost: { from: 66, through: 81 }, drawn: "sessions", count: 12 } as const;

test("advice fits 80 columns, and its answer is at most six lines", () => {
  const lines = adviceText(madeAdvice("settings"), { columns: 80, full: true }).split("\n");
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
  const many = Array.from({ length: 9 }, () => madeAdvice("settings")).flat();
  expect(answerLines(many).length).toBeLessThanOrEqual(6);
  expect(answerLines(many).at(-1)).toBe(`Others, below: $${(15 * 41.5).toFixed(2)}`);
});

test.each<readonly [string, Verdict, string, string]>([
  [
    "a change",
    { kind: "set", best: CHEAP, sureness },
    "Set model_auto_compact_token_limit=120000 in ~/.codex/config.toml: saves 28.0% (dollars of the replay: $40.00 now, $28.80 then), loses nothing measured, on 12 sessions; in 95% of samples of your sessions it saves 19.0 to 34.0%.",
    "Set the values below, saves 28.0%",
  ],
  [
    "a trade, with what it loses",
    { kind: "trade", best: LOSING },
    "Nothing to set without a loss: model_auto_compact_token_limit=120000 saves 28.0% (dollars of the replay: $40.00 now, $28.80 then), loses older replaced texts −9.0 points, on 12 sessions.",
    "nothing to set without a loss (saves 28.0%)",
  ],
  [
    "what is worse in another window",
    { kind: "trade", best: CHEAP, against: "window 1M" },
    "Nothing to set without a loss: model_auto_compact_token_limit=120000 saves 28.0% (dollars of the replay: $40.00 now, $28.80 then), loses nothing measured, on 12 sessions, and is worse in window 1M, which reads the same setting.",
    "nothing to set without a loss (saves 28.0%)",
  ],
  [
    "too few sessions, with how many more",
    { kind: "too-few", missing: 1, looksLike: null },
    "Nothing to set yet: 12 sessions fill half of the window, and an answer needs 1 more.",
    "nothing to set yet, 1 more session needed",
  ],
  [
    "too few sessions and nothing else, whatever looks better in them",
    { kind: "too-few", missing: 4, looksLike: CHEAP },
    "Nothing to set yet: 12 sessions fill half of the window, and an answer needs 4 more.",
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
  expect(answerSentences(decided(verdict))).toEqual([sentence]);
  expect(shortAnswer(decided(verdict))).toBe(short);
});

test("the proxy is named where it is better by the same test", () => {
  const best = { ...CHEAP, kind: "proxy" } as const;
  const decision = decided({ kind: "keep", why: "nothing-cheaper" }, { kind: "set", best, sureness });
  expect(answerSentences(decision)[1]).toMatch(
    /^Run Codex behind plimsoll proxy \(needs an API key; not with a subscription\): saves 28\.0% .*, on 12 sessions; in 95%/,
  );
  expect(answerSentences(decision, "plan")).toHaveLength(1);
  expect([shortAnswer(decision), shortAnswer(decision, "plan")]).toEqual(["use plimsoll proxy, saves 28.0%", "nothing to set"]);
});

test.each([
  ["where nothing can be set", { kind: "keep", why: "nothing-cheaper" }, true],
  ["but not beside something to set", { kind: "set", best: CHEAP, sureness }, false],
] as const)("the habits that cost most are named %s", (_, verdict, isNamed) => {
  const habits = ["about $9.00: results of Read are 60.0% of the tokens sent: ask for parts of files and shorter outputs."];
  const text = adviceText([decided(verdict)], { columns: 80, full: true, habits });
  expect(text.includes("The most expensive habits in these logs:\n  - about $9.00: results of Read")).toBe(isNamed);
});
