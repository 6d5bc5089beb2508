import {
  FEWEST_SESSIONS,
  formatCount,
  formatNumberOf,
  formatTokens,
  formatUsd,
  type KnobValues,
} from "@plimsoll/bench/internal";
import { beginningOf } from "../terminal/printable.ts";
import type { AgentAdvice } from "./agent-advice.ts";

const COLUMNS = 80;
/** Lines between what it cost and how sure it is. */
const MIDDLE_LINES = 3;
const MS_PER_MINUTE = 60_000;

/** The answer in at most five lines of 80 columns: what compaction cost, what to set, and how sure that is. */
export function verdictLines(advice: readonly AgentAdvice[], since: string): readonly string[] {
  const middle = [...changeLines(advice), ...otherLines(advice)];
  const shown =
    middle.length <= MIDDLE_LINES ? middle : [...middle.slice(0, MIDDLE_LINES - 1), restText(middle.slice(MIDDLE_LINES - 1))];
  return [costLine(advice, since), ...shown, sureLine(advice)].map((line) => beginningOf(line, COLUMNS));
}

function restText(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/\.$/, "")).join("; ");
}

function costLine(advice: readonly AgentAdvice[], since: string): string {
  const sum = (figure: (one: AgentAdvice) => number) => advice.reduce((total, one) => total + figure(one), 0);
  const compactions = sum(({ cost }) => cost.compactions);
  if (compactions === 0)
    return `No compaction in ${formatNumberOf(
      sum(({ cost }) => cost.sessions),
      "session",
    )} since ${since}: it cost you nothing.`;
  const usd = advice.flatMap(({ cost }) => cost.compactionUsd ?? []);
  const waitMs = sum(({ waitsMs }) => waitsMs.reduce((total, ms) => total + ms, 0));
  const parts = [
    usd.length === 0 ? null : `about $${formatUsd(usd.reduce((total, each) => total + each, 0))}`,
    `${formatTokens(sum(({ cost }) => cost.compactionTokens))} tokens`,
    waitMs === 0 ? null : minutesText(waitMs),
  ];
  return `${formatNumberOf(compactions, "compaction")} since ${since} cost you ${parts.filter((part) => part !== null).join(", ")}.`;
}

/** A time as whole minutes; `under a minute` for less. */
export function minutesText(ms: number): string {
  const minutes = Math.round(ms / MS_PER_MINUTE);
  return minutes === 0 ? "under a minute" : `${formatCount(minutes)} min`;
}

/** Settings without the keys that they lie under, as a line has no room for them. */
export function shortValues(values: KnobValues): string {
  return [...values].map(([path, value]) => `${path.split(".").at(-1)}=${value}`).join(" ");
}

function changeLines(advice: readonly AgentAdvice[]): readonly string[] {
  return advice.flatMap(({ turning }) => {
    const verdict = turning?.choice?.verdict;
    if (turning === null || verdict?.kind !== "change") return [];
    const { best, costRatio } = verdict;
    const range = `${cheaper(costRatio.through)} to ${cheaper(costRatio.from)}`;
    return [`${turning.knobs.title}: set ${shortValues(best.values)}: ${cheaper(best.costRatio)} % cheaper (${range}).`];
  });
}

function cheaper(ratio: number): string {
  return String(Math.round(100 * (1 - ratio)));
}

function otherLines(advice: readonly AgentAdvice[]): readonly string[] {
  const titlesOf = (holds: (one: AgentAdvice) => boolean) => advice.filter(holds).map(titleOf);
  const kindOf = ({ turning }: AgentAdvice) => turning?.choice?.verdict.kind ?? "none";
  const line = (what: string, titles: readonly string[]) => (titles.length === 0 ? [] : [`${what}: ${titles.join(", ")}.`]);
  const few = advice.flatMap((one) =>
    kindOf(one) === "too-few" ? [`${titleOf(one)} (${one.turning?.choice?.sessions} of ${FEWEST_SESSIONS})`] : [],
  );
  return [
    ...line(
      "Nothing worth changing",
      titlesOf((one) => kindOf(one) === "keep"),
    ),
    ...line("Too few long sessions to tell", few),
    ...line(
      "No session fills half of the window, so nothing to change",
      titlesOf((one) => kindOf(one) === "idle"),
    ),
    ...line(
      "No setting to propose",
      titlesOf((one) => kindOf(one) === "none"),
    ),
  ];
}

/** An agent's name as its makers write it, if it is known. */
export function titleOf({ turning, agent }: AgentAdvice): string {
  return turning?.knobs.title ?? agent;
}

function sureLine(advice: readonly AgentAdvice[]): string {
  return advice.some(({ turning }) => turning?.choice?.verdict.kind === "change")
    ? "In brackets: 95 % interval, your sessions. To set it: plimsoll advise --write"
    : "Told by replays of your own sessions; they say nothing of task success.";
}
