import { columnsOf } from "../metrics/columns.ts";
import { METRICS, type RunMetrics } from "../metrics/registry.ts";
import type { BenchReport } from "../results.ts";
import { windowAnswers } from "./answer.ts";
import { askTables } from "./ask-tables.ts";
import { calibrationData } from "./calibration-data.ts";
import { CALIBRATION_TITLE, calibrationSection } from "./calibration-section.ts";
import { chartBlocks, type ShownPolicies, shownPolicies } from "./chart-data.ts";
import { windowComparisons } from "./comparisons.ts";
import { foldedSection } from "./folded-section.ts";
import { answerSection } from "./html-answer.ts";
import { cacheBreaksSection } from "./html-cache-breaks.ts";
import { chartSection, detailSection } from "./html-charts.ts";
import { differenceSection, recordSection } from "./html-comparisons.ts";
import { decaySection } from "./html-decay.ts";
import { policyTables } from "./html-policy-table.ts";
import { scatterSection } from "./html-scatter.ts";
import { notesSection, policiesSection, sessionsSection, skippedSection } from "./html-sections.ts";
import { sweepSection } from "./html-sweep.ts";
import { validitySection } from "./html-validity.ts";
import { html, type Markup } from "./markup.ts";
import { methodSection } from "./method.ts";
import { markedReport, modelSummaryNote } from "./model-summaries.ts";
import { packBlock, renderPage } from "./page.ts";
import { summarizePolicies } from "./policy-summary.ts";
import { type SessionNames, sessionNames } from "./session-names.ts";
import { tableSection } from "./validation-page.ts";

const SCRIPTS = [
  "folded-sections.js",
  "page-data.js",
  "figure-tables.js",
  "column-meanings.js",
  "chart-theme.js",
  "chart-keys.js",
  "context-chart.js",
  "composition-chart.js",
  "detail-view.js",
  "calibration-view.js",
  "report-page.js",
];

/** Characters that the sessions' data may take, so that a page of 50 sessions stays below 3 MB (chosen: the tables take the rest). */
const MOST_DATA_CHARS = 2_200_000;

/** The report as one HTML page that needs no network: style, scripts and data are inside it. The metrics are those of its run. */
export function renderHtmlReport(plain: BenchReport, metrics: RunMetrics = METRICS): string {
  const report = markedReport(plain);
  const mark = modelSummaryNote(plain);
  const summaries = summarizePolicies(report, metrics);
  const answers = windowAnswers(report, summaries);
  const shownName = sessionNames(report);
  const shownOf = (label: string): ShownPolicies =>
    shownPolicies(
      report,
      summaries,
      answers.find(({ windowLabel }) => windowLabel === label),
    );
  const calibration = packBlock("calibration-data", calibrationData(report.calibration, shownName));
  const mostChars = MOST_DATA_CHARS - calibration.base64.length;
  const charts = chartBlocks(report, { shownOf, metrics, mostChars });
  const { index } = charts;
  const comparisons = windowComparisons(report);
  const main = html`${answerSection(report, answers)}
${navigation(report)}
${sessionsSection(report, shownName)}
${chartSection(index, columnsOf(metrics, "chart"))}
${detailSection(index)}
${mark === null ? html`` : html`<p class="note">${mark}</p>`}
${recordSection(comparisons)}
${scatterSection(report, answers)}
${sweepSection(report, summaries)}
${askSection(report)}
${differenceSection(comparisons, shownName)}
${policyTables(summaries, metrics)}
${decaySection(summaries)}
${cacheBreaksSection(summaries)}
${calibrationPart(report, shownName)}
${skippedSection(report)}
${notesSection(report)}
${policiesSection(report)}
${methodSection(plain)}
${validitySection(plain, shownName)}`;
  return renderPage({
    title: "Plimsoll: what compaction does to these sessions",
    main,
    blocks: [charts.indexBlock, ...charts.sessions, calibration],
    scripts: SCRIPTS,
  });
}

/** Shows a model's next actions; nothing if none was asked. */
function askSection({ ask }: BenchReport): Markup {
  return ask === undefined ? html`` : html`<section id="ask">${askTables(ask).map(tableSection)}</section>`;
}

/** How well sizes are predicted; nothing if no recording reports any. */
function calibrationPart({ calibration }: BenchReport, shownName: SessionNames): Markup {
  if (calibration.length === 0) return html``;
  return foldedSection("calibration", CALIBRATION_TITLE, calibrationSection(calibration, shownName));
}

function navigation(report: BenchReport): Markup {
  const isSwept = report.policies.some(({ sweep }) => sweep !== null);
  const links: readonly (readonly [id: string, title: string])[] = [
    ["sessions", "Sessions"],
    ["charts", "Context size"],
    ["details", "Compactions"],
    ["losing", "Losing cases"],
    ["front", "Cost against what is held"],
    ...(isSwept ? [["sweep", "Sweep"] as const] : []),
    ...(report.ask === undefined ? [] : [["ask", "Next action"] as const]),
    ["differences", "Differences"],
    ["policies", "Policies"],
    ["cost", "Cost"],
    ["retention", "Retention"],
    ["cache-breaks", "Cache breaks"],
    ...(report.calibration.length === 0 ? [] : [["calibration", "Calibration"] as const]),
    ...(report.skipped.length === 0 ? [] : [["skipped", "Skipped"] as const]),
    ["settings", "Settings"],
    ["method", "Method"],
    ["validity", "Validity"],
  ];
  return html`<nav aria-label="Sections">${links.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}</nav>`;
}
