import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

/** A column of a table of figures. Columns of one group stand side by side under its name. */
export interface FigureColumn<Row> {
  readonly group: string;
  readonly title: string;
  readonly figure: (row: Row) => string;
  /** True where the figure is something that must not happen. */
  readonly isBad?: (row: Row) => boolean;
}

/** What a table of figures is made from. */
export interface FigureTable<Row> {
  readonly rowTitle: string;
  readonly nameOf: (row: Row) => string;
  readonly columns: readonly FigureColumn<Row>[];
  readonly rows: readonly Row[];
}

/** A table with a named row for each entry, and its columns in groups. */
export function figureTable<Row>({ rowTitle, nameOf, columns, rows }: FigureTable<Row>): Markup {
  const titles = columns.map(
    ({ title }, index) => html`<th class="wrapped${startsGroup(columns, index) ? " first" : ""}">${title}</th>`,
  );
  const body = rows.map((row) => html`<tr><td class="name sticky">${nameOf(row)}</td>${figureCells(columns, row)}</tr>`);
  return html`<div class="scroll"><table class="figures">
<thead><tr><th class="name sticky" rowspan="2">${rowTitle}</th>${groupHeads(columns)}</tr>
<tr>${titles}</tr></thead>
<tbody>${body}</tbody>
</table></div>`;
}

function figureCells<Row>(columns: readonly FigureColumn<Row>[], row: Row): readonly Markup[] {
  return columns.map((column, index) => {
    const classes = [startsGroup(columns, index) ? "first" : "", column.isBad?.(row) === true ? "bad" : ""].join(" ");
    return html`<td class="${classes}">${column.figure(row)}</td>`;
  });
}

function groupHeads<Row>(columns: readonly FigureColumn<Row>[]): readonly Markup[] {
  const groups = [...new Set(columns.map(({ group }) => group))];
  return groups.map(
    (group) => html`<th class="group" colspan="${columns.filter((column) => column.group === group).length}">${group}</th>`,
  );
}

function startsGroup<Row>(columns: readonly FigureColumn<Row>[], index: number): boolean {
  return columns[index]?.group !== columns[index - 1]?.group;
}
