import { formatTokens } from "@plimsoll/bench/internal";

/** What is drawn: a size at each call, and the calls before which something was compacted. */
export interface ContextSizes {
  readonly sizes: readonly number[];
  readonly compactedBefore: readonly number[];
}

const COLUMNS = 68;
const ROWS = 8;
const EIGHTHS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
const LABEL_CHARS = 6;

/** Sizes over calls as lines of text, at most 78 characters wide, with compactions marked below. None for a session without calls. */
export function contextPlot({ sizes, compactedBefore }: ContextSizes): readonly string[] {
  const highest = Math.max(0, ...sizes);
  if (highest === 0) return [];
  const columns = Math.min(COLUMNS, sizes.length);
  const columnOf = (call: number) => Math.min(columns - 1, Math.floor((call * columns) / sizes.length));
  // Of the calls that fall into a column the largest is drawn: the peaks are what counts.
  const tops = Array.from({ length: columns }, () => 0);
  for (const [call, size] of sizes.entries()) tops[columnOf(call)] = Math.max(tops[columnOf(call)] ?? 0, size);
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const row = ROWS - 1 - index;
    const label = row === ROWS - 1 ? formatTokens(highest) : row === 0 ? "0" : "";
    const cells = tops.map((size) => cellAt((size / highest) * ROWS - row));
    return `${label.padStart(LABEL_CHARS)} │${cells.join("")}`.trimEnd();
  });
  const marks = new Set(compactedBefore.map(columnOf));
  const axis = tops.map((_, column) => (marks.has(column) ? "◆" : "─"));
  const last = `${sizes.length} calls`;
  return [
    ...lines,
    `${" ".repeat(LABEL_CHARS)} └${axis.join("")}`,
    `${" ".repeat(LABEL_CHARS + 2)}1${last.padStart(columns - 1)}`,
  ];
}

/** One cell of a column that is so many rows high above this cell's foot. */
function cellAt(rows: number): string {
  const eighths = Math.max(0, Math.min(EIGHTHS.length - 1, Math.round(rows * (EIGHTHS.length - 1))));
  return EIGHTHS[eighths] ?? " ";
}
