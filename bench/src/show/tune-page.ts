import { lossesAgainst } from "../judge/choose.ts";
import type { Standing } from "../judge/standing.ts";
import { SAFETY } from "../metrics/safety.ts";
import type { ReportProblem } from "../results.ts";
import type { TunedPolicy, TunedSession, TuneResult } from "../tune/tune.ts";
import { formatCount, formatNumberOf, formatPercent, heldText, lossText } from "./figures.ts";
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
  readonly nameOf: SessionNames;
  readonly problems?: readonly ReportProblem[];
}

/** Renders the tuner's results as one HTML page that needs no network; the first result is the answer. */
export function renderTuneHtml(results: readonly ShownTuneResult[], { yaml, nameOf, problems = [] }: TunePage): string {
  const [first, ...others] = results;
  const main = html`<h1>The cheapest setting for these sessions</h1>
${problemList(problems)}
${first === undefined ? "" : first.trainSessions === 0 ? answerCard(tuneAnswer(first)) : answerSection(first, { others, yaml })}
${tuneTables(results, nameOf)
  .slice(1)
  .map((table) => foldedSection(`part-${table.id}`, table.title, tableHtml(table)))}`;
  return renderPage({ title: "Plimsoll: settings tuned on these sessions", main, scripts: SCRIPTS });
}

/** The answer beside cost against kept share, the lines to paste, and the settings. */
function answerSection(
  result: ShownTuneResult,
  { others, yaml }: { readonly others: readonly ShownTuneResult[]; readonly yaml: string | null },
): Markup {
  return html`<div class="verdict"><div>${answerCard(tuneAnswer(result, others))}
${yaml === null ? "" : pasteBlock({ id: "yaml", label: "plimsoll.yaml", text: yaml })}</div>
${frontOf(result)}</div>
${tableHtml(settingTable(result, others))}`;
}

/** The tables of a tuning: its settings, with the policies for comparison, and the sessions under the best. */
export function tuneTables([first, ...others]: readonly ShownTuneResult[], nameOf: SessionNames): readonly ReportTable[] {
  const rows = first?.sessions ?? [];
  const title = "Sessions";
  return [
    ...(first === undefined ? [] : [settingTable(first, others)]),
    ...(rows.length === 0
      ? []
      : [tableOf({ title, rowTitle: "session", columns: SESSION_COLUMNS, rows, nameOf: ({ session }) => nameOf(session) })]),
  ];
}

interface SettingRow extends TunedPolicy {
  readonly place: string;
  /** The measure that falls most against the current setting, on the sessions that it was not chosen on. */
  readonly largestLoss: string;
}

function settingTable(result: ShownTuneResult, others: readonly ShownTuneResult[]): ReportTable {
  const { base, splitBy, current, front, best, trainSessions, testSessions } = result;
  const taken = settingToTake(result);
  const isOther = ({ policy, settings, test }: TunedPolicy) =>
    policy.name !== best?.policy.name && settings.length > 0 && test.units.length > 0;
  const rowOf = (tuned: TunedPolicy, place: string): SettingRow => {
    const [worst] = lossesAgainst(tuned.test, current.test);
    return { ...tuned, place, largestLoss: worst === undefined ? "none" : lossText(worst) };
  };
  const rows = [
    rowOf(current, taken === null ? "current, stays" : "current"),
    ...(best === null ? [] : [rowOf(best, taken === null ? "best on one half" : "best")]),
    ...front.filter(isOther).map((tuned) => rowOf(tuned, "")),
    ...others.map((other) => rowOf(other.current, "for comparison")),
  ];
  const judged = formatNumberOf(testSessions, "session");
  return tableOf({
    title: `Settings of ${base}`,
    notes: [
      splitBy === "nothing"
        ? `There is only one project: settings were chosen and judged on the same ${judged}.`
        : `Chosen on ${formatNumberOf(trainSessions, "session")}; the figures are of ${judged} not used to choose it (no ${splitBy} is in both).`,
      "Best: the cheapest setting that is at least 5% cheaper than the current one and lowers no measure by a point, on both halves. The others: when chosen, no setting beat them in both cost and content kept.",
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
    title: "over window",
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

/** Sessions are not counted in a row of one. */
const ofSession = (group: "current" | "best"): readonly Column<TunedSession>[] =>
  scored<TunedSession>((row) => row[group]).flatMap((column, place) => (place === 1 ? [] : [{ ...column, group }]));

const SESSION_COLUMNS: readonly Column<TunedSession>[] = [
  textColumn("half", ({ isTrain }) => (isTrain ? "chosen on" : "judged on")),
  ...ofSession("current"),
  ...ofSession("best"),
];

/** Cost against kept share, over the sessions of the answer: the front, the present setting, and the one that the answer takes. */
function frontOf(result: ShownTuneResult): Markup {
  const { current, front } = result;
  const taken = settingToTake(result);
  const marked = { labels: true, isMarked: true };
  const judged = front.filter(
    (each) => each.test.units.length > 0 && each.settings.length > 0 && each.policy !== taken?.policy,
  );
  return xyChart({
    title: "Cost and content kept",
    xTitle: "cost (% of the cost without compaction)",
    yTitle: "needed text kept (%)",
    series: [
      { ...seriesOf("other settings", 1, judged, settingsText), labels: true },
      { ...seriesOf(taken === null ? "current, stays" : "current", 3, [current]), ...marked },
      { ...seriesOf("best", 2, taken === null ? [] : [taken]), ...marked },
    ],
  });
}

function seriesOf(name: string, colour: number, tuned: readonly TunedPolicy[], labelOf = (_: TunedPolicy) => name): XySeries {
  const points = tuned.map((each): XyPoint => {
    const { costPercent, gain, tooLarge } = each.test;
    const title = `${settingsText(each)}: ${formatPercent(costPercent)}% cost, ${heldText(gain)}, ${formatNumberOf(tooLarge, "request")} too large`;
    return { x: costPercent, y: gain ?? 0, label: labelOf(each), title };
  });
  return { name, colour, points, isLine: false, labels: false };
}
