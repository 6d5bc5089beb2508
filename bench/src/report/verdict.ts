import type { BenchReport } from "../results.ts";
import { FEWEST_OWNERS, ownersOf } from "../statistics.ts";
import { answerTitle, type WindowAnswer, windowAnswers } from "./answer.ts";
import { choiceWords, NONE_WORKED, WITHOUT_NONE } from "./answer-words.ts";
import { formatCount, formatNumberOf, formatPercent, formatRatioPercent, formatTokens, verbFor } from "./figures.ts";
import { windowLabel } from "./labels.ts";
import type { PlacedPolicy } from "./policy-choice.ts";
import type { PolicySummary } from "./policy-summary.ts";
import { nowLines, runningNow } from "./running-now.ts";
import { triggerLine } from "./trigger.ts";

/** An answer in at most five short lines: which policy and where it acts, what it costs, what it holds, what it loses, how sure that is. */
export interface Verdict {
  readonly title: string;
  readonly lines: readonly string[];
  /** The policies that the person runs now, a point each: behind the last verdict of a window. */
  readonly now: readonly string[];
}

/** The verdict of each window of a report; the words of the reports say the same at length. */
export function verdicts(report: BenchReport, summaries: readonly PolicySummary[]): readonly Verdict[] {
  const answers = windowAnswers(report, summaries);
  return answers.map((answer) => {
    const own = answers.filter(({ windowLabel: label }) => label === answer.windowLabel);
    const placed = own.flatMap(({ choice }) => choice.placed);
    const saysNow = answer === own.at(-1) && placed.length > 0;
    return {
      title: answerTitle(answer),
      lines: verdictLines(report, answer),
      now: saysNow ? nowLines(runningNow(report, answer), placed) : [],
    };
  });
}

/** One answer in its lines: the same figures wherever it is shown. */
export function verdictLines(report: BenchReport, answer: WindowAnswer): readonly string[] {
  return answer.choice.pick === null ? [unanswered(answer)] : pickLines(report, answer, answer.choice.pick);
}

function unanswered({ outcomes, nothing, choice }: WindowAnswer): string {
  if (choice.placed.length > 0)
    return choice.placed.some(({ lostRequests }) => lostRequests === 0)
      ? NONE_WORKED
      : "Every policy lost requests: the window is too small for these sessions.";
  if (nothing === null) return WITHOUT_NONE;
  return outcomes.sessions.length === 0
    ? "No session came near the window: nothing to do. A smaller one to compare policies in: --window 16k."
    : "No policy that compacts was replayed in every session: add --policy.";
}

function pickLines(report: BenchReport, answer: WindowAnswer, pick: PlacedPolicy): readonly string[] {
  const { outcomes } = answer;
  const line = lineWords(report, answer.windowLabel, pick.policy);
  const hasCompacted = outcomes.byPolicy.get(pick.policy)?.some(({ compactions }) => compactions > 0) === true;
  const over = `${formatNumberOf(outcomes.sessions.length, "session")} that ${outcomes.basis === "outgrown" ? `${verbFor(outcomes.sessions.length, "outgrow")} it` : "a policy changed"}`;
  const older = pick.farGain === null ? "" : ` (20k tokens back: ${formatPercent(pick.farGain)} %)`;
  const [worst] = pick.worse;
  return [
    `${choiceWords(answer, pick)} ${hasCompacted ? "It compacts" : "It shortened results; it compacts"} ${line}.`,
    `Costs ${formatPercent(pick.cost)} % of doing nothing, over the ${over}.`,
    pick.gain === null
      ? "What replies needed is not visible in these sessions."
      : `Keeps ${formatPercent(pick.gain)} % of the texts that replies needed${older}.`,
    worst === undefined
      ? "Worse by no measure than what costs the same, or than a plain cut to its size."
      : `Worse by ${formatNumberOf(pick.worse.length, "measure")}: ${worst.measure} by ${formatPercent(worst.points)} points (${worst.than ?? "a plain cut to its size"}).`,
    sureLine(answer, pick),
  ];
}

/** Where a policy compacts, in a window of the middle size among the sessions'. */
export function lineWords(report: BenchReport, label: string, policy: string): string {
  const line = triggerLine(report.policies.find(({ name }) => name === policy)?.policy);
  const rows = report.rows
    .filter((row) => row.policy === policy && row.metrics !== null && windowLabel(row.window) === label)
    .toSorted((a, b) => a.contextWindowTokens - b.contextWindowTokens);
  const row = rows[Math.floor(rows.length / 2)];
  const tokens = row === undefined ? null : line(row);
  if (row === undefined || tokens === null) return "by a rule of its own";
  return `at about ${formatTokens(tokens)} of ${formatTokens(row.contextWindowTokens)}`;
}

function sureLine({ sureness, outcomes, choice }: WindowAnswer, pick: PlacedPolicy): string {
  const owners = ownersOf(outcomes.units).size;
  if (sureness === null)
    return `How sure: too little data; ${FEWEST_OWNERS} projects are needed, these sessions are of ${formatCount(owners)}.`;
  const { cost, repositories } = sureness;
  const between = cost === null ? "" : `; cost ${formatPercent(cost.from)} to ${formatPercent(cost.through)} %`;
  if (choice.placed.length < 2) return `How sure: one policy alone, ${formatCount(repositories)} projects${between}.`;
  const share = sureness.chosen.find(({ policy }) => policy === pick.policy)?.share ?? 0;
  return `How sure: best again in ${formatRatioPercent(share)} % of samples of the projects${between}.`;
}
