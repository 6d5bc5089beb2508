import { policyRunBy } from "../peers/running-agents.ts";
import type { BenchReport } from "../results.ts";
import { FEWEST_OWNERS, ownersOf } from "../statistics.ts";
import type { WindowAnswer } from "./answer.ts";
import { formatCount, formatNumberOf, formatPercent, formatRatioPercent, formatTokens } from "./figures.ts";
import { windowLabel } from "./labels.ts";
import { unmarkedName } from "./model-summaries.ts";
import { type PlacedPolicy, placedPolicy } from "./policy-choice.ts";
import { windowOutcomes } from "./session-outcomes.ts";
import { triggerLine } from "./trigger.ts";

/** The answer for a window in at most five short lines, the same wherever it is shown. */
export interface Verdict {
  readonly windowLabel: string;
  /** Which policy, where it compacts and what it costs, what it keeps, what it loses, how sure that is. */
  readonly lines: readonly string[];
  /** The policy that the person runs now, over the same sessions; `null` if the run does not have it. */
  readonly now: PlacedPolicy | null;
  /** The policies of the window that were compared, of both kinds of summaries. */
  readonly placed: readonly PlacedPolicy[];
  readonly picks: readonly PlacedPolicy[];
}

/** The verdict of each window of a report. */
export function verdicts(report: BenchReport, answers: readonly WindowAnswer[]): readonly Verdict[] {
  return [...new Set(answers.map(({ windowLabel: label }) => label))].map((label) => {
    const own = answers.filter((answer) => answer.windowLabel === label);
    const now = own[0] === undefined ? null : runningNow(report, own[0]);
    return {
      windowLabel: label,
      lines: linesOf(report, own, now),
      now,
      placed: own.flatMap(({ choice }) => choice.placed),
      picks: own.flatMap(({ choice }) => choice.pick ?? []),
    };
  });
}

function linesOf(report: BenchReport, answers: readonly WindowAnswer[], now: PlacedPolicy | null): readonly string[] {
  // What can be recommended before what is only nearest, and then what needs no model.
  const [answer, ...others] = answers
    .filter(({ choice }) => choice.pick !== null)
    .toSorted((a, b) => Number(b.choice.recommended.length > 0) - Number(a.choice.recommended.length > 0));
  const [first] = answers;
  const pick = answer?.choice.pick ?? null;
  if (answer === undefined || pick === null) return first === undefined ? [] : [unanswered(first)];
  return [
    `${choiceWords(answer, pick)}${others.map((other) => besideWords(other, pick)).join("")}`,
    `${whereWords(report, answer, pick)} Costs ${formatPercent(pick.cost)} % of doing nothing${now === null ? "" : `; you now ${formatPercent(now.cost)} %`}.`,
    keptLine(pick, now),
    worseLine(pick),
    sureLine(answer, pick),
  ];
}

/** The sentence where nothing shows how much compaction saves. */
const WITHOUT_NONE = "Doing nothing was not replayed: add --policy none to compare with.";

/** The sentence where every policy that lost no request is one of which a part always failed, or one that is made to cheat. */
const NONE_WORKED = "No policy can be recommended: each that lost no request has a part that failed, or is made to cheat.";

function unanswered({ outcomes, nothing, choice: { placed } }: WindowAnswer): string {
  if (placed.length > 0)
    return placed.some(({ lostRequests }) => lostRequests === 0)
      ? NONE_WORKED
      : "Every policy lost requests: the window is too small for these sessions.";
  if (nothing === null) return WITHOUT_NONE;
  return outcomes.sessions.length === 0
    ? "No session came near its window: nothing to do. A smaller one to compare policies in: --window 16k."
    : "No policy that compacts was replayed in every session: add --policy.";
}

/** Says "use" only where enough projects were seen to know. */
function choiceWords({ choice, sureness, outcomes }: WindowAnswer, { policy }: PlacedPolicy): string {
  if (!hasActed(outcomes, policy)) return `Doing nothing looks best here: ${policy}, the nearest, never compacted.`;
  if (choice.recommended.length === 0) return `No policy is clearly better. Closest: ${policy}.`;
  return sureness === null ? `Looks best here: ${policy}.` : `Use ${policy}.`;
}

/** The answer among the policies with the other kind of summaries: none if it costs as much and keeps no more, and its cost if that is above doing nothing. */
function besideWords({ summaries, choice }: WindowAnswer, first: PlacedPolicy): string {
  const { pick } = choice;
  if (pick === null) return "";
  if (pick.cost >= first.cost && (pick.gain ?? 0) <= (first.gain ?? 0)) return ` None with summaries ${summaries} is better.`;
  const dear = pick.cost > 100 ? `, costs ${formatPercent(pick.cost)} %` : "";
  return ` With summaries ${summaries}: ${pick.policy}${dear}.`;
}

function hasActed({ byPolicy }: WindowAnswer["outcomes"], policy: string): boolean {
  return byPolicy.get(policy)?.some(({ hasActed: has }) => has) === true;
}

function whereWords(report: BenchReport, { windowLabel: label, outcomes }: WindowAnswer, { policy }: PlacedPolicy): string {
  const hasCompacted = outcomes.byPolicy.get(policy)?.some(({ compactions }) => compactions > 0) === true;
  const at = compactsAt(report, label, policy);
  const where = at === null ? "by a rule of its own" : `at ${formatTokens(at.tokens)} of ${formatTokens(at.windowTokens)}`;
  if (hasCompacted) return `Compacts ${where}.`;
  return hasActed(outcomes, policy) ? `Shortened results alone; compacts ${where}.` : `${policy} would compact ${where}.`;
}

/** Where a policy compacts, in a window of the middle size among the sessions'; `null` if it has no line. Of room for messages the system text and tools are no part. */
export function compactsAt(
  report: BenchReport,
  label: string,
  policy: string,
): { readonly tokens: number; readonly windowTokens: number } | null {
  const rows = report.rows
    .filter((row) => row.policy === policy && row.metrics !== null && windowLabel(row.window) === label)
    .toSorted((a, b) => a.contextWindowTokens - b.contextWindowTokens);
  const row = rows[Math.floor(rows.length / 2)];
  const line = triggerLine(report.policies.find(({ name }) => name === policy)?.policy);
  const tokens = row === undefined ? null : line(row);
  if (row === undefined || tokens === null) return null;
  const besideTokens = row.window.kind === "real" ? 0 : row.contextWindowTokens - row.window.tokens;
  return { tokens: Math.max(0, tokens - besideTokens), windowTokens: row.contextWindowTokens - besideTokens };
}

function keptLine({ gain }: PlacedPolicy, now: PlacedPolicy | null): string {
  if (gain === null) return "What replies needed is not visible in these sessions.";
  const beside = now === null || now.gain === null ? "" : `; you now ${formatPercent(now.gain)} %`;
  return `Keeps ${formatPercent(gain)} % of what later replies needed, word for word${beside}.`;
}

function worseLine({ worse }: PlacedPolicy): string {
  const [worst] = worse;
  if (worst === undefined) return "No policy of about the same cost keeps more, nor do the newest messages alone.";
  const more = worse.length === 1 ? "" : `, and on ${formatNumberOf(worse.length - 1, "other measure")}`;
  return `Worse on ${worst.measure}: ${formatPercent(worst.points)} points below ${worst.than ?? "the newest messages alone"}${more}.`;
}

function sureLine({ sureness, outcomes, choice }: WindowAnswer, pick: PlacedPolicy): string {
  const projects = ownersOf(outcomes.units).size;
  const count = outcomes.sessions.length;
  const sessions = `${formatNumberOf(count, "session")} of ${formatNumberOf(projects, "project")}`;
  if (sureness === null) return `How sure: not enough data: ${sessions}, ${FEWEST_OWNERS} projects are needed.`;
  const { cost } = sureness;
  const between = cost === null ? "" : `; cost ${formatPercent(cost.from)} to ${formatPercent(cost.through)} %`;
  if (choice.placed.length < 2) return `How sure: one policy alone, ${sessions}${between}.`;
  const share = sureness.chosen.find(({ policy }) => policy === pick.policy)?.share ?? 0;
  return `How sure: best again in ${formatRatioPercent(share)} % of samples of ${formatCount(projects)} projects${between}.`;
}

const RECORDED = "recorded";

/** The recorded policy, if the run has it in each compared session; else the policy in the likeness of the one agent that wrote them all. */
function runningNow(report: BenchReport, { windowLabel: label, acting, outcomes }: WindowAnswer): PlacedPolicy | null {
  const compared = new Set(outcomes.sessions);
  const { byPolicy } = windowOutcomes(report, { windowLabel: label, acting, beside: [RECORDED] });
  const likenesses = new Set(
    report.sessions.flatMap((session) => (compared.has(session.session) ? [policyRunBy(session)] : [])),
  );
  const [likeness] = likenesses;
  const like = likenesses.size === 1 ? [...byPolicy.keys()].find((policy) => unmarkedName(policy) === likeness) : undefined;
  const policy = byPolicy.has(RECORDED) ? RECORDED : like;
  const own = policy === undefined ? undefined : byPolicy.get(policy);
  return policy === undefined || own === undefined ? null : { ...placedPolicy(policy, own), worse: [] };
}
