import { FEWEST_SESSIONS } from "../tune/bootstrap.ts";
import type { NothingDone, WindowAnswer } from "./answer.ts";
import { formatCount, formatNumberOf, formatPercent, formatRatioPercent } from "./figures.ts";
import type { PlacedPolicy, WorseMeasure } from "./policy-choice.ts";

/** An answer in words. */
export interface AnswerWords {
  readonly without: string;
  /** The policy to use; `null` if there is none. */
  readonly pick: string | null;
  readonly figures: string;
  readonly others: string;
  readonly sure: string;
}

/** Puts an answer into words. `triggerOf` says when a policy acts. */
export function answerWords(answer: WindowAnswer, triggerOf: (policy: string) => string | null): AnswerWords {
  const { choice, outcomes, nothing } = answer;
  const { pick, front, placed } = choice;
  const without =
    nothing === null ? "Doing nothing was not replayed: add the policy none to compare with." : withoutWords(nothing);
  if (placed.length === 0) return { without, pick: null, figures: noneWords(answer), others: "", sure: "" };
  if (pick === null) {
    const best = placed.reduce((least, each) => (each.lostRequests < least.lostRequests ? each : least));
    const figures = `Every policy lost requests; fewest ${best.policy} (${formatCount(best.lostRequests)}). The window is too small for these sessions.`;
    return { without, pick: null, figures, others: "", sure: "" };
  }
  const trigger = triggerOf(pick.policy);
  const when = trigger === null ? "" : ` It acts ${trigger}.`;
  const [cheapest, keeps] = [front[0], front.at(-1)];
  const others = [
    cheapest === undefined || cheapest === pick ? "" : `Cheapest: ${shortWords(cheapest)}.`,
    keeps === undefined || keeps === pick ? "" : `Keeps most: ${shortWords(keeps)}.`,
    placed.length > 1 && front.length === 1 ? "It is both the cheapest and the one that keeps most." : "",
  ];
  const over = `Over ${sessionsWords(outcomes.sessions.length, nothing)}`;
  return {
    without,
    pick: pick.policy,
    figures: `${over}, ${formatPercent(pick.cost)} % of the cost of doing nothing; ${keptWords(pick)}.${when}`,
    others: others.filter((each) => each !== "").join(" "),
    sure: sureWords(answer, pick),
  };
}

function withoutWords({ sessions, outgrown, calls, rejected }: NothingDone): string {
  if (rejected === 0)
    return `Without compaction all ${formatNumberOf(sessions, "session")} fit: nothing has to be compacted, but it may still be cheaper.`;
  return `Without compaction ${formatCount(outgrown)} of ${formatNumberOf(sessions, "session")} outgrow it: ${formatCount(rejected)} of ${formatNumberOf(calls, "request")} would have been rejected.`;
}

function noneWords({ outcomes, nothing }: WindowAnswer): string {
  if (outcomes.sessions.length === 0 && nothing !== null) return "No policy did anything: no session came near the window.";
  return "No policy that compacts was replayed in every session: add --policy.";
}

function sessionsWords(count: number, nothing: NothingDone | null): string {
  const all = nothing !== null && nothing.sessions === count ? "all " : "the ";
  return `${all}${formatNumberOf(count, "session")} that a policy touched`;
}

function keptWords({ gain, farGain, worse }: PlacedPolicy): string {
  const far = farGain === null ? "" : `, ${formatPercent(farGain)} % of what lay at least 20,000 tokens back`;
  const held = `of what replies needed, ${formatPercent(gain)} % was held word for word${far}`;
  return worse.length === 0
    ? `${held}; on no measure is it worse than a policy of about its cost or the plain tail of its size`
    : `${held}. It loses: ${worse.slice(0, MOST_NAMED).map(worseWords).join("; ")}`;
}

/** So many measures are named; the table has all. */
const MOST_NAMED = 3;

function worseWords({ measure, than, points }: WorseMeasure): string {
  return `${measure} by ${formatPercent(points)} points against ${than ?? "a plain tail of the same size"}`;
}

function shortWords({ policy, cost, gain }: PlacedPolicy): string {
  return `${policy}, ${formatPercent(cost)} % of the cost, ${formatPercent(gain)} % held`;
}

function sureWords({ sureness, outcomes, choice }: WindowAnswer, pick: PlacedPolicy): string {
  if (sureness === null) {
    return `It cannot be known: ${formatNumberOf(outcomes.sessions.length, "session")} say nothing about sessions that were not seen; at least ${FEWEST_SESSIONS} are needed.`;
  }
  const { cost } = sureness;
  const drawn = `${formatCount(sureness.resamples)} resamples of the ${formatNumberOf(sureness.sessions, "session")}`;
  const between =
    cost === null
      ? ""
      : `its cost lies between ${formatPercent(cost.from)} and ${formatPercent(cost.through)} % in nine of ten`;
  if (choice.placed.length < 2) return `Of ${drawn}, ${between}.`;
  const share = sureness.chosen.find(({ policy }) => policy === pick.policy)?.share ?? 0;
  const rival = sureness.chosen.find(({ policy }) => policy !== pick.policy && policy !== null);
  const next = rival === undefined ? "" : `, ${rival.policy ?? ""} in ${formatRatioPercent(rival.share)} %`;
  const verdict = share >= SURE_SHARE ? "Fairly sure" : share >= HALF ? "More likely than not" : "Not sure";
  return `${verdict}: chosen again in ${formatRatioPercent(share)} % of ${drawn}${next}; ${between}.`;
}

/** Chosen again so often is called sure (chosen: the usual level for an interval). */
const SURE_SHARE = 0.9;
const HALF = 0.5;
