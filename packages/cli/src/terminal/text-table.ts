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
const NO_LINES = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: " ",
} as const;

/** Draws the table without colours; every line ends without spaces. */
export function drawTable({ head, rows, leftColumns }: TextTable): string {
  const columnCount = rows[0]?.length ?? head.at(-1)?.length ?? 0;
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
  const width = Math.max(...lines.map((line) => line.length));
  return [...lines.slice(0, headLines), "─".repeat(width), ...lines.slice(headLines)].join("\n");
}
