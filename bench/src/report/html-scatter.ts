import type { MetricMeaning } from "../metrics/metric.ts";
import { BASELINE_POLICY, RELATIVE_MEANINGS } from "../metrics/relative.ts";
import { SAFETY } from "../metrics/safety.ts";
import type { BenchReport } from "../results.ts";
import { answerTitle, type WindowAnswer } from "./answer.ts";
import { columnLegend, type FigureColumn, figureTable, numberColumn, textColumn } from "./figure-table.ts";
import { formatCount, formatNumberOf, formatPercent, heldCell } from "./figures.ts";
import { frontChart } from "./front-chart.ts";
import { capitalised } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import { choosePolicy, type PlacedPolicy } from "./policy-choice.ts";
import { amongPolicies, type CacheKind, windowOutcomes } from "./session-outcomes.ts";

const CACHES: readonly (readonly [CacheKind, string])[] = [
  ["with", "with the provider's prompt cache"],
  ["lasting", "with a prompt cache that never expires"],
  ["without", "without a prompt cache"],
];

/** The last one is in the table alone: nobody is without a prompt cache any more. */
const DRAWN_CACHES = 2;

/** Cost against the vector's mean with the front: for each window a chart for each kind of cache, and the figures beside them. */
export function scatterSection(report: BenchReport, answers: readonly WindowAnswer[]): Markup {
  const windows = answers.flatMap((answer) => windowCharts(report, answer));
  if (windows.length === 0) return html``;
  return html`<h2 id="front">Cost against what is held at use</h2>
<p class="note">Up and left is better. Cost in percent of ${BASELINE_POLICY}, geometric mean over the sessions that any policy touched; the mean of edit grounding, passage evidence, file in hand, instructions and plan. On the line: policies without a lost
request that no other beats in both. <span class="dot c9">●</span> lost requests: a real session would have ended there.</p>
${windows}
${columnLegend("front", COLUMNS)}`;
}

/** A policy with its cost under each kind of cache. */
interface FrontRow extends PlacedPolicy {
  readonly costs: readonly number[];
  readonly place: string;
  readonly losesTo: string;
}

function windowCharts(report: BenchReport, answer: WindowAnswer): readonly Markup[] {
  const { windowLabel, acting, outcomes, choice } = answer;
  if (choice.placed.length === 0) return [];
  const compared = new Set(outcomes.byPolicy.keys());
  const choices = CACHES.map(([cache]) => {
    const own = amongPolicies(windowOutcomes(report, { windowLabel, acting, cache }), compared);
    return choosePolicy(own, [...own.sessions.keys()]);
  });
  const charts = choices
    .slice(0, DRAWN_CACHES)
    .map((choice, index) =>
      frontChart({ title: capitalised(CACHES[index]?.[1] ?? ""), answers: [{ summaries: null, choice }], now: null }),
    );
  const rows = choice.placed.map((placed): FrontRow => {
    const costs = choices.map((each) => each.placed.find(({ policy }) => policy === placed.policy)?.cost ?? 0);
    const place =
      placed.policy === choice.pick?.policy
        ? "chosen"
        : choice.front.some(({ policy }) => policy === placed.policy)
          ? "on it"
          : "";
    return {
      ...placed,
      costs,
      place,
      losesTo: placed.worse.map(({ measure, than }) => `${measure}: ${than ?? "its tail"}`).join(", "),
    };
  });
  const table = figureTable({
    name: `front/${answerTitle(answer)}`,
    rowTitle: "policy",
    nameOf: ({ policy }) => policy,
    columns: COLUMNS,
    rows,
  });
  return [
    html`<h3>${capitalised(answerTitle(answer))}; ${formatNumberOf(outcomes.sessions.length, "session")}</h3>\n<div class="charts">${charts}</div>\n${table}`,
  ];
}

const cost = (index: number, title: string): FigureColumn<FrontRow> =>
  numberColumn({
    group: `cost, % of ${BASELINE_POLICY}`,
    title,
    meaning: RELATIVE_MEANINGS.mean,
    value: ({ costs }) => costs[index] ?? null,
    format: formatPercent,
  });

const VECTOR_MEAN: MetricMeaning = {
  unit: "% of needs",
  better: "higher",
  method: "The mean of edit grounding, passage evidence, file in hand, instructions and plan.",
  caveat: "A mean hides which measure loses: the table of policies has each of them.",
};

const COLUMNS: readonly FigureColumn<FrontRow>[] = [
  cost(0, "prompt cache"),
  cost(1, "that never expires"),
  cost(2, "no prompt cache"),
  numberColumn({
    group: "the vector's mean, %",
    title: "all needs",
    meaning: VECTOR_MEAN,
    value: ({ gain }) => gain,
    format: heldCell,
  }),
  numberColumn({
    group: "the vector's mean, %",
    title: "far needs",
    meaning: VECTOR_MEAN,
    value: ({ farGain }) => farGain,
    format: formatPercent,
  }),
  numberColumn({
    group: "safety",
    title: "lost requests",
    meaning: SAFETY.figures.unrecoveredRequests,
    value: ({ lostRequests }) => lostRequests,
    format: formatCount,
    isBad: ({ lostRequests }) => lostRequests > 0,
  }),
  textColumn("loses on, to", ({ losesTo }) => losesTo, "front"),
  textColumn("place", ({ place }) => place, "front"),
];
