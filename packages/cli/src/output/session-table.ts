import type { BenchReport } from "@plimsoll/bench";
import { commonFolder, formatCount, formatPercent, remarks, type SessionDescription } from "@plimsoll/bench/internal";
import { printable, shortened } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";
import { type MetricTableOptions, metricTables } from "./metric-table.ts";

/** Left free, as the heads over two columns may widen them. */
const SPARE_CHARS = 3;
const MINIMUM_SESSION_CHARS = 16;

const HEAD = [
  [
    { content: "" },
    { content: "" },
    { content: "" },
    { content: "" },
    { content: "largest" },
    { content: "com-" },
    { content: "size model %", span: 2, align: "center" as const },
  ],
  ["session", "format", "messages", "calls", "prompt", "pactions", "MAPE", "max"].map((content) => ({ content })),
];

/** A row a session: what its recording states, and how far the size model is off on it. */
export function sessionTable(report: BenchReport, columns: number): string {
  if (report.sessions.length === 0) return "";
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const figures = report.sessions.map(sessionFigures);
  const room = columns - SPARE_CHARS - widthOf([...HEAD.slice(1).map(restOf), ...figures]);
  const sessionChars = Math.max(MINIMUM_SESSION_CHARS, room);
  const rows = report.sessions.map(({ session }, index) => [
    shortened(session.slice(folder.length), sessionChars),
    ...(figures[index] ?? []),
  ]);
  const table = drawTable({ head: HEAD, rows, leftColumns: [0, 1] }, columns);
  return folder === "" ? table : `sessions in ${printable(folder)}\n\n${table}`;
}

const restOf = (head: readonly { readonly content: string }[]) => head.slice(1).map(({ content }) => content);

/** Width of the columns behind the name, with the spaces before them. */
function widthOf(rows: readonly (readonly string[])[]): number {
  const columns = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))).reduce(
    (sum, width) => sum + width + 1,
    0,
  );
}

function sessionFigures(session: SessionDescription): readonly string[] {
  return [
    session.format,
    formatCount(session.messages),
    formatCount(session.calls),
    session.isEstimated ? "estimated" : formatCount(session.maxReportedPromptTokens),
    formatCount(session.recordedBoundaries),
    formatPercent(session.sizeModel.mapePercent),
    formatPercent(session.sizeModel.maxPercent),
  ];
}

/** One table a window, with a row a policy over all sessions, and below it what must be known about a row. */
export function policyTables(report: BenchReport, by: Pick<MetricTableOptions, "metrics" | "columns">): string {
  return metricTables(report, {
    ...by,
    table: "terminal",
    first: { title: "fired", textOf: ({ firedSessions, sessions }) => `${firedSessions}/${sessions}`, group: "replayed" },
    titleOf: (label) => label,
    remarksOf: remarks,
  });
}

/** One table a window: what each policy cost over all sessions. Percentages are geometric means. */
export function costTables(report: BenchReport, by: Pick<MetricTableOptions, "metrics" | "columns">): string {
  return metricTables(report, {
    ...by,
    table: "terminal-cost",
    first: {
      title: "priced",
      textOf: ({ metrics: { cost }, sessions }) => `${cost.pricedSessions}/${sessions}`,
      group: "priced",
    },
    titleOf: (label) => `cost, ${label}`,
    remarksOf: () => [],
  });
}
