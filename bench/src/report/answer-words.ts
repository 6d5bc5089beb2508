import { FEWEST_OWNERS, ownersOf } from "../statistics.ts";
import type { NothingDone, WindowAnswer } from "./answer.ts";
import { formatCount, formatNumberOf, formatPercent, formatRatioPercent, heldText, verbFor } from "./figures.ts";
import { costEstimate, sessionRecord } from "./paired-differences.ts";
import type { PlacedPolicy, WorseMeasure } from "./policy-choice.ts";
import type { WindowOutcomes } from "./session-outcomes.ts";

/** The sentence where nothing shows how much compaction saves. */
export const WITHOUT_NONE = "Doing nothing was not replayed: add the policy none to compare with.";

/** The sentence where every policy that lost no request is one of which a part always failed, or one that is made to cheat. */
export const NONE_WORKED =
  "No policy can be recommended: each that lost no request has a part that failed, or is made to cheat.";

/** An answer in words. */
export interface AnswerWords {
  readonly without: string;
  /** The policy to use, that looks best or that comes nearest; `null` if there is none. */
  readonly verdict: string | null;
  /** The sessions that it loses: said before what it gains. */
  readonly losses: string;
  readonly figures: string;
  readonly others: string;
  readonly sure: string;
}

/** Puts an answer into words. `triggerOf` says when a policy acts. */
export function answerWords(answer: WindowAnswer, triggerOf: (policy: string) => string | null): AnswerWords {
  const { choice, outcomes, nothing } = answer;
  const { pick, front, placed } = choice;
  const without = nothing === null ? WITHOUT_NONE : withoutWords(nothing);
  const none = { without, verdict: null, losses: "", others: "", sure: "" };
  if (placed.length === 0) return { ...none, figures: noneWords(answer) };
  if (pick === null && placed.some(({ lostRequests }) => lostRequests === 0)) return { ...none, figures: NONE_WORKED };
  if (pick === null) {
    const best = placed.reduce((least, each) => (each.lostRequests < least.lostRequests ? each : least));
    const figures = `Every policy lost requests; fewest ${best.policy} (${formatCount(best.lostRequests)}). The window is too small for these sessions.`;
    return { ...none, figures };
  }
  const trigger = triggerOf(pick.policy);
  const when = trigger === null ? "" : ` It compacts ${trigger}.`;
  const [cheapest, keeps] = [front[0], front.at(-1)];
  const others = [
    cheapest === undefined || cheapest === pick ? "" : `Cheapest: ${shortWords(cheapest)}.`,
    keeps === undefined || keeps === pick ? "" : `Keeps most: ${shortWords(keeps)}.`,
    placed.length > 1 && front.length === 1 ? "It is both the cheapest and the one that keeps most." : "",
  ];
  const over = `Over ${sessionsWords(outcomes, nothing)}`;
  return {
    without,
    verdict: choiceWords(answer, pick),
    losses: lossWords(outcomes, pick.policy),
    figures: `${over}, ${formatPercent(pick.cost)} % of the cost of doing nothing; ${keptWords(pick)}.${when}`,
    others: others.filter((each) => each !== "").join(" "),
    sure: sureWords(answer, pick),
  };
}

/** Says "use" only where enough projects were seen to know. */
export function choiceWords({ choice, sureness }: WindowAnswer, { policy }: PlacedPolicy): string {
  if (choice.recommended.length === 0) return `Nearest to best: ${policy}.`;
  return sureness === null ? `Best so far: ${policy}.` : `Use ${policy}.`;
}

function withoutWords({ sessions, outgrown, calls, rejected }: NothingDone): string {
  if (rejected === 0)
    return `Without compaction ${sessions === 1 ? "the" : "all"} ${formatNumberOf(sessions, "session")} ${verbFor(sessions, "fit")}: nothing has to be compacted, but it may still be cheaper.`;
  return `Without compaction ${formatCount(outgrown)} of ${formatNumberOf(sessions, "session")} ${verbFor(outgrown, "outgrow")} it: ${formatCount(rejected)} of ${formatNumberOf(calls, "request")} would have been rejected.`;
}

function noneWords({ outcomes, nothing }: WindowAnswer): string {
  if (nothing === null) return "No policy can be compared with that.";
  if (outcomes.sessions.length === 0) return "No policy did anything: no session came near the window.";
  return "No policy that compacts was replayed in every session: add --policy.";
}

function sessionsWords({ sessions, basis }: WindowOutcomes, nothing: NothingDone | null): string {
  const { length } = sessions;
  const all = length > 1 && nothing !== null && nothing.sessions === length ? "all" : "the";
  return `${all} ${formatNumberOf(length, "session")} that ${basis === "outgrown" ? `${verbFor(length, "outgrow")} it` : "a policy changed"}`;
}

/** Of the sessions in which the policy acted, those that it lost; and what it cost in those that would have fitted. */
function lossWords({ whereActed, sessions }: WindowOutcomes, policy: string): string {
  const acted = whereActed.get(policy) ?? [];
  const { cost, heldOverTail } = sessionRecord(acted);
  const lost = `Of ${formatNumberOf(acted.length, "session")} that it changed, it costs more than doing nothing in ${percentOfSessions(cost.lost, acted.length)}; a plain cut to its size keeps more in ${percentOfSessions(heldOverTail.lost, acted.length)}.`;
  const fitting = acted.filter(({ session }) => !sessions.includes(session));
  if (fitting.length === 0) return lost;
  return `${lost} In the ${formatNumberOf(fitting.length, "session")} of them that ${verbFor(fitting.length, "fit")} without it: ${formatPercent(costEstimate(fitting).value)} % of their cost.`;
}

function percentOfSessions(count: number, of: number): string {
  return `${formatRatioPercent(count / of)} %`;
}

function keptWords({ gain, farGain, worse }: PlacedPolicy): string {
  const far = farGain === null ? "" : `, ${formatPercent(farGain)} % of what is older than 20,000 tokens`;
  const held =
    gain === null
      ? "what replies needed is not visible"
      : `of what replies needed, ${formatPercent(gain)} % was kept word for word${far}`;
  return worse.length === 0
    ? `${held}; nothing of about its cost keeps more by any measure, nor does a plain cut to its size`
    : `${held}. It keeps less by: ${worse.slice(0, MOST_NAMED).map(worseWords).join("; ")}${worse.length > MOST_NAMED ? ` (and ${worse.length - MOST_NAMED} more)` : ""}`;
}

/** So many measures are named; the table has all. */
const MOST_NAMED = 3;

function worseWords({ measure, than, points }: WorseMeasure): string {
  return `${measure} by ${formatPercent(points)} points against ${than ?? "a plain cut to its size"}`;
}

function shortWords({ policy, cost, gain }: PlacedPolicy): string {
  return `${policy}, ${formatPercent(cost)} % of the cost, ${heldText(gain)}`;
}

function sureWords({ sureness, outcomes, choice }: WindowAnswer, pick: PlacedPolicy): string {
  if (sureness === null) {
    const { sessions, units } = outcomes;
    return `It cannot be known: the ${formatNumberOf(sessions.length, "session")} ${sessions.length === 1 ? "is" : "are"} of ${formatNumberOf(ownersOf(units).size, "project")}, at least ${FEWEST_OWNERS} are needed. Differences are taken as they are, without intervals.`;
  }
  const { cost } = sureness;
  const drawn = `${formatCount(sureness.repositories)} projects drawn anew ${formatCount(sureness.resamples)} times`;
  const between =
    cost === null ? "" : `its cost lies between ${formatPercent(cost.from)} and ${formatPercent(cost.through)} % (95 %)`;
  if (choice.placed.length < 2) return `Of ${drawn}, ${between}.`;
  const share = sureness.chosen.find(({ policy }) => policy === pick.policy)?.share ?? 0;
  const rival = sureness.chosen.find(({ policy }) => policy !== pick.policy && policy !== null);
  const next = rival === undefined ? "" : `, ${rival.policy ?? ""} in ${formatRatioPercent(rival.share)} %`;
  const verdict = share >= SURE_SHARE ? "Fairly sure" : share >= HALF ? "More likely than not" : "Not sure";
  return `${verdict}: chosen again in ${formatRatioPercent(share)} % of the draws (${drawn})${next}; ${between}.`;
}

/** Chosen again so often is called sure (chosen: the usual level for an interval). */
const SURE_SHARE = 0.9;
const HALF = 0.5;
