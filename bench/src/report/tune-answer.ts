import { FEWEST_OWNERS } from "../statistics.ts";
import { settingWords } from "../tune/tunable-settings.ts";
import type { TunedPolicy, TuneResult } from "../tune/tune.ts";
import { formatNumberOf, formatPercent, formatRatioPercent, NOT_VISIBLE } from "./figures.ts";

/** The parts that an answer is made from. */
type Answered = Pick<
  TuneResult,
  "base" | "current" | "best" | "front" | "tried" | "sureness" | "trainSessions" | "testSessions"
>;

/** Says which setting to take, in one line, and then its cost, its losses, and how sure that is. */
export function tuneAnswer(answered: Answered): readonly string[] {
  const { base, current, best, sureness, testSessions, tried } = answered;
  if (best === null && tried.some(({ train }) => train.isBroken))
    return ["A part of the policy failed whenever it was tried: no setting can be recommended."];
  if (best === null) return ["Every setting overflowed in some session: none can be recommended."];
  if (best.settings.length === 0) return keptLines(answered);
  const { losses } = best.test;
  return [
    `Set ${settingsText(best)} in ${base}.`,
    `Costs ${formatRatioPercent(best.test.cost)} % of doing nothing; as it is, ${formatRatioPercent(current.test.cost)} %.`,
    holdsLine(best.test.gain, `; as it is, ${formatPercent(current.test.gain)} %.`),
    losses.length === 0
      ? "Loses a point on no measure."
      : `Loses ${formatNumberOf(losses.length, "measure")}: ${losses.map(({ measure, points }) => `${measure} by ${formatPercent(points)} points`).join(", ")}.`,
    ...(best.test.overflows === 0
      ? []
      : [`Careful: ${formatNumberOf(best.test.overflows, "request")} overflowed in sessions that it was not chosen on.`]),
    sureness === null
      ? `How sure: not at all; the ${formatNumberOf(testSessions, "session")} that it was not chosen on ${testSessions === 1 ? "is" : "are"} of fewer than ${FEWEST_OWNERS} owners.`
      : `How sure: costs ${formatRatioPercent(sureness.costRatio.from)} to ${formatRatioPercent(sureness.costRatio.through)} % of the current setting (95 %), on ${formatNumberOf(sureness.sessions, "session")} that it was not chosen on.`,
  ];
}

/** Why the setting stays: what it costs and holds, and what a cheaper one would lose. */
function keptLines({ base, current, front, tried, trainSessions }: Answered): readonly string[] {
  const [cheapest] = front
    .filter(({ train, settings }) => settings.length > 0 && train.cost < current.train.cost)
    .toSorted((a, b) => a.train.cost - b.train.cost);
  return [
    `Keep ${base} as it is: nothing that was tried is better.`,
    `Costs ${formatRatioPercent(current.train.cost)} % of doing nothing, over ${formatNumberOf(trainSessions, "session")}.`,
    holdsLine(current.train.gain, "."),
    cheapest === undefined
      ? "Loses nothing to a cheaper setting: none was found."
      : `Cheapest: ${settingsText(cheapest)}, ${formatRatioPercent(cheapest.train.cost)} %. ${lossWords(cheapest)}`,
    `How sure: ${formatNumberOf(tried.length, "setting")} tried on these sessions; others were not looked at.`,
  ];
}

function holdsLine(percent: number | null, end: string): string {
  return percent === null ? NOT_SEEN : `Holds ${formatPercent(percent)} % of what replies needed${end}`;
}

const NOT_SEEN = `What replies needed is ${NOT_VISIBLE}.`;

function lossWords({ train: { losses, gain } }: TunedPolicy): string {
  const [worst] = losses.toSorted((a, b) => b.points - a.points);
  if (worst === undefined) return gain === null ? NOT_SEEN : `It holds ${formatPercent(gain)} %.`;
  return `It loses ${worst.measure} by ${formatPercent(worst.points)} points.`;
}

/** The settings of a policy as they are written in a policy file; its name if it is as it was. */
export function settingsText({ policy, settings }: Pick<TunedPolicy, "policy" | "settings">): string {
  if (settings.length === 0) return policy.name;
  return settings
    .map(settingWords)
    .map(({ path, value }) => `${path}=${String(value)}`)
    .join(" ");
}
