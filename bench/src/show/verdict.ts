import { RECORDED_POLICY } from "@plimsoll/core/extend";
import type { WindowAnswer } from "../judge/answer.ts";
import { isCheaper, isJudge, lossesAgainst } from "../judge/choose.ts";
import type { WindowJudgement } from "../judge/judge.ts";
import { SAME_COST_RATIO, type Standing, standingOver } from "../judge/standing.ts";
import { surenessOf } from "../judge/sureness.ts";
import { windowLabel } from "../judge/window-label.ts";
import { BASELINE_POLICY } from "../metrics/has-acted.ts";
import type { BenchReport } from "../results.ts";
import { FEWEST_OWNERS, ownersOf } from "../statistics.ts";
import { formatNumberOf, formatPercent, formatTokens, lossText, verbFor } from "./figures.ts";
import type { PolicyNames } from "./policy-names.ts";
import { triggerSizes } from "./trigger.ts";

/**
 * The answer for a window in at most eight short lines, the same on every output: which policy, its cost, its kept share, both in sessions that fit without it, its
 * losses, where it compacts, how sure that is, and the most that another keeps more.
 */
export function verdictLines(report: BenchReport, judged: WindowJudgement, nameOf: PolicyNames): readonly string[] {
  const { answers, named, now, fitting } = judged;
  const [pick, ...beside] = named;
  const [answer, ...others] = answers.filter(({ choice }) => choice.pick !== null);
  if (answer === undefined || pick === undefined) return [unanswered(report, judged)];
  const compared = [...judged.standings.keys()].filter((policy) => policy !== BASELINE_POLICY).length;
  return [
    `${choiceWords(answer, pick, { nameOf, now, compared })}${others.map((other) => besideWords(other, beside, nameOf)).join("")}`,
    ...(hasActed(pick) ? dearerLine([answer, ...others], pick, nameOf) : []),
    `Costs ${formatPercent(pick.costPercent)}% of the cost without compaction${now === null ? "" : `; ${nameOf(now.policy)} ${formatPercent(now.costPercent)}%`}.`,
    ...recordedLine(report, judged),
    ...(answer.choice.recommended.length > 0 && hasActed(pick) ? changeLine(pick, now, nameOf) : []),
    ...(now !== null && now.policy !== pick.policy && isAdvised(answer, pick, now) ? [BY_PROXY] : []),
    ...togetherLine(report, judged),
    keptLine(pick, judged, nameOf),
    ...besideLine(fitting.get(pick.policy)),
    worseLine(answer, pick, nameOf),
    whereWords(report, judged, nameOf),
    sureLine(judged, answer),
  ];
}

/** How a person's agent gets a policy. */
const BY_PROXY = "Under your agent: plimsoll proxy (needs an API key; not with a subscription).";

/** Says that a person's agents are judged together, if the compared sessions are of several. */
function togetherLine({ sessions }: BenchReport, { units, now }: WindowJudgement): readonly string[] {
  const compared = new Set(units.map(({ session }) => session));
  const agents = [...new Set(sessions.flatMap(({ session, format }) => (compared.has(session) ? [format] : [])))];
  const isOne = agents.length < 2 || now?.policy !== RECORDED_POLICY.name;
  return isOne ? [] : [`For ${agents.join(" and ")} together; --from AGENT judges one.`];
}

/** Says that the run without compaction is partly the recorded one, if in a session it exceeds the window and the agent compacted. */
function recordedLine({ sessions }: BenchReport, { standings }: WindowJudgement): readonly string[] {
  const compacted = new Set(sessions.flatMap(({ session, recordedBoundaries }) => (recordedBoundaries > 0 ? [session] : [])));
  const base = standings.get(BASELINE_POLICY)?.units ?? [];
  return base.some(({ session, lostRequests }) => lostRequests > 0 && compacted.has(session))
    ? ["100% is the run without compaction up to the window, and beyond it the log's own requests, which the agent compacted."]
    : [];
}

/** How cost and kept shares of a policy differ from those of another. */
export function againstText(pick: Standing, other: Standing, nameOf: PolicyNames): string {
  const signed = (figure: number) => `${figure > 0 ? "+" : ""}${formatPercent(figure)}`;
  const cost = signed(100 * (pick.costPercent / other.costPercent - 1));
  const older = pick.farGain === null ? "" : `, older ${signed(ahead(pick.farGain, other.farGain))}`;
  return `Against ${nameOf(other.policy)}: cost ${cost}%, kept ${signed(ahead(pick.gain, other.gain))} points${older}.`;
}

const ahead = (own: number | null, than: number | null) => (own ?? 0) - (than ?? 0);

/** The sentence if every policy that lost no request has a part that always failed, or is made to cheat. */
const NONE_WORKED = "No policy can be recommended: each that lost no request has a part that failed, or is made to cheat.";

function unanswered({ rows }: BenchReport, { units, answers }: WindowJudgement): string {
  const placed = answers.flatMap((answer) => answer.placed);
  if (placed.length > 0)
    return placed.some(({ lostRequests }) => lostRequests === 0)
      ? NONE_WORKED
      : "Every policy lost requests: the window is too small for these sessions.";
  if (!rows.some(({ policy }) => policy === BASELINE_POLICY)) return "Nothing to compare with: add --policy none.";
  return units.length === 0
    ? "No session came near its window: nothing to do. To compare policies in a smaller one: --window 16k."
    : "No policy that compacts at known prices was replayed in every session: add --policy.";
}

/** A recommendation comes first in so many resamples; chosen (docs/bench-and-tune.md). */
const SURE_RATIO = 0.8;
/** A pick that comes first less often is chance; chosen. */
const CHANCE_RATIO = 0.5;

/**
 * Says "use" only where enough projects were seen to know, the same policy comes first in most resamples, and it passes the test of advise against the person's
 * own compaction.
 */
export function choiceWords(answer: Sure, pick: Standing, { nameOf, now = null, compared }: Choosing): string {
  const name = nameOf(pick.policy);
  if (!hasActed(pick)) return `No compaction looks best here: ${name}, the closest policy, never compacted.`;
  const isClear = answer.choice.recommended.length > 0;
  if (answer.sureness === null) return `No answer yet. ${isClear ? "Best trade-off so far" : "Closest"}: ${name}.`;
  if (!isClear) return `No policy is clearly better. Closest: ${name}.`;
  if (now?.policy === pick.policy) return `Keep ${name}: nothing looks better.`;
  if (answer.sureness.again < CHANCE_RATIO) return `No difference that these sessions show. Closest: ${name}.`;
  const of = `Of ${compared} policies`;
  if (changeLine(pick, now, nameOf).length > 0) return `${of}, ${name} looks best here.`;
  if (compared === 1) return `Use ${name}: it is the only policy here.`;
  return isAdvised(answer, pick, now)
    ? `${of}, use ${name}.`
    : `No policy is clearly better than the others: ${name} looks best here.`;
}

interface Choosing {
  readonly nameOf: PolicyNames;
  readonly now?: Standing | null;
  /** How many policies were compared: another one may be better. */
  readonly compared: number;
}

interface Sure {
  readonly choice: Pick<WindowAnswer["choice"], "recommended">;
  readonly sureness: { readonly again: number } | null;
}

/** True if the screen says to use the pick, or to keep it. */
export function isAdvised({ choice, sureness }: Sure, pick: Standing, now: Standing | null): boolean {
  if (!hasActed(pick) || choice.recommended.length === 0 || sureness === null) return false;
  return now?.policy === pick.policy || (changeLine(pick, now, String).length === 0 && sureness.again >= SURE_RATIO);
}

/** Why the pick is no reason to change the person's own compaction, by the test of advise; nothing if it is one. */
function changeLine(pick: Standing, now: Standing | null, nameOf: PolicyNames): readonly string[] {
  if (now === null || now.policy === pick.policy) return [];
  const [worst] = lossesAgainst(pick, now);
  const saved = 100 * (1 - pick.costPercent / now.costPercent);
  const isSure = (surenessOf(pick, now)?.cost.through ?? 100) < 100;
  if (isCheaper(pick, now) && worst === undefined && isSure) return [];
  const change = saved < 0 ? `costs ${formatPercent(-saved)}% more` : `saves ${formatPercent(saved)}%`;
  const loses = worst === undefined ? "and loses nothing" : `${saved > 0 ? "but" : "and"} loses ${lossText(worst)}`;
  const saves = isSure ? change : `${change} (not surely)`;
  return [`No clear gain against ${nameOf(now.policy)}: ${nameOf(pick.policy)} ${saves}, ${loses}.`];
}

/** The answer among the policies with the other kind of summaries: none if it is not named, and its cost if that is above doing nothing. */
function besideWords({ summaries, choice }: WindowAnswer, beside: readonly Standing[], nameOf: PolicyNames): string {
  const pick = beside.find(({ policy }) => policy === choice.pick?.policy);
  if (pick === undefined)
    return summaries === "by a model"
      ? " No policy with model summaries beats it."
      : " No policy without model summaries beats it.";
  const dear = pick.costPercent > 100 ? `, which costs ${formatPercent(pick.costPercent)}%` : "";
  return ` ${summaries === "by a model" ? "With" : "Without"} model summaries: ${nameOf(pick.policy)}${dear}.`;
}

function hasActed({ units }: Standing): boolean {
  return units.some(({ hasActed: has }) => has);
}

function whereWords(report: BenchReport, judged: WindowJudgement, nameOf: PolicyNames): string {
  const {
    named: [pick],
  } = judged;
  if (pick === undefined) return "";
  const at = compactsAt(report, judged, pick.policy);
  const where =
    at === null
      ? "by a rule of its own"
      : at.fromTokens === at.tokens
        ? `at ${formatTokens(at.tokens)} of ${formatTokens(at.windowTokens)}`
        : `from ${formatTokens(at.fromTokens)} if it saves money, at ${formatTokens(at.tokens)} of ${formatTokens(at.windowTokens)} at the latest`;
  if (pick.compactions > 0) return `Compacts ${where}.`;
  return hasActed(pick) ? `Only shortened results; compacts ${where}.` : `${nameOf(pick.policy)} would compact ${where}.`;
}

/**
 * Where a policy compacts, in a window of the middle size among the compared sessions'; `null` if it has no line: from `fromTokens` on if it pays, at the latest at `tokens`. Of room for messages the system text and tools are
 * no part.
 */
export function compactsAt(
  report: BenchReport,
  { windowLabel: label, units }: Pick<WindowJudgement, "windowLabel" | "units">,
  policy: string,
): { readonly fromTokens: number; readonly tokens: number; readonly windowTokens: number } | null {
  const compared = new Set(units.map(({ session }) => session));
  const rows = report.rows
    .filter((row) => row.policy === policy && row.metrics !== null && windowLabel(row.window) === label)
    .filter(({ session }) => compared.size === 0 || compared.has(session))
    .toSorted((a, b) => a.contextWindowTokens - b.contextWindowTokens);
  const row = rows[Math.floor(rows.length / 2)];
  const own = report.policies.find(({ name }) => name === policy)?.policy;
  const sizes = own === undefined || row === undefined ? null : triggerSizes(own, row);
  if (row === undefined || sizes === null) return null;
  const besideTokens = row.window.kind === "real" ? 0 : row.contextWindowTokens - row.window.tokens;
  const within = (size: number) => Math.max(0, size - besideTokens);
  const [fromTokens, tokens] = [within(sizes.fromTokens), within(sizes.tokens)];
  return { fromTokens, tokens, windowTokens: within(row.contextWindowTokens) };
}

function keptLine({ gain }: Standing, { now, isOutgrown, standings }: WindowJudgement, nameOf: PolicyNames): string {
  if (gain === null) return "The text that replies needed is not visible in these sessions.";
  const whole = isOutgrown ? null : (standings.get(BASELINE_POLICY)?.gain ?? null);
  const beside = [
    ...(now === null || now.gain === null ? [] : [`; ${nameOf(now.policy)} ${formatPercent(now.gain)}%`]),
    ...(whole === null ? [] : [`; without compaction ${formatPercent(whole)}%`]),
  ];
  return `Keeps ${formatPercent(gain)}% of the text later replies needed, word for word${beside.join("")}.`;
}

/** Says how the policy does in sessions that need none of it. */
function besideLine(fitting: Standing | undefined): readonly string[] {
  const touched = fitting?.units.filter((unit) => unit.hasActed) ?? [];
  if (touched.length === 0) return [];
  const { units, gain, costPercent } = standingOver("", touched, false);
  const keeps = gain === null ? "" : `keeps ${formatPercent(gain)}% and `;
  return [
    `Also acts in ${formatNumberOf(units.length, "session")} that never ${verbFor(units.length, "fill")} ${units.length === 1 ? "its" : "their"} window: ${keeps}costs ${formatPercent(costPercent)}%.`,
  ];
}

function worseLine({ choice, summaries }: WindowAnswer, { policy, units }: Standing, nameOf: PolicyNames): string {
  const worse = choice.worse.get(policy) ?? [];
  const [worst] = worse;
  const keeps = `policy of similar cost keeps ${ownersOf(units).size < FEWEST_OWNERS ? "a point" : "surely"} more`;
  const none =
    summaries === null
      ? `No ${keeps}, nor does keeping only the newest messages.`
      : `With${summaries === "by a model" ? "" : "out"} model summaries, no ${keeps}.`;
  if (worst === undefined) return none;
  const more = worse.length === 1 ? "" : `, and on ${formatNumberOf(worse.length - 1, "other measure")}`;
  const than = worst.than === null ? "keeping only the newest messages" : nameOf(worst.than);
  return `Worse on ${worst.measure}: ${formatPercent(worst.points)} points below ${than} (${formatNumberOf(worst.cases, "case")})${more}.`;
}

/** The largest loss against the other policies: the price of the pick's saving. Those of its own kind and of similar cost have a line of their own. */
function dearerLine([own, ...others]: readonly WindowAnswer[], pick: Standing, nameOf: PolicyNames): readonly string[] {
  const isDearer = ({ costPercent }: Standing) => costPercent > pick.costPercent * SAME_COST_RATIO;
  const rivals = [...(own?.placed ?? []).filter(isDearer), ...others.flatMap(({ placed }) => placed)];
  const losses = rivals
    .filter((rival) => isJudge(rival) && rival.lostRequests === 0)
    .flatMap((rival) => lossesAgainst(pick, rival).map((loss) => ({ ...loss, rival })));
  const [worst] = losses.toSorted((a, b) => b.points - a.points);
  if (worst === undefined) return [];
  const more = 100 * (worst.rival.costPercent / pick.costPercent - 1);
  const costs = `${nameOf(worst.rival.policy)} costs ${formatPercent(Math.abs(more))}% ${more < 0 ? "less" : "more"}`;
  return [
    `${costs} and keeps ${formatPercent(worst.points)} points more of ${worst.measure} (${formatNumberOf(worst.cases, "case")}).`,
  ];
}

function sureLine({ units }: WindowJudgement, { sureness, placed, summaries }: WindowAnswer): string {
  const projects = formatNumberOf(ownersOf(units).size, "project");
  const sessions = `${formatNumberOf(units.length, "session")} of ${projects}`;
  if (sureness === null) return `How sure: too little data: ${sessions}; ${FEWEST_OWNERS} sessions are needed.`;
  const { cost, again, drawn } = sureness;
  const between = `; cost ${formatPercent(cost.from)} to ${formatPercent(cost.through)}%`;
  const only = `the only policy here ${summaries === null ? "that compacts" : `with${summaries === "by a model" ? "" : "out"} model summaries`}`;
  if (placed.length < 2) return `How sure: ${only}; ${sessions}${between}.`;
  return `How sure: came first in ${Math.round(100 * again)}% of resamples of ${drawn === "sessions" ? sessions : projects}${between}.`;
}
