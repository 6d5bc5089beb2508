import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport } from "../results.ts";
import { capitalised } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import { type PolicySummary, windowLabels } from "./policy-summary.ts";
import { type XySeries, xyChart } from "./xy-chart.ts";

/** A swept policy's summary with the value of the first axis and the other settings as the name of its line. */
interface SweptSummary {
  readonly summary: PolicySummary;
  readonly path: string;
  readonly value: number;
  readonly line: string;
}

type Figure = readonly [title: string, figure: (summary: PolicySummary) => number | null];

/** The figures that are drawn over a threshold. */
const FIGURES: readonly Figure[] = [
  [
    `cost with a prompt cache, % of ${BASELINE_POLICY}`,
    ({ metrics: { cost } }) => percent(cost.withCache.relative?.geometricMeanRatio),
  ],
  [
    `cost without a prompt cache, % of ${BASELINE_POLICY}`,
    ({ metrics: { cost } }) => percent(cost.withoutCache.relative?.geometricMeanRatio),
  ],
  [
    "source evidence, all uses, %",
    ({
      metrics: {
        retention: { all },
      },
    }) => percent(all.sourceEvidenced / all.uses),
  ],
  [
    "source evidence, far uses, %",
    ({
      metrics: {
        retention: { far },
      },
    }) => percent(far.sourceEvidenced / far.uses),
  ],
  ["requests above the window (overflow)", ({ metrics: { safety } }) => safety.overflowingRequests],
];

/** For each window a chart a figure over the first swept value, a line for each of the other settings; nothing without a sweep. */
export function sweepSection(report: BenchReport, summaries: readonly PolicySummary[]): Markup {
  const sweeps = new Map(report.policies.flatMap(({ name, sweep }) => (sweep === null ? [] : [[name, sweep] as const])));
  if (sweeps.size === 0) return html``;
  const swept = summaries.flatMap((summary): readonly SweptSummary[] => {
    const sweep = sweeps.get(summary.policy);
    const [first, ...others] = sweep?.settings ?? [];
    if (sweep === undefined || first === undefined) return [];
    const line = [sweep.base, ...others.map(({ path, value }) => `${path}=${value}`)].join(" ");
    return [{ summary, path: first.path, value: first.value, line }];
  });
  return html`<h2 id="sweep">Sweep: what a setting does</h2>
<p class="note">Every point is a replay of all sessions with that setting. Cost in percent of ${BASELINE_POLICY}; requests above the window should be 0 wherever you set it.</p>
${windowLabels(report).map((label) => {
  const inWindow = swept.filter(({ summary }) => summary.windowLabel === label);
  return html`<h3>${capitalised(label)}</h3><div class="charts">${FIGURES.map((figure) => chartOf(inWindow, figure))}</div>`;
})}`;
}

function chartOf(swept: readonly SweptSummary[], [title, figure]: Figure): Markup {
  const lines = [...new Set(swept.map(({ line }) => line))];
  const series = lines.map((name, index): XySeries => {
    const points = swept.flatMap(({ line, value, summary }) => {
      const y = figure(summary);
      return line !== name || y === null
        ? []
        : [{ x: value, y, label: "", title: `${name}: ${value}, ${Number(y.toPrecision(4))}` }];
    });
    return { name, colour: 1 + (index % 8), points: points.toSorted((a, b) => a.x - b.x), isLine: true, labels: false };
  });
  if (series.every(({ points }) => points.length === 0)) return html``;
  return xyChart({ title, xTitle: swept[0]?.path ?? "", yTitle: title, series });
}

function percent(ratio: number | undefined): number | null {
  return ratio === undefined || Number.isNaN(ratio) ? null : 100 * ratio;
}
