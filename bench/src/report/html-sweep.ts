import type { BenchReport } from "../results.ts";
import { capitalised } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import type { PlacedPolicy } from "./policy-choice.ts";
import type { PolicySummary } from "./policy-summary.ts";
import type { Verdict } from "./verdict.ts";
import { type XySeries, xyChart } from "./xy-chart.ts";

/** A point of a sweep: the value of its first axis, and the other settings as the name of its line. */
interface SweptPoint {
  readonly path: string;
  readonly value: number;
  readonly line: string;
  readonly placed: Omit<PlacedPolicy, "worse"> | undefined;
  readonly rejected: number;
}

type Figure = readonly [title: string, figure: (point: SweptPoint) => number | null];

/** The figures that are drawn over a setting: those of the answer. */
const FIGURES: readonly Figure[] = [
  ["cost, % of doing nothing", ({ placed }) => placed?.cost ?? null],
  ["kept of what replies needed, %", ({ placed }) => placed?.gain ?? null],
  ["requests above the window", ({ rejected }) => rejected],
];

/** For each window a chart a figure over the first swept value, a line for each of the other settings; nothing without a sweep. */
export function sweepSection(
  { policies }: Pick<BenchReport, "policies">,
  summaries: readonly PolicySummary[],
  verdicts: readonly Verdict[],
): Markup {
  const sweeps = new Map(policies.flatMap(({ name, sweep }) => (sweep === null ? [] : [[name, sweep] as const])));
  if (sweeps.size === 0) return html``;
  const windows = verdicts.map(({ windowLabel, placed }) => {
    const points = summaries.flatMap((summary): readonly SweptPoint[] => {
      const sweep = sweeps.get(summary.policy);
      const [first, ...others] = sweep?.settings ?? [];
      if (sweep === undefined || first === undefined || summary.windowLabel !== windowLabel) return [];
      const line = [sweep.base, ...others.map(({ path, value }) => `${path}=${value}`)].join(" ");
      const rejected = summary.metrics.safety.overflowingRequests;
      return [
        {
          path: first.path,
          value: first.value,
          line,
          placed: placed.find(({ policy }) => policy === summary.policy),
          rejected,
        },
      ];
    });
    return html`<h3>${capitalised(windowLabel)}</h3><div class="charts">${FIGURES.map((figure) => chartOf(points, figure))}</div>`;
  });
  return html`<h2 id="sweep">Sweep: what a setting does</h2>
<p class="note">Every point is a replay of all sessions with that setting. Requests above the window should be 0 wherever you set it.</p>
${windows}`;
}

function chartOf(points: readonly SweptPoint[], [title, figure]: Figure): Markup {
  const lines = [...new Set(points.map(({ line }) => line))];
  const series = lines.map((name, index): XySeries => {
    const own = points.flatMap((point) => {
      const y = figure(point);
      return point.line !== name || y === null
        ? []
        : [{ x: point.value, y, label: "", title: `${name}: ${point.value}, ${Number(y.toPrecision(4))}` }];
    });
    return { name, colour: 1 + (index % 8), points: own.toSorted((a, b) => a.x - b.x), isLine: true, labels: false };
  });
  if (series.every(({ points: own }) => own.length === 0)) return html``;
  return xyChart({ title, xTitle: points[0]?.path ?? "", yTitle: title, series });
}
