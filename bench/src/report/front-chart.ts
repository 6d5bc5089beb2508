import type { WindowAnswer } from "./answer.ts";
import { formatNumberOf, formatPercent, heldText } from "./figures.ts";
import type { Markup } from "./markup.ts";
import type { PlacedPolicy } from "./policy-choice.ts";
import type { Verdict } from "./verdict.ts";
import { type XyPoint, type XySeries, xyChart } from "./xy-chart.ts";

/** Colours of the two kinds of policies: without a model's summaries, and with. */
const KIND_COLOURS = { own: 1, model: 4 } as const;
const PICK_COLOUR = 2;
const NOW_COLOUR = 3;
const LOST_COLOUR = 9;

/** Cost against what is kept, over the sessions of the answer: every policy, the answer, and what the person runs now. */
export function frontChart({ now, placed, picks }: Verdict, answers: readonly WindowAnswer[]): Markup {
  const isNamed = ({ policy }: PlacedPolicy) => policy === now?.policy || picks.some((pick) => pick.policy === policy);
  const marked = { isLine: false, labels: true, isMarked: true };
  return xyChart({
    title: "Cost against what is kept",
    xTitle: "cost (% of doing nothing)",
    yTitle: "kept of what replies needed (%)",
    series: [
      ...answers.map((answer) => kindSeries(answer, isNamed)),
      { name: "lost requests", colour: LOST_COLOUR, points: pointsOf(placed.filter(isLosing)), isLine: false, labels: true },
      { name: "the answer", colour: PICK_COLOUR, points: pointsOf(picks), ...marked },
      { name: "you now", colour: NOW_COLOUR, points: now === null ? [] : [{ ...pointOf(now), label: "you now" }], ...marked },
    ],
  });
}

function isLosing({ lostRequests }: PlacedPolicy): boolean {
  return lostRequests > 0;
}

function kindSeries({ summaries, choice: { placed } }: WindowAnswer, isNamed: (policy: PlacedPolicy) => boolean): XySeries {
  const colour = summaries === "by a model" ? KIND_COLOURS.model : KIND_COLOURS.own;
  const of = summaries === null ? "" : ` with summaries ${summaries}`;
  const others = placed.filter((each) => !isLosing(each) && !isNamed(each));
  return { name: `policies${of}`, colour, points: pointsOf(others), isLine: false, labels: true };
}

function pointsOf(policies: readonly PlacedPolicy[]): readonly XyPoint[] {
  return policies.map(pointOf);
}

function pointOf({ policy, cost: x, gain, lostRequests }: PlacedPolicy): XyPoint {
  const lost = lostRequests === 0 ? "" : `, ${formatNumberOf(lostRequests, "lost request")}`;
  return { x, y: gain ?? 0, label: policy, title: `${policy}: ${formatPercent(x)} % cost, ${heldText(gain)}${lost}` };
}
