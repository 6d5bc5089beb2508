import { RELATIVE_MEANINGS } from "../metrics/relative.ts";
import { RETENTION } from "../metrics/retention.ts";
import { SAFETY } from "../metrics/safety.ts";
import type { PolicyScore } from "../tune/score.ts";
import type { TunedPolicy, TuneResult } from "../tune/tune.ts";
import { columnLegend, type FigureColumn, figureTable, numberColumn, textColumn } from "./figure-table.ts";
import { formatCount, formatNumberOf, formatRatioPercent } from "./figures.ts";
import { html, type Markup } from "./markup.ts";
import { renderPage } from "./page.ts";
import { type XyPoint, type XySeries, xyChart } from "./xy-chart.ts";

const SCRIPTS = ["figure-tables.js", "column-meanings.js"];

/** What the page shows of a result. */
export type ShownTuneResult = Pick<
  TuneResult,
  "base" | "cache" | "trainSessions" | "testSessions" | "current" | "front" | "best"
>;

/** What the tuner found as one HTML page that needs no network. `text` is what the terminal shows: how sure it is, and the YAML to paste. */
export function renderTuneHtml(results: readonly ShownTuneResult[], text: string): string {
  const main = html`<h1>Which setting costs least on these sessions</h1>
<pre>${text}</pre>
${results.map(resultSection)}
${columnLegend("tune", COLUMNS)}`;
  return renderPage({ title: "Plimsoll: settings tuned on these sessions", main, blocks: [], scripts: SCRIPTS });
}

/** A setting with its place. */
interface TuneRow extends TunedPolicy {
  readonly place: string;
}

function resultSection(result: ShownTuneResult): Markup {
  const { base, cache, current, front, best, trainSessions, testSessions } = result;
  const title = `${base}, ${cache === "expiring" ? "prompt cache as recorded" : "prompt cache that never expires"}`;
  const rows = [
    { ...current, place: "as it is" },
    ...front.map((tuned) => ({ ...tuned, place: tuned.policy.name === best?.policy.name ? "best" : "front" })),
  ];
  const chart = xyChart({
    title,
    xTitle: "cost (% of doing nothing)",
    yTitle: "source evidence (% of uses)",
    series: [
      seriesOf("front, sessions chosen on", 1, front, "train"),
      { ...seriesOf("front, other sessions", 3, front, "test"), isLine: false },
      { ...seriesOf("as it is", 0, [current], "train"), isLine: false, labels: true },
      { ...seriesOf("best", 2, best === null ? [] : [best], "train"), isLine: false, labels: true },
    ],
  });
  const table = figureTable({ name: `tune/${title}`, rowTitle: "settings", nameOf: settingsText, columns: COLUMNS, rows });
  return html`<h2>${title}</h2>
<p class="note">Chosen on ${formatNumberOf(trainSessions, "session")}, tested on ${formatNumberOf(testSessions, "session")}. The front holds the settings without an overflow on the first that no other beats in both. Excerpts of single lines raise source evidence, and it is not shown to predict anything (plimsoll validate).</p>
<div class="charts">${chart}</div>
${table}`;
}

function seriesOf(name: string, colour: number, tuned: readonly TunedPolicy[], part: "train" | "test"): XySeries {
  const points = tuned.map((each): XyPoint => {
    const { cost, gain, overflows } = each[part];
    const title = `${settingsText(each)}: ${formatRatioPercent(cost)} % cost, ${formatRatioPercent(gain)} % source evidence, ${formatNumberOf(overflows, "overflow")}`;
    return { x: 100 * cost, y: 100 * gain, label: name, title };
  });
  return { name, colour, points, isLine: true, labels: false };
}

function settingsText({ policy, settings }: TunedPolicy): string {
  return settings.length === 0 ? policy.name : settings.map(({ path, value }) => `${path}=${String(value)}`).join(" ");
}

const figures = (group: string, of: (row: TuneRow) => PolicyScore): readonly FigureColumn<TuneRow>[] => [
  numberColumn({
    group,
    title: "cost, %",
    meaning: RELATIVE_MEANINGS.mean,
    value: (row) => of(row).cost,
    format: formatRatioPercent,
  }),
  numberColumn({
    group,
    title: "source evidence, %",
    meaning: RETENTION.figures.sourceEvidenced,
    value: (row) => of(row).gain,
    format: formatRatioPercent,
  }),
  numberColumn({
    group,
    title: "overflows",
    meaning: SAFETY.figures.overflowingRequests,
    value: (row) => of(row).overflows,
    format: formatCount,
    isBad: (row) => of(row).overflows > 0,
  }),
];

const COLUMNS: readonly FigureColumn<TuneRow>[] = [
  textColumn("place", ({ place }) => place),
  ...figures("on the sessions chosen on", ({ train }) => train),
  ...figures("on the other sessions", ({ test }) => test),
];
