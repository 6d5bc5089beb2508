import type { MetricMeaning } from "../metrics/metric.ts";
import { RELATIVE_MEANINGS } from "../metrics/relative.ts";
import { RETENTION } from "../metrics/retention.ts";
import { SAFETY } from "../metrics/safety.ts";
import { settingWords } from "../tune/tunable-settings.ts";
import type { TunedPolicy, TunedScore, TuneResult } from "../tune/tune.ts";
import { columnLegend, type FigureColumn, figureTable, numberColumn, textColumn } from "./figure-table.ts";
import { formatCount, formatNumberOf, formatPercent, formatRatioPercent } from "./figures.ts";
import { html, type Markup } from "./markup.ts";
import { renderPage } from "./page.ts";
import { type XyPoint, type XySeries, xyChart } from "./xy-chart.ts";

/** What the tuner looks for, in a sentence; docs/benchmark.md has the rule. */
export const TUNE_OBJECTIVE =
  "Best is the cheapest setting that is worse on no measure of the vector than the current one, by a point or more, and costs at most 5 % more.";

const SCRIPTS = ["figure-tables.js", "column-meanings.js"];

/** What the page shows of a result. */
export type ShownTuneResult = Pick<
  TuneResult,
  "base" | "cache" | "splitBy" | "trainSessions" | "testSessions" | "current" | "front" | "best"
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
  const { base, cache, splitBy, current, front, best, trainSessions, testSessions } = result;
  const title = `${base}, ${cache === "expiring" ? "prompt cache as recorded" : "prompt cache that never expires"}`;
  const isBest = ({ policy }: TunedPolicy) => policy.name === best?.policy.name;
  const rows = [
    { ...current, place: "as it is" },
    ...(best === null ? [] : [{ ...best, place: "best" }]),
    ...front.filter((tuned) => !isBest(tuned)).map((tuned) => ({ ...tuned, place: "front" })),
  ];
  const chart = xyChart({
    title,
    xTitle: "cost (% of doing nothing)",
    yTitle: "held, mean of the vector (%)",
    series: [
      seriesOf("front, sessions chosen on", 1, front, "train"),
      { ...seriesOf("front, other sessions", 3, front, "test"), isLine: false },
      { ...seriesOf("as it is", 0, [current], "train"), isLine: false, labels: true },
      { ...seriesOf("best", 2, best === null ? [] : [best], "train"), isLine: false, labels: true },
    ],
  });
  const table = figureTable({ name: `tune/${title}`, rowTitle: "settings", nameOf: settingsText, columns: COLUMNS, rows });
  return html`<h2>${title}</h2>
<p class="note">Chosen on ${formatNumberOf(trainSessions, "session")}, tested on ${formatNumberOf(testSessions, "session")}. ${splitBy === "nothing" ? "Both are the same." : `No ${splitBy} is in both.`} The front holds the settings without an overflow on the first that no other beats in both cost and the vector's mean. ${TUNE_OBJECTIVE}</p>
<div class="charts">${chart}</div>
${table}`;
}

function seriesOf(name: string, colour: number, tuned: readonly TunedPolicy[], part: "train" | "test"): XySeries {
  const points = tuned.map((each): XyPoint => {
    const { cost, gain, overflows } = each[part];
    const title = `${settingsText(each)}: ${formatRatioPercent(cost)} % cost, ${formatPercent(gain)} % held, ${formatNumberOf(overflows, "overflow")}`;
    return { x: 100 * cost, y: gain, label: name, title };
  });
  return { name, colour, points, isLine: true, labels: false };
}

function settingsText({ policy, settings }: TunedPolicy): string {
  return settings.length === 0
    ? policy.name
    : settings
        .map(settingWords)
        .map(({ path, value }) => `${path}=${String(value)}`)
        .join(" ");
}

const figures = (group: string, of: (row: TuneRow) => TunedScore): readonly FigureColumn<TuneRow>[] => [
  numberColumn({
    group,
    title: "cost, %",
    meaning: RELATIVE_MEANINGS.mean,
    value: (row) => of(row).cost,
    format: formatRatioPercent,
  }),
  numberColumn({
    group,
    title: "held, %",
    meaning: HELD_MEANING,
    value: (row) => of(row).gain,
    format: formatPercent,
  }),
  numberColumn({
    group,
    title: "held far, %",
    meaning: { ...HELD_MEANING, method: "The same over needs that were stated 20,000 tokens before or more." },
    value: (row) => of(row).farGain,
    format: formatPercent,
  }),
  numberColumn({
    group,
    title: "single lines, %",
    meaning: RETENTION.figures.sourceEvidenced,
    value: (row) => of(row).lineEvidence,
    format: formatPercent,
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

const HELD_MEANING: MetricMeaning = {
  unit: "%",
  better: "higher",
  method:
    "Mean of the vector: edit grounding, passage evidence, file in hand, instructions and plan, each the mean of the sessions' shares.",
  caveat: "A mean hides what is lost: the last columns name it.",
};

/** What a setting holds less than the current one. */
function lossesText({ losses }: TunedScore): string {
  return losses.map(({ measure, points }) => `${measure} ${formatPercent(points)}`).join(", ");
}

const COLUMNS: readonly FigureColumn<TuneRow>[] = [
  textColumn("place", ({ place }) => place),
  ...figures("on the sessions chosen on", ({ train }) => train),
  ...figures("on the other sessions", ({ test }) => test),
  textColumn("worse than as it is, points, on the sessions chosen on", ({ train }) => lossesText(train)),
  textColumn("on the other sessions", ({ test }) => lossesText(test)),
];
