import type { BenchReport, RetentionCount } from "../results.ts";
import { formatCount, formatPercent, formatRatioPercent, formatTokens, ratioOf } from "./figures.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import type { PolicySummary } from "./policy-summary.ts";
import { BASELINE_POLICY, summarizePolicies, windowLabels } from "./policy-summary.ts";
import { remarks } from "./remarks.ts";

interface Column {
  readonly group: string;
  readonly title: string;
  readonly figure: (summary: PolicySummary) => string;
  /** True where the figure is something that must not happen. */
  readonly isBad?: (summary: PolicySummary) => boolean;
}

const share = (count: RetentionCount, part: "recalled" | "evidenced" | "sourceEvidenced") =>
  formatRatioPercent(ratioOf(count[part], count.uses));

/** A column of a count of which each is a failure. */
const failures = (title: string, count: (summary: PolicySummary) => number): Column => ({
  group: "safety",
  title,
  figure: (summary) => formatCount(count(summary)),
  isBad: (summary) => count(summary) > 0,
});

const retention = (title: string, figure: Column["figure"]): Column => ({ group: "retention at use, %", title, figure });
const economy = (title: string, figure: Column["figure"]): Column => ({ group: "economy", title, figure });

const COLUMNS: readonly Column[] = [
  { group: "replayed", title: "fired in sessions", figure: (s) => `${s.firedSessions} of ${s.sessions}` },
  { group: "replayed", title: "calls", figure: (s) => formatCount(s.safety.calls) },
  economy("prompt tokens", (s) => formatTokens(s.economy.promptTokens)),
  economy(`% of ${BASELINE_POLICY}, mean`, (s) => formatRatioPercent(s.relative?.geometricMeanRatio ?? null)),
  economy(`% of ${BASELINE_POLICY}, pooled`, (s) => formatRatioPercent(s.relative?.pooledRatio ?? null)),
  economy("peak tokens", (s) => formatTokens(s.economy.peakPromptTokens)),
  economy("compac-tions", (s) => formatCount(s.economy.compactions)),
  economy("failed", (s) => formatCount(s.economy.failedCompactions)),
  retention("recall, all", (s) => share(s.retention.all, "recalled")),
  retention("recall, far", (s) => share(s.retention.far, "recalled")),
  retention("evid., all", (s) => share(s.retention.all, "evidenced")),
  retention("evid., far", (s) => share(s.retention.far, "evidenced")),
  retention("source, all", (s) => share(s.retention.all, "sourceEvidenced")),
  retention("source, far", (s) => share(s.retention.far, "sourceEvidenced")),
  failures("over-flows", (s) => s.safety.overflowingRequests),
  failures("not re-covered", (s) => s.safety.unrecoveredRequests),
  failures("invalid", (s) => s.safety.invalidRequests),
  failures("irre-ducible", (s) => s.safety.irreducibleRequests),
  { group: "safety", title: "emer-gency", figure: (s) => formatCount(s.safety.emergencyCompactions) },
  { group: "safety", title: "smallest headroom", figure: (s) => formatTokens(s.safety.smallestHeadroomTokens) },
];

/** One table a window with a row a policy, and the estimators' errors below. */
export function policyTables(report: BenchReport): Markup {
  const summaries = summarizePolicies(report);
  const tables = windowLabels(report).map((label) =>
    windowTable(
      label,
      summaries.filter((summary) => summary.windowLabel === label),
    ),
  );
  return html`<h2 id="policies">Policies</h2>
${tables}
<p class="note">Means are geometric over the sessions in which the policy or ${BASELINE_POLICY} acted; pooled figures are sums over the same sessions.
Retention is pooled over all uses; far uses reach back at least 20,000 tokens.</p>
${calibrationTable(summaries)}`;
}

function windowTable(label: string, summaries: readonly PolicySummary[]): Markup {
  return html`<h3>${capitalised(label)}</h3>
<div class="scroll"><table class="figures">
<thead><tr><th class="name sticky" rowspan="2">policy</th>${groupHeads()}</tr>
<tr>${COLUMNS.map((column, index) => html`<th class="wrapped${startsGroup(index) ? " first" : ""}">${column.title}</th>`)}</tr></thead>
<tbody>${summaries.map(policyRow)}</tbody>
</table></div>
${summaries.flatMap(remarks).map((text) => html`<p class="note">${text}</p>`)}`;
}

function groupHeads(): readonly Markup[] {
  const groups = [...new Set(COLUMNS.map(({ group }) => group))];
  return groups.map(
    (group) => html`<th class="group" colspan="${COLUMNS.filter((column) => column.group === group).length}">${group}</th>`,
  );
}

function startsGroup(index: number): boolean {
  return COLUMNS[index]?.group !== COLUMNS[index - 1]?.group;
}

function policyRow(summary: PolicySummary): Markup {
  const cells = COLUMNS.map((column, index) => {
    const classes = [startsGroup(index) ? "first" : "", column.isBad?.(summary) === true ? "bad" : ""].join(" ");
    return html`<td class="${classes}">${column.figure(summary)}</td>`;
  });
  return html`<tr><td class="name sticky">${summary.policy}</td>${cells}</tr>`;
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
  return html`<h3>Estimators against reported prompt sizes</h3>
<div class="scroll"><table class="figures"><thead><tr><th class="name">estimator</th><th class="name">measured on</th><th>calls</th><th>signed error, %</th><th>MAPE, %</th><th>p95 of the worst session, %</th><th>largest error, %</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
