import { printable, wrapped } from "../terminal/printable.ts";
import { brokenAt, drawTable, type TableCell } from "../terminal/text-table.ts";
import type { ReportTable, TableHead } from "./table.ts";

/** Titles over figures are broken from this width on, and texts in columns. */
const TITLE_CHARS = 8;
const TEXT_CHARS = 24;

/** A table under its title, with its notes before it, for a terminal of so many columns. */
export function reportTable({ title, notes, ...table }: ReportTable, columns: number): string {
  const lines = notes.flatMap((note) => wrapped(printable(note), { further: "  " }));
  return [`${title}:`, ...lines, "", tableRows(table, columns)].join("\n");
}

/** The rows of a table under their heads. */
export function tableRows(
  { rowTitle, heads, rows }: Pick<ReportTable, "rowTitle" | "heads" | "rows">,
  columns: number,
): string {
  const lower = heads.map((head) => ({ content: titleText(printable(head.title)) }));
  const groups = groupCells(heads);
  const head = [...(groups === null ? [] : [[{ content: "" }, ...groups]]), [{ content: rowTitle }, ...lower]];
  const body = rows.map(({ name, cells }) => [
    printable(name),
    ...cells.map(({ shown }, place) =>
      heads[place]?.isText === true ? brokenAt(printable(shown), TEXT_CHARS) : printable(shown),
    ),
  ]);
  const leftColumns = [0, ...heads.flatMap(({ isText }, place) => (isText ? [place + 1] : []))];
  return drawTable({ head, rows: body, leftColumns }, columns);
}

function titleText(title: string): string {
  return brokenAt(title, Math.max(TITLE_CHARS, ...title.split(" ").map((word) => word.length)));
}

function groupCells(heads: readonly TableHead[]): readonly TableCell[] | null {
  if (heads.every(({ group }) => group === "")) return null;
  const cells: { readonly content: string; span: number; readonly align: "center" }[] = [];
  for (const { group } of heads) {
    const last = cells.at(-1);
    if (last !== undefined && last.content === group) last.span += 1;
    else cells.push({ content: group, span: 1, align: "center" });
  }
  return cells;
}
