import { columnsOf } from "../metrics/columns.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import { BASELINE_POLICY } from "../metrics/relative.ts";
import { columnLegend, type FigureColumn, fact, figureTable, metricColumns, numberColumn } from "./figure-table.ts";
import { formatCount } from "./figures.ts";
import { foldedSection } from "./folded-section.ts";
import { capitalised } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import { cheatRankedFirst, FAILS, failureNotes } from "./measure-notes.ts";
import { type PolicySummary, remarks } from "./policy-summary.ts";
import { validatedWords } from "./validated-words.ts";

/** The columns before the metrics: in how many sessions the policy did anything. */
const REPLAYED: readonly FigureColumn<PolicySummary>[] = [
  numberColumn({
    group: "replayed",
    title: "fired in sessions",
    meaning: fact(
      "sessions",
      "Sessions in which at least one compaction was made or tried.",
      "In the others the policy shortened results as they came, or did nothing.",
    ),
    value: ({ firedSessions }) => firedSessions,
    format: formatCount,
  }),
  numberColumn({
    group: "replayed",
    title: "of sessions",
    meaning: fact(
      "sessions",
      "Sessions to which the window applies.",
      "A window of which the overhead takes more than half does not.",
    ),
    value: ({ sessions }) => sessions,
    format: formatCount,
  }),
];

/** For each window a row a policy: size and safety, cost, and retention in full. */
export function policyTables(summaries: readonly PolicySummary[], metrics: RunMetrics): Markup {
  const labels = [...new Set(summaries.map(({ windowLabel }) => windowLabel))];
  const policies = html`<p class="note">${validatedWords()}</p>
${tablesOf("policies", summaries, { metrics, first: REPLAYED })}
<p class="note">Means are geometric over the sessions in which the policy or ${BASELINE_POLICY} acted; pooled figures are sums over the same sessions.
Retention is pooled over all uses; far uses reach back at least 20,000 tokens.</p>
${labels.flatMap((label) => {
  const own = summaries.filter(({ windowLabel }) => windowLabel === label);
  return remarks(own).map((text) => html`<p class="note">${capitalised(label)}: ${text}</p>`);
})}`;
  const cost = html`${tablesOf("cost", summaries, { metrics, first: [] })}
<p class="note">Each summary is charged as if a model had written it. Redo is exploratory and decides nothing: an empty context minimises it. A session is priced where each of its models has a price.</p>`;
  const retention = tablesOf("retention", summaries, { metrics, first: [] });
  return html`${foldedSection("policies", "Policies", policies)}
${foldedSection("cost", "Cost", cost)}
${foldedSection("retention", "Retention in full", retention)}`;
}

function tablesOf(
  name: "policies" | "cost" | "retention",
  summaries: readonly PolicySummary[],
  { metrics, first }: { readonly metrics: RunMetrics; readonly first: readonly FigureColumn<PolicySummary>[] },
): Markup {
  const figures = columnsOf(metrics, name);
  const columns = metricColumns(metrics, name);
  const labels = [...new Set(summaries.map(({ windowLabel }) => windowLabel))];
  const tables = labels.map((label) => {
    const rows = summaries.filter((summary) => summary.windowLabel === label);
    const marked = columns.map((column, place) => {
      const figure = figures[place];
      const isFailing = figure !== undefined && cheatRankedFirst(figure, rows) !== null;
      return isFailing ? { ...column, title: `${column.title}${FAILS}` } : column;
    });
    const table = figureTable({
      name: `${name}/${label}`,
      rowTitle: "policy",
      nameOf: ({ policy }) => policy,
      columns: [...first, ...marked],
      rows,
    });
    return html`<h3>${capitalised(label)}</h3>\n${table}${failureNotes(figures, rows).map((text) => html`<p class="note">${text}</p>`)}`;
  });
  return html`${tables}${columnLegend(name, [...first, ...columns])}`;
}
