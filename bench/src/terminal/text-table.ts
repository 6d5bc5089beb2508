import Table from "cli-table3";

/** A cell over one or several columns. */
export interface TableCell {
  readonly content: string;
  readonly span?: number;
  readonly align?: "left" | "right" | "center";
}

/** A table as rows of texts; the columns named in `leftColumns` are aligned left, all others right. */
export interface TextTable {
  readonly head: readonly (readonly TableCell[])[];
  readonly rows: readonly (readonly string[])[];
  readonly leftColumns: readonly number[];
}

/** Columns are a space apart and have no lines but one below the head, so that a narrow terminal shows many. */
const NO_LINES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["", "-left", "-mid", "-right"].flatMap((end) => [`top${end}`, `bottom${end}`].map((line) => [line, ""])),
  ),
  ...{ left: "", "left-mid": "", mid: "", "mid-mid": "", right: "", "right-mid": "", middle: " " },
};

/** The first column is made no narrower than this; chosen. */
const NARROWEST_LABEL_CHARS = 16;
/** And no wider than this if the columns are placed below each other; chosen. */
const WIDEST_LABEL_CHARS = 32;

/**
 * Draws the table without colours; every line ends without spaces. If it would be wider than so many columns, the texts of the first column are broken
 * between words; if that is not enough, the columns are split into several tables below each other, each with the left ones, or with only the first if
 * these leave no room.
 */
export function drawTable(table: TextTable, columns: number): string {
  const drawn = drawnWhole(table);
  const excess = widthOf(drawn) - columns;
  if (excess <= 0) return drawn;
  const labelChars = Math.max(0, ...table.rows.map(([label = ""]) => [...label].length));
  const narrowed = drawnWhole(withLabels(table, Math.max(NARROWEST_LABEL_CHARS, labelChars - excess)));
  return widthOf(narrowed) <= columns
    ? narrowed
    : parts(withLabels(table, WIDEST_LABEL_CHARS), columns).map(drawnWhole).join("\n\n");
}

function withLabels(table: TextTable, maximumChars: number): TextTable {
  return { ...table, rows: table.rows.map(([label = "", ...cells]) => [brokenAt(label, maximumChars), ...cells]) };
}

/** The table as tables that fit, divided where a group of columns begins if that can be. */
function parts(table: TextTable, columns: number): readonly TextTable[] {
  // The columns that each part repeats: short texts name the subject of a figure, but texts without figures need no repetition.
  const { leftColumns } = table;
  const hasFigures = leftColumns.length < columnCountOf(table);
  const repeated = hasFigures && 2 * widthOf(drawnWhole(withColumns(table, leftColumns))) <= columns ? leftColumns : [0];
  const others = Array.from({ length: columnCountOf(table) }, (_, column) => column).filter(
    (each) => !repeated.includes(each) && table.rows.some((row) => row[each] !== ""),
  );
  const starts = groupStarts(table.head[0] ?? []);
  const found: TextTable[] = [];
  for (let rest = others; rest.length > 0; ) {
    const fitting = rest.findLastIndex(
      (_, last) => widthOf(drawnWhole(withColumns(table, [...repeated, ...rest.slice(0, last + 1)]))) <= columns,
    );
    const most = Math.max(1, fitting + 1);
    const group = most === rest.length ? most : rest.slice(0, most + 1).findLastIndex((column) => starts.has(column));
    const count = group > 0 ? group : most;
    found.push(withColumns(table, [...repeated, ...rest.slice(0, count)]));
    rest = rest.slice(count);
  }
  return found.length === 0 ? [table] : found;
}

/** The columns at which a cell of the upper line of a head begins. */
function groupStarts(cells: readonly TableCell[]): ReadonlySet<number> {
  return new Set(cells.map((_, index) => cells.slice(0, index).reduce((sum, { span = 1 }) => sum + span, 0)));
}

/** The table with some of its columns; a head over several columns stays over the remaining ones. */
function withColumns({ head, rows, leftColumns }: TextTable, columns: readonly number[]): TextTable {
  return {
    head: head.map((cells) => {
      const owners = cells.flatMap((cell) => Array.from({ length: cell.span ?? 1 }, () => cell));
      const kept = columns.flatMap((column) => owners[column] ?? []);
      return [...new Set(kept)].map((cell) => ({ ...cell, span: kept.filter((each) => each === cell).length }));
    }),
    rows: rows.map((row) => columns.map((column) => row[column] ?? "")),
    leftColumns: columns.flatMap((column, place) => (leftColumns.includes(column) ? [place] : [])),
  };
}

function columnCountOf({ head, rows }: TextTable): number {
  return rows[0]?.length ?? head.at(-1)?.length ?? 0;
}

const widthOf = (text: string): number => Math.max(...text.split("\n").map((line) => [...line].length));

/** A text on lines of at most so many characters. A longer word is broken too, at its signs if it can be: rows differ anywhere. */
export function brokenAt(text: string, maximumChars: number): string {
  const pieces = text.split(/(?<= )/).flatMap((word) => (charsOf(word) <= maximumChars ? [word] : word.split(SIGNS)));
  const lines = [""];
  for (const piece of pieces.flatMap((each) => (charsOf(each) <= maximumChars ? [each] : [...each]))) {
    const line = lines.pop() ?? "";
    lines.push(...(charsOf(line + piece) <= maximumChars ? [line + piece] : [line, piece]));
  }
  return lines.map((line) => line.trimEnd()).join("\n");
}

const charsOf = (text: string): number => [...text.trimEnd()].length;

/** The place behind a sign inside a name, but for the point of a number. */
const SIGNS = /(?<=[-/=_,:@]|\.(?=\D))/;

function drawnWhole(whole: TextTable): string {
  const { head, rows, leftColumns } = whole;
  const columnCount = columnCountOf(whole);
  const table = new Table({
    chars: NO_LINES,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    colAligns: Array.from({ length: columnCount }, (_, index) => (leftColumns.includes(index) ? "left" : "right")),
  });
  for (const cells of head) {
    table.push(cells.map(({ content, span = 1, align }) => ({ content, colSpan: span, ...(align && { hAlign: align }) })));
  }
  for (const row of rows) table.push([...row]);
  const lines = table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
  const headLines = head.reduce(
    (count, cells) => count + Math.max(...cells.map(({ content }) => content.split("\n").length)),
    0,
  );
  const width = Math.max(...lines.map((line) => [...line].length));
  return [...lines.slice(0, headLines), "─".repeat(width), ...lines.slice(headLines)].join("\n");
}
