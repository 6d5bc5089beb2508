import { SAME_COST_RATIO } from "../metrics/vector.ts";
import { FEWEST_OWNERS } from "../statistics.ts";
import { settingWords } from "../tune/tunable-settings.ts";
import type { TunedPolicy, TuneResult } from "../tune/tune.ts";
import { formatNumberOf, formatPercent, formatRatioPercent, NOT_VISIBLE } from "./figures.ts";

/** The parts that an answer is made from. */
type Answered = Pick<TuneResult, "base" | "current" | "best" | "front" | "tried" | "sureness" | "testSessions">;

/**
 * The setting to take: the best one, if on the test sessions it loses nothing, overflows no more and costs at most 5 % more than now. `null` if the current setting stays, or none
 * can be recommended. All figures of an answer are of those sessions.
 */
export function settingToTake({ best, current }: Pick<TuneResult, "best" | "current">): TunedPolicy | null {
  if (best === null || best.settings.length === 0) return null;
  const { losses, overflows, cost } = best.test;
  return losses.length === 0 && overflows <= current.test.overflows && cost <= current.test.cost * SAME_COST_RATIO
    ? best
    : null;
}

/** Says which setting to take, in one line, and then its cost, what it keeps and loses, and how sure that is. */
export function tuneAnswer(answered: Answered): readonly string[] {
  const { base, current, best, sureness, tried } = answered;
  if (best === null && tried.some(({ train }) => train.isBroken))
    return ["A part of the policy failed whenever it was tried: no setting can be recommended."];
  if (best === null) return ["With every setting a request was too large in some session: none can be recommended."];
  const taken = settingToTake(answered);
  if (taken === null) return keptLines(answered, best);
  return [
    `${sureness === null ? "Looks better" : "Set"}: ${settingsText(taken)} in ${base}.`,
    `Costs ${formatRatioPercent(taken.test.cost)} % of doing nothing; now ${formatRatioPercent(current.test.cost)} %.`,
    keepsLine(taken.test.gain, `; now ${formatPercent(current.test.gain)} %`),
    "No measure falls by a point.",
    sureLine(answered),
  ];
}

/** Why the setting stays: what it costs and keeps, and what a cheaper one would lose. */
function keptLines(answered: Answered, best: TunedPolicy): readonly string[] {
  const { base, current, front } = answered;
  const [cheapest] = front
    .filter(({ test, settings }) => settings.length > 0 && test.cost < current.test.cost)
    .toSorted((a, b) => a.test.cost - b.test.cost);
  const why =
    best.settings.length === 0
      ? "nothing that was tried is better"
      : `${settingsText(best)} was best on some sessions, but worse on the others`;
  return [
    `Keep ${base} as it is: ${why}.`,
    `Costs ${formatRatioPercent(current.test.cost)} % of doing nothing.`,
    keepsLine(current.test.gain, ""),
    cheapest === undefined
      ? "No cheaper setting was found."
      : `Cheaper: ${settingsText(cheapest)}, ${formatRatioPercent(cheapest.test.cost)} %. ${lossWords(cheapest)}`,
    sureLine(answered),
  ];
}

function sureLine({ sureness, testSessions, tried }: Answered): string {
  const looked = `${formatNumberOf(tried.length, "setting")} tried, judged on ${formatNumberOf(testSessions, "session")}`;
  if (sureness === null) return `How sure: not enough data. ${looked}; sessions of ${FEWEST_OWNERS} projects are needed.`;
  const { from, through } = sureness.costRatio;
  return `How sure: ${looked}; costs ${formatRatioPercent(from)} to ${formatRatioPercent(through)} % of the current setting (95 %).`;
}

function keepsLine(percent: number | null, beside: string): string {
  return percent === null ? NOT_SEEN : `Keeps ${formatPercent(percent)} % of what replies needed${beside}.`;
}

const NOT_SEEN = `What replies needed is ${NOT_VISIBLE}.`;

function lossWords({ test: { losses, gain } }: TunedPolicy): string {
  const [worst] = losses.toSorted((a, b) => b.points - a.points);
  if (worst === undefined) return gain === null ? NOT_SEEN : `It keeps ${formatPercent(gain)} %.`;
  return `It loses ${formatPercent(worst.points)} points of ${worst.measure}.`;
}

/** The settings of a policy as they are written in a policy file; its name if it is as it was. */
export function settingsText({ policy, settings }: Pick<TunedPolicy, "policy" | "settings">): string {
  if (settings.length === 0) return policy.name;
  return settings
    .map(settingWords)
    .map(({ path, value }) => `${path}=${String(value)}`)
    .join(" ");
}
