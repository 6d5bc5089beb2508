import type { PolicySummary } from "../judge/policy-summary.ts";
import { columnsOf } from "../metrics/columns.ts";
import type { MetricMeaning, MetricTable } from "../metrics/metric.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import { formatFigure, NO_FIGURE } from "./figures.ts";
import { visible } from "./markup.ts";

/** One cell: its text, its sorting key and its saved form. */
export interface TableCell {
  readonly shown: string;
  /** The exact figure; the text itself if there is none. */
  readonly raw: string;
  readonly isBad: boolean;
}

/** The head of a column. Columns of one group are adjacent under its name. */
export interface TableHead {
  readonly group: string;
  readonly title: string;
  /** `null` for a table that explains itself in its notes. */
  readonly meaning: MetricMeaning | null;
  readonly isText: boolean;
}

/** A column of rows of one kind. */
export interface Column<Row> extends TableHead {
  cellOf(row: Row): TableCell;
}

/** A row under its name. */
export interface TableRow {
  readonly name: string;
  /** The place of the session that it is of, whose charts a page opens; left out for any other row. */
  readonly session?: number;
  readonly cells: readonly TableCell[];
}

/** A table as data: the terminal, Markdown and pages draw it from this and nothing else. */
export interface ReportTable {
  /** In kebab-case: its file when it is saved, and its place on a page. */
  readonly id: string;
  readonly title: string;
  readonly notes: readonly string[];
  readonly rowTitle: string;
  readonly heads: readonly TableHead[];
  readonly rows: readonly TableRow[];
}

/** The source of a table. */
export interface TableSource<Row> extends Pick<ReportTable, "title" | "rowTitle"> {
  readonly notes?: readonly string[];
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  nameOf(row: Row): string;
  sessionOf?(row: Row): number;
}

/** Makes a table of rows of one kind; its id is made from its title. */
export function tableOf<Row>({ title, notes = [], rowTitle, columns, rows, nameOf, sessionOf }: TableSource<Row>): ReportTable {
  return {
    id: title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, ""),
    title,
    notes,
    rowTitle,
    heads: columns,
    rows: rows.map((row) => ({
      name: nameOf(row),
      ...(sessionOf === undefined ? {} : { session: sessionOf(row) }),
      cells: columns.map((column) => column.cellOf(row)),
    })),
  };
}

const textCell = (text: string): TableCell => ({ shown: text, raw: text, isBad: false });

/** The source of a column of numbers. */
export interface NumberColumn<Row> extends Pick<TableHead, "title" | "meaning"> {
  readonly group?: string;
  value(row: Row): number | null;
  format(value: number | null): string;
  isBad?(row: Row): boolean;
}

/** Digits of an exported figure. Chosen: more than any of them is worth. */
const RAW_DIGITS = 8;

/** A column of numbers: shown short, sorted and saved in full. */
export function numberColumn<Row>({ group = "", title, meaning, value, format, isBad }: NumberColumn<Row>): Column<Row> {
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
export function textColumn<Row>(title: string, text: (row: Row) => string, meaning: MetricMeaning | null = null): Column<Row> {
  return { group: "", title, meaning, isText: true, cellOf: (row) => textCell(text(row)) };
}

/** The columns of a table that come from the metrics. */
export function metricColumns(metrics: RunMetrics, table: MetricTable): readonly Column<PolicySummary>[] {
  return columnsOf(metrics, table).map(({ group, title, format, figure, figureOf }) =>
    numberColumn<PolicySummary>({
      group,
      title,
      meaning: figure,
      value: (summary) => figureOf(summary.metrics),
      format: (value) => formatFigure(format, value),
      isBad: (summary) => figure.isFailure === true && (figureOf(summary.metrics) ?? 0) > 0,
    }),
  );
}

/** The table in Markdown under its title, with its notes before it. */
export function tableMarkdown({ title, notes, rowTitle, heads, rows }: ReportTable): string {
  const named = heads.map(({ group, title: own }) => escaped(group === "" ? own : `${group}: ${own}`));
  const body = rows.map(({ name, cells }) => [escaped(name), ...cells.map(({ shown }) => escaped(shown))]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  // The first column is of names, the others of figures.
  const rule = `|---|${named.map(() => "---:|").join("")}`;
  const lines = [line([escaped(rowTitle), ...named]), rule, ...body.map(line)];
  return [`### ${escaped(title)}`, ...notes.map(escaped), lines.join("\n")].join("\n\n");
}

/** A text without characters that would become markup or end a cell, and with invisible characters shown. */
export function escaped(text: string): string {
  return visible(text)
    .replace(/[\\|<>&*_`[\]]/g, (character) => `\\${character}`)
    .replace(/\s+/g, " ")
    .trim();
}

/** True if a cell shows nothing but that there is no figure. */
export function isEmpty({ shown, raw }: TableCell): boolean {
  return raw === "" && shown === NO_FIGURE;
}
