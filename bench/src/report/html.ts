import type { BenchReport } from "../results.ts";
import { type ChartData, chartDataOf } from "./chart-data.ts";
import { formatNumberOf } from "./figures.ts";
import { policyTables } from "./html-policy-table.ts";
import { scatterSection } from "./html-scatter.ts";
import { notesSection, policiesSection, sessionsSection, skippedSection } from "./html-sections.ts";
import { sweepSection } from "./html-sweep.ts";
import { validitySection } from "./html-validity.ts";
import type { Markup } from "./markup.ts";
import { html, scriptJson, trusted } from "./markup.ts";
import { methodSection } from "./method.ts";
import type { PageAssets } from "./page-assets.ts";
import { contentSecurityPolicy, readPageAssets } from "./page-assets.ts";
import { windowLabels } from "./policy-summary.ts";

/** The report as one HTML page that needs no network: style, scripts and data are inside it. */
export function renderHtmlReport(report: BenchReport): string {
  const assets = readPageAssets();
  const data = chartDataOf(report);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(assets)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Plimsoll: compaction policies compared</title>
<style>${trusted(assets.style)}</style>
</head>
<body>
<main>
${headSection(report)}
${validitySection(report)}
${chartSection(data)}
${detailSection()}
${scatterSection(report)}
${sweepSection(report)}
${policyTables(report)}
${sessionsSection(report)}
${skippedSection(report)}
${notesSection(report)}
${methodSection(report)}
${policiesSection(report)}
</main>
<script type="application/json" id="chart-data">${scriptJson(data)}</script>
${scriptBlocks(assets)}
</body>
</html>
`.markup;
}

function scriptBlocks({ scripts }: PageAssets): readonly Markup[] {
  return scripts.map((script) => html`<script>${trusted(script)}</script>\n`);
}

function headSection(report: BenchReport): Markup {
  const calls = report.sessions.reduce((sum, session) => sum + session.calls, 0);
  const skipped = report.skipped.length === 0 ? "" : ` Skipped: ${formatNumberOf(report.skipped.length, "input")}.`;
  return html`<h1>Compaction policies compared</h1>
<p class="soft">${formatNumberOf(report.sessions.length, "recorded session")} with ${formatNumberOf(calls, "model call")},
replayed under ${report.policies.map(({ name }) => name).join(", ")} in ${windowLabels(report).join(", ")}.${skipped}
Open loop: sizes, cost, safety and retention, not task success.</p>
<nav><a href="#validity">Validity</a><a href="#charts">Context size</a><a href="#details">Compactions</a><a href="#front">Cost and evidence</a><a href="#policies">Policies</a><a href="#cost">Cost</a><a href="#retention">Retention</a><a href="#sessions">Sessions</a>${
    report.skipped.length === 0 ? [] : html`<a href="#skipped">Skipped</a>`
  }<a href="#method">Method</a><a href="#settings">Settings</a></nav>`;
}

/** Filled by the page's script for the session and window that are chosen above. */
function detailSection(): Markup {
  return html`<h2 id="details">What fills the window, and what each compaction did</h2>
<div class="pickers"><label>policy<select id="policy-picker"></select></label></div>
<figure><div id="composition" role="img"></div><figcaption id="composition-key"></figcaption></figure>
<p class="note" id="detail-note"></p>
<div id="compactions"></div>`;
}

function chartSection({ sessions, windows }: ChartData): Markup {
  const options = (labels: readonly string[]) => labels.map((label, index) => html`<option value="${index}">${label}</option>`);
  return html`<h2 id="charts">Context size at each model call</h2>
<div class="pickers">
<label class="grow">session<select id="session-picker">${options(sessions)}</select></label>
<label>context window<select id="window-picker">${options(windows)}</select></label>
<button id="previous-session" type="button">Previous</button>
<button id="next-session" type="button">Next</button>
<label class="tick" id="show-all-label" hidden><input id="show-all" type="checkbox">full height</label>
</div>
<figure>
<div id="chart" role="img"><noscript>The chart needs scripts; all tables below work without.</noscript></div>
<figcaption><span class="key"><b>○</b>compaction right before this call</span><span class="key"><b class="cross">×</b>request above the context window</span><span id="chart-note"></span></figcaption>
</figure>
<div class="scroll"><table class="figures"><thead id="cell-head"></thead><tbody id="cell-rows"></tbody></table></div>
<p class="note">Click a policy in the legend to hide it; drag across the chart to zoom in, double-click to zoom out.</p>`;
}
