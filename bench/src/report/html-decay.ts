import type { HeldCount } from "../grounding/held-needs.ts";
import { percentOf } from "../statistics.ts";
import { policyColours } from "./chart-index.ts";
import { columnLegend, type FigureColumn, figureTable, numberColumn } from "./figure-table.ts";
import { formatPercent } from "./figures.ts";
import { foldedSection } from "./folded-section.ts";
import { capitalised } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import type { PolicySummary } from "./policy-summary.ts";
import { type XySeries, xyChart } from "./xy-chart.ts";

/** Steps with fewer needs say nothing (chosen). */
export const FEWEST_CURVE_USES = 20;

/** A step's share in percent; `null` if it has too few needs to say anything. */
export function curveShare({ uses, held }: HeldCount): number | null {
  return uses < FEWEST_CURVE_USES ? null : percentOf(held, uses);
}

/** A curve over compactions: of a policy the counts by the compactions since. */
interface Curve {
  readonly yTitle: string;
  readonly stepsOf: (summary: PolicySummary) => readonly HeldCount[];
}

const INSTRUCTIONS: Curve = {
  yTitle: "instructions held (%)",
  stepsOf: ({ metrics: { instructions } }) => instructions.byCompactions,
};

const EVIDENCE: Curve = {
  yTitle: "single lines held (% of uses)",
  stepsOf: ({ metrics: { decay } }) =>
    Array.from({ length: STEPS }, (_, place) => {
      const step = decay.find(({ compactions }) => compactions === place);
      return { uses: step?.uses ?? 0, held: step?.sourceEvidenced ?? 0 };
    }),
};

/** Steps of the curves: 0 to 4 compactions, and five or more. */
const STEPS = 6;

/** Shows the needs that are left after each further compaction, a chart a window: the person's messages, with their figures, and single lines. */
export function decaySection(summaries: readonly PolicySummary[]): Markup {
  const compacting = summaries.filter(({ isActing, metrics }) => isActing && metrics.economy.compactions > 0);
  const labels = [...new Set(compacting.map(({ windowLabel }) => windowLabel))];
  const colours = policyColours([...new Set(summaries.map(({ policy }) => policy))]);
  const windows = labels.map((label) => {
    const own = compacting.filter(({ windowLabel }) => windowLabel === label);
    const charts = [INSTRUCTIONS, EVIDENCE].flatMap((curve) => curveChart(label, { curve, own, colours }));
    const nameOf = ({ policy }: PolicySummary) => policy;
    const name = `instructions-curve/${label}`;
    const table = figureTable({ name, rowTitle: "policy", nameOf, columns: CURVE_COLUMNS, rows: own });
    return html`<h3>${capitalised(label)}</h3>
<div class="charts">${charts}</div>
<details><summary>Instructions as figures, ${label}</summary>${table}</details>`;
  });
  if (windows.length === 0) return html``;
  const content = html`<p class="note">The person's messages that are still there word for word, and the lines that replies relied on, by the number of compactions since they were last said. Steps with fewer than ${FEWEST_CURVE_USES} needs are left out.</p>
${windows}
${columnLegend("instructions-curve", CURVE_COLUMNS)}`;
  return foldedSection("decay", "What is left after each compaction", content);
}

const CURVE_COLUMNS: readonly FigureColumn<PolicySummary>[] = Array.from({ length: STEPS }, (_, step) =>
  numberColumn<PolicySummary>({
    group: "compactions since the message",
    title: step === STEPS - 1 ? `${step} and more` : String(step),
    meaning: {
      unit: "% of messages",
      better: "higher",
      method: "Messages of the person that stand in the context word for word, at each call, over all sessions.",
      caveat: "Sessions with many compactions decide the later steps.",
    },
    value: (summary) => curveShare(INSTRUCTIONS.stepsOf(summary)[step] ?? { uses: 0, held: 0 }),
    format: formatPercent,
  }),
);

interface Drawn {
  readonly curve: Curve;
  readonly own: readonly PolicySummary[];
  readonly colours: ReturnType<typeof policyColours>;
}

function curveChart(label: string, { curve, own, colours }: Drawn): readonly Markup[] {
  const series = own.map((summary) => seriesOf(summary, curve, colours)).filter(({ points }) => points.length > 1);
  if (series.length === 0) return [];
  const xTitle = "compactions since it was last said (5: five or more)";
  return [xyChart({ title: capitalised(label), xTitle, yTitle: curve.yTitle, series })];
}

function seriesOf(summary: PolicySummary, { stepsOf }: Curve, colours: Drawn["colours"]): XySeries {
  const { policy } = summary;
  const points = stepsOf(summary).flatMap((step, compactions) => {
    const percent = curveShare(step);
    const title = `${policy}, ${compactions}: ${formatPercent(percent)} % of ${step.uses}`;
    return percent === null ? [] : [{ x: compactions, y: percent, label: policy, title }];
  });
  const { colour = 0, round = 0 } = colours.find(({ name }) => name === policy) ?? {};
  return { name: policy, colour, round, points, isLine: true, labels: false };
}
