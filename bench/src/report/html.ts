import { PRICES_AS_OF } from "@plimsoll/providers";
import type { ShownFigure } from "../metrics/columns.ts";
import { columnsOf } from "../metrics/columns.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import { METRICS } from "../metrics/registry.ts";
import type { BenchReport, PolicyComparison } from "../results.ts";
import { FEWEST_OWNERS } from "../statistics.ts";
import { windowAnswers } from "./answer.ts";
import { askTables } from "./ask-tables.ts";
import { calibrationData } from "./calibration-data.ts";
import { CALIBRATION_TITLE, calibrationSection } from "./calibration-section.ts";
import type { ShownPolicies } from "./chart-data.ts";
import { chartBlocks, shownPolicies } from "./chart-data.ts";
import type { ChartIndex } from "./chart-index.ts";
import type { PolicySession } from "./comparison-columns.ts";
import { DIFFERENCE_COLUMNS, RECORD_COLUMNS, SESSION_COLUMNS } from "./comparison-columns.ts";
import type { WindowComparison } from "./comparisons.ts";
import { overWords, sessionRows, windowComparisons } from "./comparisons.ts";
import type { FigureColumn } from "./figure-table.ts";
import { columnLegend, figureTable, numberColumn, scrollFrame } from "./figure-table.ts";
import { formatCount, formatNumberOf, formatTokens, NO_FIGURE } from "./figures.ts";
import { foldedSection } from "./folded-section.ts";
import { answerSection } from "./html-answer.ts";
import { decaySection } from "./html-decay.ts";
import { policyTables } from "./html-policy-table.ts";
import { scatterSection } from "./html-scatter.ts";
import { notesSection, policiesSection, sessionsSection, skippedSection } from "./html-sections.ts";
import { sweepSection } from "./html-sweep.ts";
import { validitySection } from "./html-validity.ts";
import { capitalised } from "./labels.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { markedReport, modelSummaryNote } from "./model-summaries.ts";
import { packBlock, renderPage } from "./page.ts";
import type { PolicySummary } from "./policy-summary.ts";
import { summarizePolicies } from "./policy-summary.ts";
import type { SessionNames } from "./session-names.ts";
import { sessionNames } from "./session-names.ts";
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

/** The pickers, the chart of context size, and the table beside it; filled by the page's script. */
function chartSection({ sessions, windows, policies }: ChartIndex, figures: readonly ShownFigure[]): Markup {
  const options = (labels: readonly string[]) => labels.map((label, index) => html`<option value="${index}">${label}</option>`);
  const columns = figures.map(({ title, figure }) =>
    numberColumn<null>({ title, meaning: figure, value: () => null, format: () => NO_FIGURE }),
  );
  return html`<h2 id="charts">Context size at each model call</h2>
<div class="pickers">
<label class="grow">session<select id="session-picker">${options(sessions)}</select></label>
<label>context window<select id="window-picker">${options(windows)}</select></label>
<label>policy looked at<select id="policy-picker">${options(policies.map(({ name }) => name))}</select></label>
<button id="previous-session" type="button">Previous</button>
<button id="next-session" type="button">Next</button>
<label class="tick"><input id="show-all-lines" type="checkbox">all policies</label>
<label class="tick" id="show-all-label" hidden><input id="show-all" type="checkbox">full height</label>
</div>
<figure>
<div id="chart" class="chart" role="group" aria-label="Prompt size over calls"><noscript>The chart needs scripts; all tables below work without.</noscript></div>
<figcaption><span class="key"><b>○</b>compaction right before this call (click: what it did)</span><span class="key"><b class="cross">×</b>request above the context window</span><span class="key"><b>▾</b>prompt cache broken, <b>▿</b>expired (policy looked at)</span><span id="chart-note"></span></figcaption>
</figure>
<p class="note">Click a policy in the legend to hide or show it; drag across the chart to zoom in, double-click to zoom out. By keyboard, with the chart in focus: <kbd>←</kbd> <kbd>→</kbd> go from call to call, <kbd>Page Up</kbd> <kbd>Page Down</kbd> from compaction to compaction of the policy looked at, <kbd>Enter</kbd> opens what it did, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom.</p>
<div class="table">${scrollFrame("the chosen session")}<table class="figures" data-name="session"><thead><tr><th class="name" scope="col"><button class="sort" type="button">policy</button></th>${figures.map(
    ({ title }, index) =>
      html`<th class="wrapped" scope="col"><button class="sort" type="button" data-meaning="legend-session-${index}">${title}</button></th>`,
  )}</tr></thead><tbody id="cell-rows"></tbody></table></div></div>
${columnLegend("session", columns)}`;
}

/** Makes the section of the window's content and of each compaction; filled by the page's script for the session that is chosen above. */
function detailSection({ leftOut }: ChartIndex): Markup {
  return html`<h2 id="details">What fills the window, and what each compaction did</h2>
<p class="note" id="detail-title"></p>
<figure><div id="composition" class="chart" role="group" aria-label="What fills the context"></div><figcaption>Tokens of the size model by kind of message and tool, at evenly spread calls; the dashed line is the input budget.</figcaption></figure>
<h3 id="compactions-title">Compactions</h3>
<p class="note" id="detail-note"></p>
${leftOut === null ? html`` : html`<p class="note">${leftOut}</p>`}
<div id="compactions" class="compactions"></div>`;
}

const WIDTH = 560;
const ROW_HEIGHT = 20;
const NAMES_WIDTH = 150;
const FIGURES_WIDTH = 175;
const AXIS_HEIGHT = 34;

/** How often each policy broke the prompt cache, and how often it had expired, a chart a window. */
function cacheBreaksSection(summaries: readonly PolicySummary[]): Markup {
  const labels = [...new Set(summaries.map(({ windowLabel }) => windowLabel))];
  const content = html`<p class="note">Requests that did not begin with all of the request before while its prompt cache lived (<span class="dot c2">■</span> broken), and requests sent after it had expired (<span class="dot c0">■</span> expired: the recorded pauses).
Beside them the tokens that were written to the cache.</p>
<div class="charts">${labels.map((label) =>
    barsOf(
      label,
      summaries.filter(({ windowLabel }) => windowLabel === label),
    ),
  )}</div>`;
  return foldedSection("cache-breaks", "Cache breaks", content);
}

function barsOf(label: string, rows: readonly PolicySummary[]): Markup {
  const most = Math.max(1, ...rows.map(({ metrics: { cost } }) => cost.cacheBreaks + cost.cacheExpiries));
  const scale = (WIDTH - NAMES_WIDTH - FIGURES_WIDTH) / most;
  const height = rows.length * ROW_HEIGHT + AXIS_HEIGHT;
  const bars = rows.map(
    (
      {
        policy,
        metrics: {
          cost: { cacheBreaks, cacheExpiries, cacheWriteTokens },
        },
      },
      index,
    ) => {
      const y = index * ROW_HEIGHT + 4;
      const [broken, expired] = [Math.round(cacheBreaks * scale * 10) / 10, Math.round(cacheExpiries * scale * 10) / 10];
      const title = `${policy}: ${formatCount(cacheBreaks)} broken, ${formatCount(cacheExpiries)} expired, ${formatTokens(cacheWriteTokens)} tokens written`;
      return html`<g><title>${title}</title><text class="label" text-anchor="end" x="${NAMES_WIDTH - 8}" y="${y + 11}">${policy}</text>
<rect class="bar c2" x="${NAMES_WIDTH}" y="${y}" width="${broken}" height="13"/><rect class="bar c0" x="${NAMES_WIDTH + broken}" y="${y}" width="${expired}" height="13"/>
<text class="tick" x="${NAMES_WIDTH + broken + expired + 6}" y="${y + 11}">${formatCount(cacheBreaks)} + ${formatCount(cacheExpiries)}, ${formatTokens(cacheWriteTokens)} written</text></g>`;
    },
  );
  return html`<figure class="xy"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Cache breaks and expiries by policy, ${label}">${bars}
<line class="grid" x1="${NAMES_WIDTH}" x2="${NAMES_WIDTH}" y1="0" y2="${height - AXIS_HEIGHT + 2}"/>
<text class="axis" text-anchor="middle" x="${(NAMES_WIDTH + WIDTH - FIGURES_WIDTH) / 2}" y="${height - 10}">requests (longest bar: ${formatCount(most)})</text></svg>
<figcaption><b>${capitalised(label)}</b></figcaption></figure>`;
}

/** Losing cases: for each policy the share of sessions that it lost, tied and won. */
function recordSection(windows: readonly WindowComparison[]): Markup {
  const shown = windows.filter(({ policies }) => policies.length > 0);
  if (shown.length === 0) return html``;
  return html`<h2 id="losing">Losing cases first</h2>
<p class="note">In per cent of the sessions in which the policy acts: each session counts the same. Pooled sums are those of the few longest sessions.</p>
${shown.map((each) => windowTable("losing", each, RECORD_COLUMNS))}
${columnLegend("losing", RECORD_COLUMNS)}`;
}

/** The paired differences, with intervals or, from too few owners, with a row for every session. */
function differenceSection(windows: readonly WindowComparison[], shownName: (session: string) => string): Markup {
  const shown = windows.filter(({ policies }) => policies.length > 0);
  if (shown.length === 0) return html``;
  const content = html`${shown.map((each) => html`${windowTable("differences", each, DIFFERENCE_COLUMNS)}<p class="note">${overWords(each)}</p>${everySession(each, shownName)}`)}
${columnLegend("differences", DIFFERENCE_COLUMNS)}${columnLegend("every-session", SESSION_COLUMNS)}`;
  return foldedSection("differences", "Differences to its own tail and to doing nothing", content);
}

function windowTable(
  name: string,
  { windowLabel, policies }: WindowComparison,
  columns: readonly FigureColumn<PolicyComparison>[],
): Markup {
  const nameOf = ({ policy }: PolicyComparison) => policy;
  const table = figureTable({ name: `${name}/${windowLabel}`, rowTitle: "policy", nameOf, columns, rows: policies });
  return html`<h3>${capitalised(windowLabel)}</h3>
${table}`;
}

function everySession({ windowLabel, outcomes, policies }: WindowComparison, shownName: (session: string) => string): Markup {
  if ((policies[0]?.owners ?? 0) >= FEWEST_OWNERS) return html``;
  const rows = sessionRows(outcomes);
  const nameOf = ({ outcome }: PolicySession) => shownName(outcome.session);
  const table = figureTable({
    name: `every-session/${windowLabel}`,
    rowTitle: "session",
    nameOf,
    columns: SESSION_COLUMNS,
    rows,
  });
  return html`<details><summary>Every session, ${windowLabel}: ${formatNumberOf(rows.length, "row")}</summary>
${table}</details>`;
}

/** Who wrote the summaries. */
function summariesText(report: BenchReport): string {
  const digest = "A digest has no sentence of its own and one size for all policies.";
  const note = modelSummaryNote(report) ?? "No policy asked for one by a model.";
  switch (report.summarizer) {
    case "digest":
      return `Written by a deterministic digest, not by a model. ${digest} ${note}`;
    case "recorded":
      return `A policy that pays for a model's summary is scored with the recorded agent's own if there is one at a comparable place (docs/evidence.md), with a digest of what came after it; else with a digest. ${digest} ${note}`;
    default:
      return `Written by ${report.summarizer}, and charged what its requests took. ${note}`;
  }
}

/** How the figures were made and what they do not say. */
function methodSection(report: BenchReport): Markup {
  const content = html`<dl>
<dt>Replay</dt><dd>The production engine is driven over each session's full recorded history, call by call. Every policy ignores the recorded agent's own compactions, but for
<code>recorded</code>, which applies them alone; <code>none</code> never edits. A request above the window is rejected as a provider would, so that recovery runs and is counted.</dd>
<dt>Open loop</dt><dd>Recorded replies do not react to what was compacted. The figures say size, cost, safety and retention; they do not say whether the task would have succeeded.</dd>
<dt>Window</dt><dd>Working room is the window's size above the session's overhead (system text and tools). A session whose overhead takes more than half of the window is left out.</dd>
<dt>Prompt sizes</dt><dd>What a request would have measured comes from a size model fitted to the recorded usage; it shares nothing with the engine's estimators. Sessions without usage run on estimates and say so.</dd>
<dt>Summaries</dt><dd>${summariesText(report)}</dd>
<dt>Cost</dt><dd>Requests are charged at the state of their prompt cache (longest common beginning, shortest cached prompt, time to live from the recorded times), replies as recorded, and each summary as a request at its cache state with a fixed reply. Prices are those of each call's day, of ${PRICES_AS_OF} if its log tells none, unless the run had its own. A session that overflows for good is charged as recorded.</dd>
<dt>Recall</dt><dd>The share of references (paths, identifiers, numbers, hashes, URLs, flags, quoted errors) in recorded replies that had appeared before and are readable in the context that the policy sends at that very call.</dd>
<dt>Evidence</dt><dd>The share for which a line that stated the reference is readable; source evidence asks for the latest line of a person's message or a tool's result. A string that survives is the most a model could recall, not what it will.</dd>
<dt>Versions</dt><dd>Plimsoll ${report.plimsollVersion}, reference extractor ${report.referencesVersion}, report format ${report.formatVersion}.</dd>
</dl>`;
  return foldedSection("method", "Method and limits", content);
}
