import { columnsOf } from "../metrics/columns.ts";
import type { MetricMeaning, MetricTable } from "../metrics/metric.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import { columnText, formatFigure, NO_FIGURE } from "./figures.ts";
import { html, type Markup, trusted } from "./markup.ts";
import type { PolicySummary } from "./policy-summary.ts";

/** One cell: what is shown, and what is sorted by and exported. */
interface FigureCell {
  readonly shown: string;
  /** The exact figure; the text itself if there is none. */
  readonly raw: string;
  /** True if the figure is something that must not happen. */
  readonly isBad: boolean;
}

/** A column of a table of figures. Columns of one group stand side by side under its name. */
export interface FigureColumn<Row> {
  readonly group: string;
  /** May hold soft hyphens. */
  readonly title: string;
  readonly meaning: MetricMeaning;
  readonly isText: boolean;
  readonly cellOf: (row: Row) => FigureCell;
}

/** The source of a column of numbers. */
export interface NumberColumn<Row> extends Pick<FigureColumn<Row>, "title" | "meaning"> {
  /** None if it is left out. */
  readonly group?: string;
  readonly value: (row: Row) => number | null;
  readonly format: (value: number | null) => string;
  readonly isBad?: (row: Row) => boolean;
}

/** Digits of an exported figure. Chosen: more than any of them is worth. */
const RAW_DIGITS = 8;

/** A column of numbers: shown short, sorted and exported in full. */
export function numberColumn<Row>(column: NumberColumn<Row>): FigureColumn<Row> {
  const { group = "", title, meaning, value, format, isBad } = column;
  return {
    group,
    title,
    meaning,
    isText: false,
    cellOf: (row) => {
      const figure = value(row);
      const raw = figure === null ? "" : String(Number(figure.toPrecision(RAW_DIGITS)));
      return { shown: format(figure), raw, isBad: isBad?.(row) === true };
    },
  };
}

/** Makes the meaning of a fact about the input: it is no goal. */
export function fact(unit: string, method: string, caveat = "As the recording states it."): MetricMeaning {
  return { unit, better: "neither", method, caveat };
}

/** A column of texts. */
export function textColumn<Row>(title: string, text: (row: Row) => string, group = ""): FigureColumn<Row> {
  const meaning = fact("text", "As the recording or the run names it.");
  return { group, title, meaning, isText: true, cellOf: (row) => ({ shown: text(row), raw: text(row), isBad: false }) };
}

/** The source of a table of figures. */
export interface FigureTable<Row> {
  /** Its file when it is saved, in kebab-case; the columns' legend is found by the part before the first slash. */
  readonly name: string;
  readonly rowTitle: string;
  readonly nameOf: (row: Row) => string;
  /** Names in markup of their own, e.g. a link. */
  readonly nameMarkup?: (row: Row) => Markup;
  readonly columns: readonly FigureColumn<Row>[];
  readonly rows: readonly Row[];
  /** A long one scrolls in a frame of its own. */
  readonly isTall?: boolean;
}

/** Longer names get a wider column (chosen: names of policies and methods are shorter). */
const LONG_NAME_CHARS = 34;

/** A table with a named row for each entry, and its columns in groups. */
export function figureTable<Row>(table: FigureTable<Row>): Markup {
  const { name, rowTitle, nameOf, nameMarkup, columns, rows, isTall = false } = table;
  const isLong = rows.some((row) => nameOf(row).length > LONG_NAME_CHARS);
  const hasGroups = columns.some(({ group }) => group !== "");
  const titles = columns.map((column, index) =>
    headCell(column, { legend: legendId(name, index), first: startsGroup(columns, index) }),
  );
  const rowHead = html`<th class="name sticky" scope="col" rowspan="${hasGroups ? 2 : 1}"><button class="sort" type="button">${rowTitle}</button></th>`;
  const heads = hasGroups
    ? html`<tr>${rowHead}${groupHeads(columns)}</tr>\n<tr>${titles}</tr>`
    : html`<tr>${rowHead}${titles}</tr>`;
  const cells = rows.map((row) => columns.map(({ cellOf }) => cellOf(row)));
  const wide = new Set(columns.flatMap((_, index) => (cells.some((own) => isLongCell(own[index])) ? [index] : [])));
  const body = rows.map((row, place) => {
    const shown = nameMarkup?.(row) ?? html`${nameOf(row)}`;
    return html`<tr><th class="name sticky" scope="row">${shown}</th>${figureCells(columns, cells[place] ?? [], wide)}</tr>`;
  });
  const dataName = name.replaceAll(/[^a-z0-9]+/gi, "-");
  return html`<div class="table">${scrollFrame(name.replaceAll("/", ", "), isTall)}<table class="${isLong ? "figures long" : "figures"}" data-name="${dataName}">
<thead>${heads}</thead>
<tbody>${body}</tbody>
</table></div></div>`;
}

/** The beginning of a frame that scrolls by itself, by keyboard too. */
export function scrollFrame(label: string, isTall = false): Markup {
  return html`<div class="${isTall ? "scroll tall" : "scroll"}" role="region" aria-label="Table: ${label}" tabindex="0">`;
}

/** The beginning of a frame around a wide chart: on a phone it scrolls by itself, by keyboard too, so that its texts stay readable. */
export function chartFrame(label: string): Markup {
  return html`<div class="pan" role="region" aria-label="Chart: ${label}" tabindex="0">`;
}

const DIRECTIONS = { lower: "↓", higher: "↑", neither: "" } as const;

function headCell<Row>(
  { title, meaning, isText }: FigureColumn<Row>,
  place: { readonly legend: string; readonly first: boolean },
): Markup {
  const classes = [isText ? "name" : "wrapped", place.first ? "first" : ""].join(" ").trim();
  const arrow = DIRECTIONS[meaning.better];
  return html`<th class="${classes}" scope="col"><button class="sort" type="button" data-meaning="${place.legend}">${hyphenated(title)}${arrow === "" ? "" : html` <span class="arrow" aria-hidden="true">${arrow}</span>`}</button></th>`;
}

/** Longer texts, as paths of files, get a wider column (chosen). */
const LONG_TEXT_CHARS = 40;

function isLongCell(cell: FigureCell | undefined): boolean {
  return cell !== undefined && cell.shown.length > LONG_TEXT_CHARS;
}

function figureCells<Row>(
  columns: readonly FigureColumn<Row>[],
  cells: readonly FigureCell[],
  wide: ReadonlySet<number>,
): readonly Markup[] {
  return cells.map(({ shown, raw, isBad }, index) => {
    const kind = columns[index]?.isText !== true ? "" : wide.has(index) ? "text wide" : "text";
    const classes = [kind, startsGroup(columns, index) ? "first" : "", isBad ? "bad" : ""].filter((each) => each !== "");
    const isPlain = raw === shown || (raw === "" && shown === NO_FIGURE);
    return html`<td${classes.length === 0 ? "" : html` class="${classes.join(" ")}"`}${isPlain ? "" : html` data-v="${raw}"`}>${shown}</td>`;
  });
}

/** Explains the columns: unit, direction, method and caveat. Stands once below the tables of one kind; the heads of their columns point to it. */
export function columnLegend<Row>(name: string, columns: readonly FigureColumn<Row>[]): Markup {
  const rows = columns.map(
    ({ group, title, meaning: { unit, better, method, caveat } }, index) =>
      html`<tr id="${legendId(name, index)}"><th scope="row">${group === "" ? "" : `${group}: `}${title.replaceAll(SOFT_HYPHEN, "")}</th><td>${unit}</td><td>${better === "neither" ? NO_FIGURE : better}</td><td>${method}</td><td>${caveat}</td></tr>`,
  );
  return html`<details class="legend"><summary>What the columns mean: unit, direction, method, caveat</summary>
${scrollFrame(`what the columns of ${name.replaceAll("-", " ")} mean`)}<table class="meanings"><thead><tr>${["column", "unit", "better", "method", "caveat"].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

const SOFT_HYPHEN = "\u00ad";

/** A title of ours with the places where it may be parted, which a text would show. */
function hyphenated(title: string): readonly Markup[] {
  return title.split(SOFT_HYPHEN).map((piece, index) => html`${index === 0 ? "" : trusted("&shy;")}${piece}`);
}

/** Tables of one kind share a legend: `policies/32k` and `policies/64k` that of `policies`. */
function legendId(name: string, index: number): string {
  return `legend-${name.split("/")[0]}-${index}`;
}

function groupHeads<Row>(columns: readonly FigureColumn<Row>[]): readonly Markup[] {
  const groups = [...new Set(columns.map(({ group }) => group))];
  return groups.map((group, index) => {
    const classes = index === 0 ? "group" : "group first";
    const count = columns.filter((column) => column.group === group).length;
    // A head without a name would be read out as one.
    if (group === "") return html`<td class="${classes}" colspan="${count}"></td>`;
    return html`<th class="${classes}" scope="colgroup" colspan="${count}">${group}</th>`;
  });
}

function startsGroup<Row>(columns: readonly FigureColumn<Row>[], index: number): boolean {
  return index > 0 && columns[index]?.group !== columns[index - 1]?.group;
}

/** The columns of a table of the page that come from the metrics. */
export function metricColumns(metrics: RunMetrics, table: MetricTable): readonly FigureColumn<PolicySummary>[] {
  return columnsOf(metrics, table).map((column) => {
    const { group, title, format, figure, figureOf } = column;
    const own = numberColumn<PolicySummary>({
      group,
      title,
      meaning: figure,
      value: (summary) => figureOf(summary.metrics),
      format: (value) => formatFigure(format, value),
      isBad: (summary) => figure.isFailure === true && (figureOf(summary.metrics) ?? 0) > 0,
    });
    return { ...own, cellOf: (summary) => ({ ...own.cellOf(summary), shown: columnText(column, summary.metrics) }) };
  });
}
