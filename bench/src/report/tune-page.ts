import type { MetricMeaning } from "../metrics/metric.ts";
import { RELATIVE_MEANINGS } from "../metrics/relative.ts";
import { RETENTION } from "../metrics/retention.ts";
import { SAFETY } from "../metrics/safety.ts";
import type { ReportProblem } from "../results.ts";
import type { PolicyScore } from "../tune/score.ts";
import type { TunedPolicy, TunedScore, TunedSession, TuneResult } from "../tune/tune.ts";
import { columnLegend, type FigureColumn, figureTable, numberColumn, textColumn } from "./figure-table.ts";
import { formatCount, formatNumberOf, formatPercent, formatRatioPercent, heldCell, heldText } from "./figures.ts";
import { foldedSection } from "./folded-section.ts";
import { problemList } from "./html-answer.ts";
import { knobCurves } from "./knob-curve.ts";
import { html, type Markup } from "./markup.ts";
import { renderPage } from "./page.ts";
import { pasteBlock } from "./paste-block.ts";
import type { SessionNames } from "./session-names.ts";
import { settingsText, tuneAnswer } from "./tune-answer.ts";
import { type XyPoint, type XySeries, xyChart } from "./xy-chart.ts";

/** The aim of the tuner, in a sentence; docs/bench-and-tune.md has the rule. */
const TUNE_OBJECTIVE =
  "Best is the cheapest setting that is worse on no measure of what is held than the current one, by a point or more, and costs at most 5 % more.";

const SCRIPTS = ["folded-sections.js", "page-data.js", "figure-tables.js", "column-meanings.js", "copy-button.js"];

/** The part of a result that the page shows. */
export type ShownTuneResult = Omit<TuneResult, "idleSessions">;

/** The parts of the page besides the results. */
export interface TunePage {
  /** The policy file with the setting that was found. */
  readonly yaml: string;
  /** The text of the terminal. */
  readonly text: string;
  /** Names a session. */
  readonly nameOf: SessionNames;
  /** Problems that a reader must know before any figure. */
  readonly problems?: readonly ReportProblem[];
}

/** Renders the tuner's results as one HTML page that needs no network; the first result is the answer. */
export function renderTuneHtml(results: readonly ShownTuneResult[], { yaml, text, nameOf, problems = [] }: TunePage): string {
  const [first, ...others] = results;
  const main = html`<h1>Which setting costs least on these sessions</h1>
${problemList(problems)}
${first === undefined || first.trainSessions === 0 ? html`<p>${text}</p>` : answerSection(first, { yaml, nameOf })}
${others.map((result) => foldedSection(idOf(result), titleOf(result), resultSection(result)))}
${foldedSection("terminal", "As the terminal says it", html`<pre tabindex="0">${text}</pre>`)}
${columnLegend("tune", COLUMNS)}${columnLegend("tuned-sessions", SESSION_COLUMNS)}`;
  return renderPage({ title: "Plimsoll: settings tuned on these sessions", main, blocks: [], scripts: SCRIPTS });
}

/** The answer beside cost against what is held, what to paste, the knobs' curves, every setting, and the sessions. */
function answerSection(result: ShownTuneResult, { yaml, nameOf }: Pick<TunePage, "yaml" | "nameOf">): Markup {
  const [set = "", ...lines] = tuneAnswer(result);
  const sessions = figureTable({
    name: "tuned-sessions",
    rowTitle: "session",
    nameOf: ({ session }) => nameOf(session),
    columns: SESSION_COLUMNS,
    rows: result.sessions,
    isTall: true,
  });
  return html`<div class="verdict"><div><section class="answer" aria-label="The answer"><h2 class="window-title">The answer</h2><p class="pick">${set}</p>
<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></section>
${pasteBlock({ id: "yaml", label: "plimsoll.yaml", text: yaml })}</div>
${frontOf(result)}</div>
<h2>The knobs, one by one</h2>
<p class="note">Each point is the setting with that value that is nearest to the best in all others, on the sessions that it was chosen on.</p>
<div class="charts">${knobCurves(result)}</div>
<h2>Settings</h2>
${resultSection(result)}
<h2>Sessions</h2>
${sessions}`;
}

function idOf({ base, cache }: ShownTuneResult): string {
  return `${base}-${cache}`.replaceAll(/[^a-z0-9]+/gi, "-");
}

function titleOf({ base, cache }: ShownTuneResult): string {
  return `${base}, ${cache === "expiring" ? "prompt cache as recorded" : "prompt cache that never expires"}`;
}

/** A setting with its place. */
interface TuneRow extends TunedPolicy {
  readonly place: string;
}

function resultSection(result: ShownTuneResult): Markup {
  const { splitBy, current, front, best, trainSessions, testSessions } = result;
  const isBest = ({ policy }: TunedPolicy) => policy.name === best?.policy.name;
  const rows = [
    { ...current, place: "as it is" },
    ...(best === null ? [] : [{ ...best, place: "best" }]),
    ...front.filter((tuned) => !isBest(tuned)).map((tuned) => ({ ...tuned, place: "front" })),
  ];
  const table = figureTable({
    name: `tune/${titleOf(result)}`,
    rowTitle: "settings",
    nameOf: settingsText,
    columns: COLUMNS,
    rows,
  });
  return html`<p class="note">${titleOf(result)}. Chosen on ${formatNumberOf(trainSessions, "session")}, tested on ${formatNumberOf(testSessions, "session")}. ${splitBy === "nothing" ? "Both are the same." : `No ${splitBy} is in both.`} The front holds the settings without an overflow on the first that no other beats in both cost and the vector's mean. ${TUNE_OBJECTIVE}</p>
${table}`;
}

/** Cost against what is held: the front on both halves, the setting as it is, and the best. */
function frontOf(result: ShownTuneResult): Markup {
  const { current, front, best } = result;
  // One point with two names reads as two points.
  const isChanged = best !== null && best.settings.length > 0;
  return xyChart({
    title: "Cost against what is held",
    xTitle: "cost (% of doing nothing)",
    yTitle: "held when needed (%)",
    series: [
      seriesOf("front, sessions chosen on", 1, front, "train"),
      { ...seriesOf("front, other sessions", 4, front, "test"), isLine: false },
      { ...seriesOf("as it is", 3, [current], "train"), isLine: false, labels: true, isMarked: true },
      { ...seriesOf("best", 2, isChanged ? [best] : [], "train"), isLine: false, labels: true, isMarked: true },
    ],
  });
}

function seriesOf(name: string, colour: number, tuned: readonly TunedPolicy[], part: "train" | "test"): XySeries {
  const points = tuned.map((each): XyPoint => {
    const { cost, gain, overflows } = each[part];
    const title = `${settingsText(each)}: ${formatRatioPercent(cost)} % cost, ${heldText(gain)}, ${formatNumberOf(overflows, "overflow")}`;
    return { x: 100 * cost, y: gain ?? 0, label: name, title };
  });
  return { name, colour, points, isLine: true, labels: false };
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
    format: heldCell,
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

/** Says of which needs a setting holds less than the current one. */
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

const sessionFigures = (group: string, of: (row: TunedSession) => PolicyScore): readonly FigureColumn<TunedSession>[] => [
  numberColumn({
    group,
    title: "cost, %",
    meaning: RELATIVE_MEANINGS.mean,
    value: (row) => 100 * of(row).cost,
    format: formatPercent,
  }),
  numberColumn({ group, title: "held, %", meaning: HELD_MEANING, value: (row) => of(row).gain, format: heldCell }),
  numberColumn({
    group,
    title: "overflows",
    meaning: SAFETY.figures.overflowingRequests,
    value: (row) => of(row).overflows,
    format: formatCount,
    isBad: (row) => of(row).overflows > 0,
  }),
];

const SESSION_COLUMNS: readonly FigureColumn<TunedSession>[] = [
  textColumn("half", ({ isTrain }) => (isTrain ? "chosen on" : "tested on")),
  ...sessionFigures("as it is", ({ current }) => current),
  ...sessionFigures("best", ({ best }) => best),
];
