import { PRICES_AS_OF } from "@plimsoll/providers";
import type { WindowAnswer } from "../judge/answer.ts";
import type { Judgement, WindowJudgement } from "../judge/judge.ts";
import type { Standing } from "../judge/standing.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import type { BenchReport, ReportProblem } from "../results.ts";
import { settingWords } from "../tune/tunable-settings.ts";
import { type ChartBlocks, chartBlocks } from "./chart-data.ts";
import { formatNumberOf, formatPercent, heldText, lineageWords } from "./figures.ts";
import { capitalised } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import { renderPage } from "./page.ts";
import type { PolicyNames } from "./policy-names.ts";
import { type ShownReport, shownReport } from "./report-tables.ts";
import { metricColumns, type ReportTable } from "./table.ts";
import { foldedSection, tableHtml } from "./table-html.ts";
import { type XyPoint, type XySeries, xyChart } from "./xy-chart.ts";

const SCRIPTS = [
  "folded-sections.js",
  "figure-tables.js",
  "column-meanings.js",
  "chart-theme.js",
  "chart-keys.js",
  "context-chart.js",
  "report-page.js",
];

/** Renders a report as one HTML page that needs no network: style, scripts and data are inside it. Give its run's metrics. */
export function renderHtmlReport(report: BenchReport, metrics?: RunMetrics): string {
  return htmlPage(shownReport(report, metrics));
}

/** The page of a report that is shown in other forms too. */
export function htmlPage(shown: ShownReport): string {
  const { report, metrics, notes } = shown;
  const charts = chartBlocks(shown);
  const further = shown.further();
  const main = html`${answerSection(shown)}
${navigation(report, further)}
${chartSection(charts, metrics)}
${sweepSection(report, shown.judged)}
<h2 id="tables">All figures</h2>
<p class="note">${notes.join(" ")}</p>
${further.map((table) => foldedSection(`part-${table.id}`, table.title, tableHtml(table)))}
${policiesSection(report, shown.policyName)}
${methodSection(report)}`;
  return renderPage({
    title: "Plimsoll: compaction of these sessions",
    main,
    blocks: charts.blocks,
    scripts: SCRIPTS,
  });
}

/** The first screen: for each window the answer, as the terminal has it, beside cost against kept share, and its table. */
function answerSection({ report, problems, windows: shown, judged, policyName }: ShownReport): Markup {
  const calls = report.sessions.reduce((sum, session) => sum + session.calls, 0);
  const formats = [...new Set(report.sessions.map(({ format }) => format))];
  const counts = formats.map((format) => `${format} ${report.sessions.filter((session) => session.format === format).length}`);
  const windows = shown.map(({ judged: window, lines, table }) => {
    const isAnswered = window.answers.some(({ placed }) => placed.length > 0);
    return html`<section class="window" aria-label="${window.windowLabel}"><h2 class="window-title">${capitalised(window.windowLabel)}</h2>
<div class="verdict">${answerCard(lines)}${isAnswered ? frontChart(window, policyName) : html``}</div>
${tableHtml(table)}</section>`;
  });
  return html`<h1>Compaction of these sessions, compared</h1>
<p class="soft lead">${formatNumberOf(report.sessions.length, "recorded session")} with ${formatNumberOf(calls, "model call")} (${counts.join(", ")}), replayed under ${report.policies.length === 1 ? "one policy" : `${report.policies.length} policies`}. ${lineageWords(report.lineages)}</p>
${problemList(problems)}
${windows}
${how(judged.windows)}`;
}

/** Lists the problems that a reader must know before any figure; nothing without a problem. */
export function problemList(problems: readonly Pick<ReportProblem, "text">[]): Markup {
  if (problems.length === 0) return html``;
  return html`<section class="problems" aria-label="Problems"><h2>Problems</h2><ul>${problems.map(({ text }) => html`<li>${text}</li>`)}</ul></section>`;
}

/** An answer: the advice in large letters, with the reasons for and against it. */
export function answerCard([pick = "", ...others]: readonly string[]): Markup {
  return html`<section class="answer" aria-label="The answer"><p class="soft">The answer</p><p class="pick">${pick}</p>
${others.length === 0 ? html`` : html`<ul>${others.map((line) => html`<li>${line}</li>`)}</ul>`}</section>`;
}

function how(windows: readonly WindowJudgement[]): Markup {
  if (windows.every(({ named }) => named.length === 0)) return html``;
  const isEstimated = windows.some(({ hasEstimatedCost }) => hasEstimatedCost);
  return html`<details class="how"><summary>How the policy is chosen</summary><p class="note">The choice covers the sessions that outgrow the window without compaction. It compares cost and three measures of the text that was still in the context, word for word, when a reply needed it: all text, and text last stated 20,000 tokens before or more. A policy is recommended if it lost no request and is worse on no measure than a policy that costs at most 5% more, or than keeping only the newest messages at its own size. Of those, the one at the knee of cost against the mean of the measures is picked. If there is none, the knee of all policies is named with its losses. Worse means that the 95% interval of the paired difference over repositories lies below zero, or, with fewer than eight projects, a difference of a point or more. Policies made to cheat are never chosen.${isEstimated ? " If a model has no price, its prompt tokens count as its cost." : ""}</p></details>`;
}

function navigation(report: BenchReport, tables: readonly ReportTable[]): Markup {
  const links: readonly (readonly [id: string, title: string])[] = [
    ["charts", "Context size"],
    ...(report.policies.some(({ sweep }) => sweep !== null) ? [["sweep", "Sweep"] as const] : []),
    ...tables.map(({ id, title }) => [`part-${id}`, title] as const),
    ["settings", "Settings"],
    ["method", "Method and limits"],
  ];
  return html`<nav aria-label="Sections">${links.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}</nav>`;
}

/** The pickers, the chart of context size and the table beside it; filled by the page's script. */
function chartSection({ index: { sessions, windows, policies } }: ChartBlocks, metrics: RunMetrics): Markup {
  const options = (labels: readonly string[]) => labels.map((label, place) => html`<option value="${place}">${label}</option>`);
  const heads = metricColumns(metrics, "chart");
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
<div id="chart" class="chart" role="group" aria-label="Prompt size over calls"><p class="soft">The chart and the table below appear when the page's scripts have run; all other tables work without.</p></div>
<figcaption><span class="key"><b>○</b>compaction right before this call</span><span class="key"><b class="cross">×</b>request above the context window</span><span class="key"><b>▾</b>prompt cache broken, <b>▿</b>expired (policy looked at)</span><span id="chart-note"></span></figcaption>
</figure>
<p class="note">At most six policies are shown at first: click one in the legend to hide or show it; drag across the chart to zoom in, double-click to zoom out. By keyboard, with the chart in focus: <kbd>←</kbd> <kbd>→</kbd> go from call to call, <kbd>Page Up</kbd> <kbd>Page Down</kbd> from compaction to compaction of the policy looked at, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> zoom.</p>
${tableHtml({ id: "session", title: "The chosen session", notes: [], rowTitle: "policy", heads, rows: [] })}`;
}

/** Every policy of the run as data, so that the run can be repeated. Points of a sweep are named only by their settings. */
function policiesSection({ policies }: BenchReport, nameOf: PolicyNames): Markup {
  const swept = policies.filter(({ sweep }) => sweep !== null);
  const whole = policies.filter(({ sweep }) => sweep === null);
  return foldedSection(
    "settings",
    "Settings of the policies",
    html`${whole.map(({ name, policy }) => html`<details><summary>${nameOf(name)}</summary><pre tabindex="0">${JSON.stringify(policy, null, 2)}</pre></details>`)}
${swept.length === 0 ? html`` : html`<p class="note">${formatNumberOf(swept.length, "point")} of a sweep: the JSON report has each whole.</p>`}`,
  );
}

function summariesText({ summarizer }: BenchReport): string {
  const digest = "A digest writes no sentence of its own and has one size for all policies.";
  if (summarizer === "digest") return `Written by a deterministic digest, not by a model. ${digest}`;
  if (summarizer !== "recorded") return `Written by ${summarizer}, and charged by the tokens of its requests.`;
  return `A policy that pays for a model's summary is scored with the recorded agent's own if there is one at a comparable place, with a digest of what came after it; else with a digest. ${digest}`;
}

function methodSection(report: BenchReport): Markup {
  return foldedSection(
    "method",
    "Method and limits",
    html`<dl>
<dt>Replay</dt><dd>The production engine is driven over each session's full recorded history, call by call. Every policy ignores the recorded agent's own compactions, but for
<code>recorded</code>, which applies only them; <code>none</code> never edits. A request above the window is rejected as a provider would, so that recovery runs and is counted.</dd>
<dt>Limit</dt><dd>Recorded replies do not react to compaction. The figures show size, cost, safety and content kept; they do not show whether the task would have succeeded.</dd>
<dt>Window</dt><dd>The model's own, or with <code>--window</code> a number of tokens above the system prompt and tools: for comparisons across agents. A session whose system prompt and tools take more than half of the window is left out.</dd>
<dt>Prompt sizes</dt><dd>The size of a request comes from a size model fitted to the recorded usage; it shares nothing with the engine's estimators. Sessions without usage run on estimates, and the report says so.</dd>
<dt>Summaries</dt><dd>${summariesText(report)}</dd>
<dt>Cost</dt><dd>Requests are charged at the state of their prompt cache (longest common beginning, shortest cached prompt, time to live from the recorded times), replies as recorded, and each summary as a request at its cache state with a fixed reply. Prices are those of each call's day, of ${PRICES_AS_OF} if its log names none, unless the run had its own. In the run without compaction, requests above the window count as recorded.</dd>
<dt>Versions</dt><dd>Plimsoll ${report.plimsollVersion}, reference extractor ${report.referencesVersion}, report format ${report.formatVersion}.</dd>
</dl>`,
  );
}

/** Colours of the two kinds of policies: without a model's summaries, and with. */
const KIND_COLOURS = { own: 1, model: 4 } as const;
const PICK_COLOUR = 2;
const NOW_COLOUR = 3;
const LOST_COLOUR = 9;

/** Cost against kept share, over the sessions of the answer: every policy, those that the answer names, and the person's present one. */
function frontChart({ now, named, answers }: WindowJudgement, nameOf: PolicyNames): Markup {
  const isRinged = ({ policy }: Standing) => policy === now?.policy || named.some((pick) => pick.policy === policy);
  const marked = { isLine: false, labels: true, isMarked: true };
  const pointsOf = (standings: readonly Standing[]) => standings.map((each) => pointOf(each, nameOf));
  const losing = answers.flatMap(({ placed }) => placed.filter(isLosing));
  const others = ({ placed }: WindowAnswer) => placed.filter((each) => !isLosing(each) && !isRinged(each));
  return xyChart({
    title: "Cost and content kept (no axis begins at 0; none, at 100% cost, is not drawn)",
    xTitle: "cost (% of the cost without compaction)",
    yTitle: "needed text kept (%)",
    series: [
      ...answers.map((answer) => kindSeries(answer, pointsOf(others(answer)))),
      { name: "lost requests", colour: LOST_COLOUR, points: pointsOf(losing), isLine: false, labels: true },
      { name: "the answer", colour: PICK_COLOUR, points: pointsOf(named), ...marked },
      {
        name: "recorded",
        colour: NOW_COLOUR,
        points: now === null ? [] : [{ ...pointOf(now, nameOf), label: "recorded" }],
        ...marked,
      },
    ],
  });
}

function isLosing({ lostRequests }: Standing): boolean {
  return lostRequests > 0;
}

function kindSeries({ summaries }: WindowAnswer, points: readonly XyPoint[]): XySeries {
  const colour = summaries === "by a model" ? KIND_COLOURS.model : KIND_COLOURS.own;
  const of = summaries === null ? "" : ` with${summaries === "by a model" ? "" : "out"} model summaries`;
  return { name: `policies${of}`, colour, points, isLine: false, labels: true };
}

function pointOf({ policy, costPercent: x, gain, lostRequests }: Standing, nameOf: PolicyNames): XyPoint {
  const lost = lostRequests === 0 ? "" : `, ${formatNumberOf(lostRequests, "lost request")}`;
  const name = nameOf(policy);
  return { x, y: gain ?? 0, label: name, title: `${name}: ${formatPercent(x)}% cost, ${heldText(gain)}${lost}` };
}

/** A point of a sweep: the value of its first axis, and the other settings as the name of its line. */
interface SweptPoint {
  readonly path: string;
  readonly value: number;
  readonly line: string;
  readonly standing: Standing | undefined;
  readonly rejected: number;
}

type Figure = readonly [title: string, figure: (point: SweptPoint) => number | null];

/** The figures that are drawn over a setting: those of the answer. */
const FIGURES: readonly Figure[] = [
  ["cost, % of the cost without compaction", ({ standing }) => standing?.costPercent ?? null],
  ["needed text kept, %", ({ standing }) => standing?.gain ?? null],
  ["requests above the window", ({ rejected }) => rejected],
];

/** For each window a chart a figure over the first swept value, a line for each of the other settings; nothing without a sweep. */
function sweepSection({ policies }: Pick<BenchReport, "policies">, judged: Judgement): Markup {
  const sweeps = new Map(policies.flatMap(({ name, sweep }) => (sweep === null ? [] : [[name, sweep] as const])));
  if (sweeps.size === 0) return html``;
  const windows = judged.windows.map(({ windowLabel, summaries, standings }) => {
    const points = summaries.flatMap((summary): readonly SweptPoint[] => {
      const sweep = sweeps.get(summary.policy);
      const [first, ...others] = sweep?.settings ?? [];
      if (sweep === undefined || first === undefined) return [];
      const line = [sweep.base, ...others.map(({ path, value }) => `${path}=${value}`)].join(" ");
      const rejected = summary.metrics.safety.overflowingRequests;
      return [{ path: first.path, value: first.value, line, standing: standings.get(summary.policy), rejected }];
    });
    return html`<h3>${capitalised(windowLabel)}</h3><div class="charts">${FIGURES.map((figure) => chartOf(points, figure))}</div>`;
  });
  return html`<h2 id="sweep">Sweep: the effect of a setting</h2>
<p class="note">Every point is a replay of all sessions with that setting. Requests above the window should be 0 wherever you set it.</p>
${windows}`;
}

function chartOf(points: readonly SweptPoint[], [title, figure]: Figure): Markup {
  const lines = [...new Set(points.map(({ line }) => line))];
  const values = [...new Set(points.map(({ value }) => value))].toSorted((a, b) => a - b);
  const path = points[0]?.path ?? "";
  const xNames = values.map((value) => String(settingWords({ path, value }).value));
  const series = lines.map((name, index): XySeries => {
    const own = points.flatMap((point) => {
      const y = figure(point);
      return point.line !== name || y === null
        ? []
        : [{ x: values.indexOf(point.value), y, label: "", title: `${name}: ${point.value}, ${Number(y.toPrecision(4))}` }];
    });
    return { name, colour: 1 + (index % 8), points: own.toSorted((a, b) => a.x - b.x), isLine: true, labels: false };
  });
  if (series.every(({ points: own }) => own.length === 0)) return html``;
  return xyChart({ title, xTitle: path, xNames, yTitle: title, series });
}
