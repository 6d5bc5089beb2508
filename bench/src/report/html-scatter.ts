import type { BenchReport } from "../results.ts";
import { formatPercent } from "./figures.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { paretoFront } from "./pareto.ts";
import { BASELINE_POLICY, type PolicySummary, summarizePolicies, windowLabels } from "./policy-summary.ts";
import { type XyPoint, xyChart } from "./xy-chart.ts";

interface Placed {
  readonly policy: string;
  readonly cost: number;
  readonly gain: number;
  readonly overflows: number;
}

/** Cost against source evidence with the front, a chart a window, with a prompt cache and without; nothing where no policy has a price. */
export function scatterSection(report: BenchReport): Markup {
  const summaries = summarizePolicies(report).filter(({ isActing }) => isActing);
  const charts = windowLabels(report).flatMap((label) =>
    (["withCache", "withoutCache"] as const).flatMap((kind) => chartOf(summaries, label, kind)),
  );
  if (charts.length === 0) return html``;
  return html`<h2 id="front">Cost against source evidence</h2>
<div class="charts">${charts}</div>
<p class="note">Cost in percent of ${BASELINE_POLICY}, geometric mean over sessions. On the line: policies without a lost request that no other beats in both.
A policy that lost requests is drawn in the colour of overflows.</p>`;
}

function chartOf(summaries: readonly PolicySummary[], label: string, kind: "withCache" | "withoutCache"): readonly Markup[] {
  const placed = summaries.flatMap((summary): readonly Placed[] => {
    const ratio = summary.cost[kind].relative?.geometricMeanRatio ?? null;
    const { uses, sourceEvidenced } = summary.retention.all;
    if (summary.windowLabel !== label || ratio === null || uses === 0) return [];
    const overflows = summary.safety.unrecoveredRequests;
    return [{ policy: summary.policy, cost: 100 * ratio, gain: (100 * sourceEvidenced) / uses, overflows }];
  });
  if (placed.length === 0) return [];
  const safe = placed.filter(({ overflows }) => overflows === 0);
  const front = paretoFront(safe);
  const cache = kind === "withCache" ? "with a prompt cache" : "without a prompt cache";
  const chart = {
    title: `${label}, ${cache}`,
    xTitle: `cost, % of ${BASELINE_POLICY}`,
    yTitle: "source evidence, %",
    series: [
      { name: "front", colour: 1, points: front.map(pointOf), isLine: true, labels: false },
      { name: "", colour: 1, points: safe.map(pointOf), isLine: false, labels: true },
      {
        name: "",
        colour: 9,
        points: placed.filter(({ overflows }) => overflows > 0).map(pointOf),
        isLine: false,
        labels: true,
      },
    ],
  };
  return [xyChart(chart)];
}

function pointOf({ policy, cost, gain, overflows }: Placed): XyPoint {
  const lost = overflows === 0 ? "" : `, ${overflows} lost requests`;
  return {
    x: cost,
    y: gain,
    title: `${policy}: ${formatPercent(cost)} % cost, ${formatPercent(gain)} % source evidence${lost}`,
  };
}
