import type { WindowAnswer } from "./answer.ts";
import { formatNumberOf, formatPercent, heldText } from "./figures.ts";
import type { Markup } from "./markup.ts";
import type { PlacedPolicy } from "./policy-choice.ts";
import type { RunningNow } from "./running-now.ts";
import { type XyPoint, type XySeries, xyChart } from "./xy-chart.ts";

/** The content of a chart of cost against held needs. */
export interface FrontChart {
  readonly title: string;
  /** Answers of one window: policies that pay for a model's summaries and policies that do not are compared apart. */
  readonly answers: readonly Pick<WindowAnswer, "summaries" | "choice">[];
  /** `null` leaves out what the person runs now. */
  readonly now: RunningNow | null;
}

/** Colours of the two kinds of policies: without a model's summaries, and with. */
const KIND_COLOURS = { own: 1, model: 4 } as const;
const PICK_COLOUR = 2;
const NOW_COLOUR = 3;
const LOST_COLOUR = 9;

/** Cost against the mean of the vector: every policy, the front of each kind, the one to use, and what the person runs now. */
export function frontChart({ title, answers, now }: FrontChart): Markup {
  const series = answers.flatMap(({ summaries, choice }) => kindSeries({ summaries, choice }, now));
  const placed = answers.flatMap(({ choice }) => choice.placed);
  const picks = answers.flatMap(({ choice }) => choice.pick ?? []);
  return xyChart({
    title,
    xTitle: "cost (% of doing nothing)",
    yTitle: "held when needed (%)",
    series: [
      ...series,
      { name: "lost requests", colour: LOST_COLOUR, points: pointsOf(placed.filter(isLosing)), isLine: false, labels: true },
      { name: "the answer", colour: PICK_COLOUR, points: pointsOf(picks), isLine: false, labels: true, isMarked: true },
      {
        name: "what you run now",
        colour: NOW_COLOUR,
        points: nowPoints(now, placed),
        isLine: false,
        labels: true,
        isMarked: true,
      },
    ],
  });
}

function isLosing({ lostRequests }: PlacedPolicy): boolean {
  return lostRequests > 0;
}

function kindSeries(
  { summaries, choice }: Pick<WindowAnswer, "summaries" | "choice">,
  now: RunningNow | null,
): readonly XySeries[] {
  const { placed, front, pick } = choice;
  const colour = summaries === "by a model" ? KIND_COLOURS.model : KIND_COLOURS.own;
  const of = summaries === null ? "" : ` with summaries ${summaries}`;
  const isNamed = ({ policy }: PlacedPolicy) => policy === pick?.policy || now?.likenesses.has(policy) === true;
  const others = placed.filter((each) => !isLosing(each) && !isNamed(each));
  return [
    { name: `front${of}`, colour, points: pointsOf(front), isLine: true, labels: false },
    { name: `policies${of}`, colour, points: pointsOf(others), isLine: false, labels: true },
  ];
}

/** As recorded, and the likenesses of the agents that wrote the sessions. */
function nowPoints(now: RunningNow | null, placed: readonly PlacedPolicy[]): readonly XyPoint[] {
  if (now === null) return [];
  const likenesses = placed.filter(({ policy }) => now.likenesses.has(policy));
  return [
    ...(now.recorded === null ? [] : [{ ...pointOf(now.recorded), label: "you now, as recorded" }]),
    ...likenesses.map((each) => ({ ...pointOf(each), label: `you now, like ${each.policy}` })),
  ];
}

function pointsOf(policies: readonly PlacedPolicy[]): readonly XyPoint[] {
  return policies.map(pointOf);
}

function pointOf({ policy, cost: x, gain, lostRequests }: PlacedPolicy): XyPoint {
  const lost = lostRequests === 0 ? "" : `, ${formatNumberOf(lostRequests, "lost request")}`;
  return {
    x,
    y: gain ?? 0,
    label: policy,
    title: `${policy}: ${formatPercent(x)} % cost, ${heldText(gain)}${lost}`,
  };
}
