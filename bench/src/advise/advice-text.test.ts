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
    "Set model_auto_compact_token_limit=120000 in ~/.codex/config.toml: 28.0 % cheaper (dollars of the replay: $40.00 now, $28.80 then). In 95 % of samples of your sessions it is 19.0 to 34.0 % cheaper; no measure falls by a point.",
    "Set the values below, 28.0 % cheaper",
  ],
  [
    "a trade, with what it loses",
    { kind: "trade", best: LOSING },
    "A trade: model_auto_compact_token_limit=120000 is 28.0 % cheaper (dollars of the replay: $40.00 now, $28.80 then), but keeps less: older replaced texts −9.0 points.",
    "a trade, 28.0 % cheaper but keeps less",
  ],
  [
    "what is worse in another window",
    { kind: "trade", best: CHEAP, against: "window 1M" },
    "A trade: model_auto_compact_token_limit=120000 is 28.0 % cheaper (dollars of the replay: $40.00 now, $28.80 then), but worse for the sessions in window 1M, and the file has one number for all models.",
    "a trade, 28.0 % cheaper but worse in window 1M",
  ],
  [
    "too few sessions, with how many more",
    { kind: "too-few", missing: 1, looksLike: null },
    "Too few sessions: 12 fill half of the window, an answer needs 1 more.",
    "too few sessions, 1 more session needed",
  ],
  [
    "what looks better in few sessions",
    { kind: "too-few", missing: 4, looksLike: CHEAP },
    "Looks like model_auto_compact_token_limit=120000 is better: 28.0 % cheaper (dollars of the replay: $40.00 now, $28.80 then), and no session costs more. Too few sessions to say so: 12 fill half of the window, an answer needs 4 more.",
    "maybe 28.0 % cheaper, 4 more sessions needed",
  ],
  ["nothing cheaper", { kind: "keep", why: "nothing-cheaper" }, "Keep it: no setting is 5 % cheaper.", "keep it"],
  [
    "windows that are never half full",
    { kind: "idle" },
    "Nothing to change: no session fills half of the window (136k tokens).",
    "nothing to change, never half full",
  ],
])("an answer says %s", (_, verdict, sentence, short) => {
  expect(answerSentences(decided(verdict))).toEqual([sentence]);
  expect(shortAnswer(decided(verdict))).toBe(short);
});

test("the proxy is named where it is better by the same test", () => {
  const best = { ...CHEAP, kind: "proxy" } as const;
  const decision = decided({ kind: "keep", why: "nothing-cheaper" }, { kind: "set", best, sureness });
  expect(answerSentences(decision).at(-1)).toMatch(/^Use plimsoll proxy under Codex: 28\.0 % cheaper/);
});
