import type { BenchReport } from "../results.ts";
import { COST_COLUMNS } from "./cost-columns.ts";
import { formatCount, formatPercent } from "./figures.ts";
import { type FigureColumn, figureTable } from "./html-figure-table.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { POLICY_COLUMNS } from "./policy-columns.ts";
import { BASELINE_POLICY, type PolicySummary, summarizePolicies, windowLabels } from "./policy-summary.ts";
import { remarks } from "./remarks.ts";
import { RETENTION_COLUMNS } from "./retention-columns.ts";

/** For each window a row a policy: size and safety, cost, and retention in full; the estimators' errors below. */
export function policyTables(report: BenchReport): Markup {
  const summaries = summarizePolicies(report);
  return html`<h2 id="policies">Policies</h2>
${tablesOf(summaries, windowLabels(report), POLICY_COLUMNS)}
<p class="note">Means are geometric over the sessions in which the policy or ${BASELINE_POLICY} acted; pooled figures are sums over the same sessions.
Retention is pooled over all uses; far uses reach back at least 20,000 tokens.</p>
${summaries.flatMap((summary) => remarks(summary).map((text) => html`<p class="note">${capitalised(summary.windowLabel)}: ${text}</p>`))}
<h2 id="cost">Cost</h2>
${tablesOf(summaries, windowLabels(report), COST_COLUMNS)}
<p class="note">Each summary is charged as if a model had written it. A session is priced where each of its models has a price.</p>
<h2 id="retention">Retention in full</h2>
${tablesOf(summaries, windowLabels(report), RETENTION_COLUMNS)}
${calibrationTable(summaries)}`;
}

function tablesOf(
  summaries: readonly PolicySummary[],
  labels: readonly string[],
  columns: readonly FigureColumn<PolicySummary>[],
): readonly Markup[] {
  return labels.map((label) => {
    const rows = summaries.filter((summary) => summary.windowLabel === label);
    const table = figureTable({ rowTitle: "policy", nameOf: ({ policy }) => policy, columns, rows });
    return html`<h3>${capitalised(label)}</h3>\n${table}`;
  });
}

function calibrationTable(summaries: readonly PolicySummary[]): Markup {
  // What an estimator says about recorded requests does not depend on the window.
  const [first] = summaries;
  const rows = summaries.flatMap(({ policy, windowLabel, calibration }) =>
    calibration === null || windowLabel !== first?.windowLabel
      ? []
      : [
          html`<tr><td class="name">${calibration.estimator}</td><td class="name">${policy}</td><td>${formatCount(calibration.calls)}</td><td>${formatPercent(calibration.signedPercent)}</td><td>${formatPercent(calibration.mapePercent)}</td><td>${formatPercent(calibration.worstP95Percent)}</td><td>${formatPercent(calibration.worstPercent)}</td></tr>`,
        ],
  );
  if (rows.length === 0) return html``;
  return html`<h2 id="estimators">Estimators against reported prompt sizes</h2>
<div class="scroll"><table class="figures"><thead><tr><th class="name">estimator</th><th class="name">measured on</th><th>calls</th><th>signed error, %</th><th>MAPE, %</th><th>p95 of the worst session, %</th><th>largest error, %</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
