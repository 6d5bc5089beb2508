import { lossesAgainst } from "../judge/choose.ts";
import type { Standing } from "../judge/standing.ts";
import { SAFETY } from "../metrics/safety.ts";
import type { ReportProblem } from "../results.ts";
import { settingWords } from "../tune/tunable-settings.ts";
import type { TunedPolicy, TunedSession, TuneResult } from "../tune/tune.ts";
import { formatCount, formatNumberOf, formatPercent, heldText } from "./figures.ts";
import { answerCard, problemList } from "./html.ts";
import { html, type Markup } from "./markup.ts";
import { pasteBlock, renderPage } from "./page.ts";
import { standingColumns } from "./policy-tables.ts";
import type { SessionNames } from "./session-names.ts";
import { type Column, numberColumn, type ReportTable, tableOf, textColumn } from "./table.ts";
import { foldedSection, tableHtml } from "./table-html.ts";
import { settingsText, settingToTake, tuneAnswer } from "./tune-answer.ts";
import { type XyPoint, type XySeries, xyChart } from "./xy-chart.ts";

const SCRIPTS = ["folded-sections.js", "figure-tables.js", "column-meanings.js", "copy-button.js"];

/** The part of a result that is shown. */
export type ShownTuneResult = Omit<TuneResult, "idleSessions">;

/** The parts of the page besides the results. */
export interface TunePage {
  /** The file to paste; `null` if the setting stays. */
  readonly yaml: string | null;
  /** Said in the place of an answer if no session filled half of the window. */
  readonly text: string;
  readonly nameOf: SessionNames;
  readonly problems?: readonly ReportProblem[];
}

/** Renders the tuner's results as one HTML page that needs no network; the first result is the answer. */
export function renderTuneHtml(results: readonly ShownTuneResult[], { yaml, text, nameOf, problems = [] }: TunePage): string {
  const [first, ...others] = results;
  const main = html`<h1>The cheapest setting for these sessions</h1>
${problemList(problems)}
${first === undefined || first.trainSessions === 0 ? html`<p>${text}</p>` : answerSection(first, { others, yaml })}
${tuneTables(results, nameOf)
  .slice(1)
  .map((table) => foldedSection(`part-${table.id}`, table.title, tableHtml(table)))}`;
  return renderPage({ title: "Plimsoll: settings tuned on these sessions", main, scripts: SCRIPTS });
}

/** The answer beside cost against kept share, the lines to paste, the settings, and the knobs' curves. */
function answerSection(
  result: ShownTuneResult,
  { others, yaml }: { readonly others: readonly ShownTuneResult[]; readonly yaml: string | null },
): Markup {
  return html`<div class="verdict"><div>${answerCard(tuneAnswer(result, others))}
${yaml === null ? "" : pasteBlock({ id: "yaml", label: "plimsoll.yaml", text: yaml })}</div>
${frontOf(result)}</div>
${tableHtml(settingTable(result))}
<h2>The settings, one by one</h2>
<p class="note">A point for each value of the setting; the other settings are as in the best, or nearly. Figures are of the sessions used to choose settings.</p>
<div class="charts">${knobCurves(result)}</div>`;
}

/** The tables of a tuning: the answer's settings, then those of other presets, then each session. */
export function tuneTables(results: readonly ShownTuneResult[], nameOf: SessionNames): readonly ReportTable[] {
  const [first] = results;
  return [
    ...results.map(settingTable),
    ...(first === undefined || first.sessions.length === 0
      ? []
      : [
          tableOf({
            title: "Sessions",
            rowTitle: "session",
            columns: SESSION_COLUMNS,
            rows: first.sessions,
            nameOf: ({ session }) => nameOf(session),
          }),
        ]),
  ];
}

interface SettingRow extends TunedPolicy {
  readonly place: string;
  /** The measure that falls most against the current setting, on the sessions that it was not chosen on. */
  readonly largestLoss: string;
}

function settingTable(result: ShownTuneResult): ReportTable {
  const { base, splitBy, current, front, best, trainSessions, testSessions } = result;
  const taken = settingToTake(result);
  const isOther = ({ policy, settings, test }: TunedPolicy) =>
    policy.name !== best?.policy.name && settings.length > 0 && test.units.length > 0;
  const rowOf = (tuned: TunedPolicy, place: string): SettingRow => {
    const [worst] = lossesAgainst(tuned.test, current.test);
    return { ...tuned, place, largestLoss: worst === undefined ? "" : `${worst.measure} −${formatPercent(worst.points)}` };
  };
  const rows = [
    rowOf(current, taken === null ? "current, stays" : "current"),
    ...(best === null ? [] : [rowOf(best, taken === null ? "best on one half" : "best")]),
    ...front.filter(isOther).map((tuned) => rowOf(tuned, "")),
  ];
  const judged = formatNumberOf(testSessions, "session");
  return tableOf({
    title: `Settings of ${base}`,
    notes: [
      splitBy === "nothing"
        ? `There is only one project: settings were chosen and judged on the same ${judged}.`
        : `Chosen on ${formatNumberOf(trainSessions, "session")}; the figures are of ${judged} not used to choose it (no ${splitBy} is in both).`,
      "Best: the cheapest setting that is at least 5% cheaper than the current one and lowers no measure by a point, on both halves. The others: no setting beats them in both cost and content kept.",
    ],
    rowTitle: "setting",
    columns: COLUMNS,
    rows,
    nameOf: (row) => (row.place === "" ? settingsText(row) : `${settingsText(row)} (${row.place})`),
  });
}

const scored = <Row>(of: (row: Row) => Standing): readonly Column<Row>[] => [
  ...standingColumns(of),
  numberColumn({
    title: "too large",
    meaning: SAFETY.figures.overflowingRequests,
    value: (row) => of(row).tooLarge,
    format: formatCount,
    isBad: (row) => of(row).tooLarge > 0,
  }),
];

const COLUMNS: readonly Column<SettingRow>[] = [
  ...scored<SettingRow>(({ test }) => test),
  { ...textColumn("largest loss", ({ largestLoss }) => largestLoss), isText: false },
];

const SESSION_COLUMNS: readonly Column<TunedSession>[] = [
  textColumn("half", ({ isTrain }) => (isTrain ? "chosen on" : "judged on")),
  // Sessions are not counted in a row of one.
  ...scored<TunedSession>(({ current }) => current)
    .map((column) => ({ ...column, group: "current" }))
    .toSpliced(1, 1),
  ...scored<TunedSession>(({ best }) => best)
    .map((column) => ({ ...column, group: "best" }))
    .toSpliced(1, 1),
];

/** Cost against kept share, over the sessions of the answer: the front, the present setting, and the one that the answer takes. */
function frontOf(result: ShownTuneResult): Markup {
  const { current, front } = result;
  const taken = settingToTake(result);
  const marked = { labels: true, isMarked: true };
  const judged = front.filter(({ test }) => test.units.length > 0);
  return xyChart({
    title: "Cost and content kept",
    xTitle: "cost (% of the cost without compaction)",
    yTitle: "needed text kept (%)",
    series: [
      seriesOf("other settings", 1, judged),
      { ...seriesOf(taken === null ? "current, stays" : "current", 3, [current]), ...marked },
      { ...seriesOf("best", 2, taken === null ? [] : [taken]), ...marked },
    ],
  });
}

function seriesOf(name: string, colour: number, tuned: readonly TunedPolicy[]): XySeries {
  const points = tuned.map((each): XyPoint => {
    const { costPercent, gain, tooLarge } = each.test;
    const title = `${settingsText(each)}: ${formatPercent(costPercent)}% cost, ${heldText(gain)}, ${formatNumberOf(tooLarge, "request")} too large`;
    return { x: costPercent, y: gain ?? 0, label: name, title };
  });
  return { name, colour, points, isLine: false, labels: false };
}

/** A chart of each knob that was turned: its value against cost and against kept share, the other knobs as in the best setting. */
function knobCurves(result: ShownTuneResult): Markup {
  const { tried, best, current } = result;
  const paths = [...new Set(tried.flatMap(({ settings }) => settings.map(({ path }) => path)))];
  const shown = { tried, best: best ?? current, taken: settingToTake(result) };
  return html`${paths.map((path) => knobCurve(path, shown))}`;
}

interface Curves {
  readonly tried: readonly TunedPolicy[];
  /** The setting whose other knobs the curve has. */
  readonly best: TunedPolicy;
  /** The setting that the answer takes, which is marked. */
  readonly taken: TunedPolicy | null;
}

function knobCurve(path: string, { tried, best, taken }: Curves): Markup {
  const shown = alongKnob(path, tried, best);
  if (shown.length < 2) return html``;
  const title = wordOf(path, shown);
  const points = (figure: (tuned: TunedPolicy) => number, what: string) =>
    shown.map(({ tuned }, x): XyPoint => {
      const y = figure(tuned);
      return { x, y, label: "", title: `${settingsText(tuned)}: ${formatPercent(y)}% ${what}` };
    });
  const marks = shown.flatMap(({ tuned }, x) =>
    tuned.policy.name !== taken?.policy.name
      ? []
      : [
          { x, y: tuned.train.costPercent, label: `cost ${formatPercent(tuned.train.costPercent)}%`, title: "the best" },
          { x, y: tuned.train.gain ?? 0, label: heldText(tuned.train.gain), title: "the best" },
        ],
  );
  const line = { isLine: true, labels: false };
  return xyChart({
    title: `${title} against cost and content kept`,
    xTitle: title,
    xNames: shown.map(({ value }) => String(settingWords({ path, value }).value)),
    yTitle: "cost and kept text (%)",
    series: [
      {
        name: "cost, % of the cost without compaction",
        colour: 2,
        points: points(({ train }) => train.costPercent, "cost"),
        ...line,
      },
      { name: "needed text kept, %", colour: 1, points: points(({ train }) => train.gain ?? 0, "kept"), ...line },
      { name: "best", colour: 3, points: marks, isLine: false, labels: true, isMarked: true },
    ],
  });
}

interface KnobPoint {
  readonly value: number;
  readonly tuned: TunedPolicy;
}

/** For each value of the knob the setting that differs least from the best in all others; of equals the cheapest. */
function alongKnob(path: string, tried: readonly TunedPolicy[], best: TunedPolicy): readonly KnobPoint[] {
  const wanted = new Map(best.settings.map((setting) => [setting.path, setting.value]));
  const differences = ({ settings }: TunedPolicy) =>
    settings.filter((setting) => setting.path !== path && wanted.get(setting.path) !== setting.value).length;
  const points = tried.flatMap((tuned) =>
    tuned.settings.flatMap((setting) => (setting.path === path ? [{ value: setting.value, tuned }] : [])),
  );
  const size = (value: number) => (settingWords({ path, value }).value === "off" ? Number.POSITIVE_INFINITY : value);
  const values = [...new Set(points.map(({ value }) => value))].toSorted((a, b) => size(a) - size(b));
  return values.flatMap((value) => {
    const own = points.filter((point) => point.value === value);
    const [nearest] = own.toSorted(
      (a, b) => differences(a.tuned) - differences(b.tuned) || a.tuned.train.costPercent - b.tuned.train.costPercent,
    );
    return nearest === undefined ? [] : [nearest];
  });
}

/** The knob as policy files call it. */
function wordOf(path: string, [first]: readonly KnobPoint[]): string {
  const setting = first?.tuned.settings.find((each) => each.path === path);
  return setting === undefined ? path : settingWords(setting).path;
}
