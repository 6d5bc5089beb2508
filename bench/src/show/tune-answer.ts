import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { isCheaper, lossesAgainst } from "../judge/choose.ts";
import { FEWEST_OWNERS } from "../statistics.ts";
import { PAYS_OFF } from "../sweep/grid.ts";
import { settingWords } from "../tune/tunable-settings.ts";
import type { TunedPolicy, TuneResult } from "../tune/tune.ts";
import { formatNumberOf, formatPercent, lossText, NOT_VISIBLE } from "./figures.ts";
import { namesOf } from "./problems.ts";

type Answered = Omit<TuneResult, "idleSessions" | "sessions">;

/** The setting to take: the best one if the verdict says it. `null` if the current setting stays. The written, printed and ringed setting is this one. */
export function settingToTake({ best, verdict }: Pick<TuneResult, "best" | "verdict">): TunedPolicy | null {
  return best !== null && verdict.kind === "set" && verdict.best.policy === best.policy.name ? best : null;
}

const NOTHING_FIRES =
  "No session fills half of the window: no setting changes anything. Give a smaller window (--window 32k) or longer sessions.";

/** Says which setting to take, in one line, and then its cost, its gains and losses, how sure that is, and how the default policy does beside it. */
export function tuneAnswer(
  answered: Answered,
  others: readonly Pick<TuneResult, "base" | "current">[] = [],
): readonly string[] {
  if (answered.trainSessions === 0) return [NOTHING_FIRES];
  const lines = [...answerLines(answered), judgedLine(answered)];
  const usual = others.find(({ base }) => base === PLIMSOLL_POLICY.name);
  if (usual === undefined || usual.current.test.units.length === 0) return lines;
  const own = settingToTake(answered) ?? answered.current;
  const { costPercent, gain } = usual.current.test;
  const figures = `costs ${formatPercent(costPercent)}%${gain === null ? "" : ` and keeps ${formatPercent(gain)}%`}`;
  const isBetter =
    answered.verdict.kind !== "too-few" &&
    isCheaper(usual.current.test, own.test) &&
    lossesAgainst(usual.current.test, own.test).length === 0;
  return isBetter
    ? [`Take ${usual.base}, the default: it ${figures}, and no measure falls by a point or more.`, ...lines]
    : [...lines, `${usual.base}, the default, ${figures}.`];
}

function answerLines(answered: Answered): readonly string[] {
  const { base, current, tried } = answered;
  const isTried = tried.length > 0;
  if (isTried && tried.every(({ train }) => train.isBroken))
    return ["A part of the policy failed whenever it was tried: no setting can be recommended."];
  if (isTried && tried.every(({ train }) => train.tooLarge > 0))
    return ["Every setting left a request too large in some session: none can be recommended."];
  const taken = settingToTake(answered);
  if (taken === null) return keptLines(answered);
  return [
    `Set: ${settingsText(taken)} in ${base}.`,
    `Costs ${formatPercent(taken.test.costPercent)}% of the cost without compaction; now ${formatPercent(current.test.costPercent)}%.`,
    keepsLine(taken.test.gain, `; now ${formatPercent(current.test.gain)}%`),
    "No measure falls by a point or more.",
    sureLine(answered),
  ];
}

/** The reasons to keep the setting: its cost and kept share, and the losses of a cheaper one. */
function keptLines(answered: Answered): readonly string[] {
  const { base, current, front, best, verdict } = answered;
  const [cheapest] = front
    .filter(({ test, settings }) => settings.length > 0 && test.units.length > 0 && test.costPercent < current.test.costPercent)
    .toSorted((a, b) => a.test.costPercent - b.test.costPercent);
  const why =
    best === null ? "no tried setting is better" : `${settingsText(best)} was best on some sessions, but worse on the others`;
  return [
    verdict.kind === "too-few"
      ? `No answer yet: judged on ${formatNumberOf(FEWEST_OWNERS - verdict.missing, "session")}; ${FEWEST_OWNERS} are needed. Until then keep ${base}.`
      : `Keep ${base} as it is: ${why}.`,
    `Costs ${formatPercent(current.test.costPercent)}% of the cost without compaction.`,
    keepsLine(current.test.gain, ""),
    cheapest === undefined
      ? "No cheaper setting was found."
      : `Cheaper: ${settingsText(cheapest)} (${formatPercent(cheapest.test.costPercent)}%), ${lossWords(cheapest, current)}.`,
    sureLine(answered),
  ];
}

/** The window and the sessions of the figures: bench takes others. */
function judgedLine({ windowLabel, splitBy, trainSessions, current }: Answered): string {
  const names = current.test.units.map(({ session }) => session.split("/").at(-1) ?? session);
  const chosen = splitBy === "nothing" ? "the same" : formatNumberOf(trainSessions, "other");
  return `Window: ${windowLabel}. Judged on ${namesOf(names)}; chosen on ${chosen}.`;
}

function sureLine(answered: Answered): string {
  const { verdict, testSessions, tried } = answered;
  const looked = `${formatNumberOf(tried.length, "setting")} tried, judged on ${formatNumberOf(testSessions, "session")}`;
  if (verdict.kind !== "set") return `How sure: ${looked}.`;
  const { cost, drawn, count } = verdict.sureness;
  return `How sure: ${looked}; over all ${count} ${drawn} it costs ${formatPercent(cost.from)} to ${formatPercent(cost.through)}% of the current setting (95%).`;
}

function keepsLine(percent: number | null, beside: string): string {
  if (percent === null) return `The text that replies needed is ${NOT_VISIBLE}.`;
  return `Keeps ${formatPercent(percent)}% of the text that replies needed${beside}.`;
}

function lossWords({ test }: TunedPolicy, current: TunedPolicy): string {
  const [worst] = lossesAgainst(test, current.test);
  if (worst === undefined)
    return test.gain === null ? "its losses are not visible" : `which keeps ${formatPercent(test.gain)}%`;
  return `which loses ${lossText(worst)}`;
}

/** The settings of a policy as they are written in a policy file; its name if it is as it was. */
export function settingsText({ policy, settings }: Pick<TunedPolicy, "policy" | "settings">): string {
  if (settings.length === 0) return policy.name;
  const words = settings.map(settingWords).map(({ path, value }) => `${path}=${String(value)}`);
  return [...words, ...(policy.name.endsWith(` ${PAYS_OFF}`) ? [PAYS_OFF] : [])].join(" ");
}
