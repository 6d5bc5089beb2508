import type { BenchReport, RunMetrics } from "@plimsoll/bench";
import type { PolicySummary, ShownFigure } from "@plimsoll/bench/internal";
import { columnsOf, columnText, failureNotes, summarizePolicies, windowLabels } from "@plimsoll/bench/internal";
import { nameChars, shortened, wrapped } from "../terminal/printable.ts";
import { drawTable, type TableCell } from "../terminal/text-table.ts";

/** Longer names of policies, with their mark, are shortened if the table has 80 columns. */
const POLICY_CHARS = 21;

/** The report and the options that a table is made from. */
export interface MetricTableOptions {
  /** The metrics of the report's run. */
  readonly metrics: RunMetrics;
  /** Of the terminal. */
  readonly columns: number;
  readonly table: "terminal" | "terminal-cost";
  /** The column behind the policy's name: its title, its text, and the group of figures that it begins. */
  readonly first: { readonly title: string; readonly textOf: (summary: PolicySummary) => string; readonly group: string };
  readonly titleOf: (windowLabel: string) => string;
  /** Remarks that a reader must know about a window's rows; shown below the table. */
  readonly remarksOf: (summaries: readonly PolicySummary[]) => readonly string[];
}

/** One table a window, with a row a policy over all sessions. */
export function metricTables(report: BenchReport, options: MetricTableOptions): string {
  const summaries = summarizePolicies(report, options.metrics);
  const columns = placed(columnsOf(options.metrics, options.table), options.first.group);
  const head = headOf(columns, options.first.title);
  return windowLabels(report)
    .map((label) => {
      const inWindow = summaries.filter(({ windowLabel }) => windowLabel === label);
      const rows = inWindow.map((summary) => [
        shortened(summary.policy, nameChars(POLICY_CHARS, options.columns)),
        options.first.textOf(summary),
        ...columns.map((column) => `${column.space}${columnText(column, summary.metrics)}`),
      ]);
      const table = drawTable({ head, rows, leftColumns: [0] }, options.columns);
      return [
        `${options.titleOf(label)}:`,
        "",
        table,
        ...[...failureNotes(columns, inWindow), ...options.remarksOf(inWindow)].flatMap((text) =>
          wrapped(text, { first: "", further: "  " }),
        ),
      ].join("\n");
    })
    .join("\n\n");
}

/** A column with what is put before its texts: a space sets a group of columns apart. */
type PlacedFigure = ShownFigure & { readonly space: string };

function placed(columns: readonly ShownFigure[], firstGroup: string): readonly PlacedFigure[] {
  return columns.map((column, place) => {
    const before = columns[place - 1]?.group ?? firstGroup;
    return { ...column, space: column.group === before ? "" : " " };
  });
}

/** The upper line has the groups' names over their columns, or the first line of a title of two; the lower one the titles. */
function headOf(columns: readonly PlacedFigure[], firstTitle: string): readonly (readonly TableCell[])[] {
  const upper: TableCell[] = [{ content: "" }, { content: "" }];
  const lower: TableCell[] = [{ content: "policy" }, { content: firstTitle }];
  for (const [place, { group, title, space }] of columns.entries()) {
    const [over, own] = linesOf(title);
    lower.push({ content: `${space}${own}` });
    if (over !== null) upper.push({ content: `${space}${over}` });
    else if (space !== "" || place === 0)
      upper.push({ content: `${space}${group}`, span: spanOf(columns, group), align: "center" });
  }
  return [upper, lower];
}

function linesOf(title: string): readonly [over: string | null, own: string] {
  const [first = "", second] = title.split("\n");
  return second === undefined ? [null, first] : [first, second];
}

function spanOf(columns: readonly PlacedFigure[], group: string): number {
  return columns.filter((column) => column.group === group && !column.title.includes("\n")).length;
}
