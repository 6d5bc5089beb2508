import { policyColours } from "./chart-index.ts";
import { capitalised } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import type { PolicySummary } from "./policy-summary.ts";
import { type XySeries, xyChart } from "./xy-chart.ts";

/** Steps with fewer uses say nothing (chosen). */
const FEWEST_USES = 20;

/** Source evidence by the compactions since a reference was last said, a chart a window; nothing if nothing was compacted. */
export function decaySection(summaries: readonly PolicySummary[]): Markup {
  const colours = policyColours([...new Set(summaries.map(({ policy }) => policy))]);
  const labels = [...new Set(summaries.map(({ windowLabel }) => windowLabel))];
  const charts = labels.flatMap((label) => {
    const acting = summaries.filter(
      ({ windowLabel, isActing, metrics }) => windowLabel === label && isActing && metrics.economy.compactions > 0,
    );
    const series = acting.map((summary) => seriesOf(summary, colours)).filter(({ points }) => points.length > 1);
    if (series.length === 0) return [];
    return [
      xyChart({
        title: capitalised(label),
        xTitle: "compactions since it was last said (5: five or more)",
        yTitle: "source evidence (% of uses)",
        series,
      }),
    ];
  });
  if (charts.length === 0) return html``;
  return html`<h2 id="decay">How evidence decays over compactions</h2>
<p class="note">Of what a reply relied on, the share whose source could still be read, by the number of compactions since it was last said. Steps with fewer than ${FEWEST_USES} uses are left out.</p>
<div class="charts">${charts}</div>`;
}

function seriesOf({ policy, metrics: { decay } }: PolicySummary, colours: ReturnType<typeof policyColours>): XySeries {
  const points = decay
    .filter(({ uses }) => uses >= FEWEST_USES)
    .map(({ compactions, uses, sourceEvidenced }) => {
      const percent = (100 * sourceEvidenced) / uses;
      return {
        x: compactions,
        y: percent,
        label: policy,
        title: `${policy}, ${compactions}: ${percent.toFixed(1)} % of ${uses} uses`,
      };
    });
  const { colour = 0, round = 0 } = colours.find(({ name }) => name === policy) ?? {};
  return { name: policy, colour, round, points, isLine: true, labels: false };
}
