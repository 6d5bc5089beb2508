import {
  FEWEST_SESSIONS,
  formatCount,
  formatNumberOf,
  formatTokens,
  formatUsd,
  type KnobValues,
} from "@plimsoll/bench/internal";
import { beginningOf, wrapped } from "../terminal/printable.ts";
import type { AgentAdvice } from "./agent-advice.ts";

const COLUMNS = 80;
/** Lines between what it cost and how sure it is. */
const MIDDLE_LINES = 3;
const MS_PER_MINUTE = 60_000;

/** The answer in at most five lines of 80 columns: what compaction cost, what to set, and how sure that is. */
export function verdictLines(advice: readonly AgentAdvice[], since: string): readonly string[] {
  return [costLine(advice, since), ...middleLines(advice), sureLine(advice)].map((line) => beginningOf(line, COLUMNS));
}

/**
 * Says which setting to write, a line an agent, and adds a line for the others. If there is no room for all, each list names fewer and says how many
 * more there are, and then fewer changes have a line of their own.
 */
function middleLines(advice: readonly AgentAdvice[]): readonly string[] {
  const changes = changeLines(advice);
  for (let shown = Math.min(changes.length, MIDDLE_LINES); shown > 0; shown--) {
    const lines = [...changes.slice(0, shown), ...othersWithin(MIDDLE_LINES - shown, advice, shown)];
    if (lines.length <= MIDDLE_LINES) return lines;
  }
  return othersWithin(MIDDLE_LINES, advice, 0);
}

/** Sums up the agents that have no line of their own, with as many names as there is room for. */
function othersWithin(mostLines: number, advice: readonly AgentAdvice[], shown: number): readonly string[] {
  for (let named = advice.length; ; named--) {
    const text = otherPhrases(advice, { shown, named }).join(" ");
    const lines = text === "" ? [] : wrapped(text, { first: "", further: "" });
    if (lines.length <= mostLines || named === 0) return lines;
  }
}

function costLine(advice: readonly AgentAdvice[], since: string): string {
  const sum = (figure: (one: AgentAdvice) => number) => advice.reduce((total, one) => total + figure(one), 0);
  const compactions = sum(({ cost }) => cost.compactions);
  const [read, found] = [sum(({ logs }) => logs.read), sum(({ logs }) => logs.found)];
  const where = read < found ? `in ${formatCount(read)} of ${formatCount(found)} logs` : `since ${since}`;
  if (compactions === 0) {
    const sessions = sum(({ cost }) => cost.sessions);
    return `No compaction in ${formatNumberOf(sessions, "session")} since ${since}: it cost you nothing.`;
  }
  const usd = advice.flatMap(({ cost }) => cost.compactionUsd ?? []);
  const waitMs = sum(({ waitsMs }) => waitsMs.reduce((total, ms) => total + ms, 0));
  const parts = [
    usd.length === 0 ? null : `a modelled $${formatUsd(usd.reduce((total, each) => total + each, 0))}`,
    `${formatTokens(sum(({ cost }) => cost.compactionTokens))} tokens`,
    waitMs === 0 ? null : minutesText(waitMs),
  ];
  return `${formatNumberOf(compactions, "compaction")} ${where} cost ${parts.filter((part) => part !== null).join(", ")}.`;
}

/** From here on minutes are told as hours; chosen. */
const MANY_MINUTES = 600;
const MINUTES_PER_HOUR = 60;

/** A time as whole minutes, or hours if they are many; `under 1 min` for less. */
export function minutesText(ms: number): string {
  const minutes = Math.round(ms / MS_PER_MINUTE);
  if (minutes >= MANY_MINUTES) return `${formatCount(Math.round(minutes / MINUTES_PER_HOUR))} h`;
  return minutes === 0 ? "under 1 min" : `${formatCount(minutes)} min`;
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
    const line = `${turning.knobs.title}: set ${shortValues(best.values)}: ${cheaper(best.costRatio)} % cheaper`;
    // How sure it is stands below as well.
    return [line.length + range.length + " ().".length <= COLUMNS ? `${line} (${range}).` : `${line}.`];
  });
}

function cheaper(ratio: number): string {
  return String(Math.round(100 * (1 - ratio)));
}

/** Of how many agents the change is shown, and how many a list names. */
interface Room {
  readonly shown: number;
  readonly named: number;
}

function otherPhrases(advice: readonly AgentAdvice[], { shown, named }: Room): readonly string[] {
  const kindOf = ({ turning }: AgentAdvice) => turning?.choice?.verdict.kind ?? "none";
  const of = (kind: ReturnType<typeof kindOf>) => advice.filter((one) => kindOf(one) === kind);
  const phrase = (what: string, titles: readonly string[]) =>
    titles.length === 0 ? [] : [`${what}: ${listOf(titles, named)}.`];
  const few = of("too-few").map((one) => `${titleOf(one)} (${one.turning?.choice?.sessions} of ${FEWEST_SESSIONS})`);
  return [
    ...phrase("To set as well, below", of("change").slice(shown).map(titleOf)),
    ...phrase("Nothing worth changing", of("keep").map(titleOf)),
    ...phrase("Too few long sessions to tell", few),
    ...phrase("Never half full, nothing to change", of("idle").map(titleOf)),
    ...phrase("No setting to propose", of("none").map(titleOf)),
  ];
}

function listOf(titles: readonly string[], named: number): string {
  if (titles.length <= named) return titles.join(", ");
  return named === 0
    ? formatNumberOf(titles.length, "agent")
    : `${titles.slice(0, named).join(", ")} and ${titles.length - named} more`;
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
