import type { ReportProblem } from "../results.ts";
import { printable, wrapped } from "../terminal/printable.ts";
import { formatCount, formatNumberOf, lineageWords } from "./figures.ts";
import { commonFolder } from "./labels.ts";
import { reportTable, tableRows } from "./report-table.ts";
import type { ShownReport } from "./report-tables.ts";
import { recordedUsdLines } from "./validity.ts";

const plain = (text: string) => wrapped(text).join("\n");

const MORE = "Each measure, dollars, requests, sessions and how reliable the figures are: --full, or --html FILE.";

/** The report as text for a terminal: for each window the answer in five lines and its table, and all else only if it is asked for. */
export function terminalReport(
  { report, problems, windows: shown, reading, further, notes }: ShownReport,
  options: { readonly full: boolean; readonly columns: number; readonly written: readonly string[] },
): string {
  const { full, written, columns } = options;
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const hasFigures = report.rows.some(({ metrics: own }) => own !== null);
  const windows = shown.flatMap(({ judged: { windowLabel, units }, lines, table }) => {
    const answer = lines.flatMap((line) => wrapped(printable(line), { first: "  ", further: "    " }));
    const inner = report.sessions.filter(({ parentSession }) => parentSession !== null).length;
    const all = formatCount(report.sessions.length);
    const among = inner === 0 ? "" : `; ${formatCount(inner)} of the ${all} came from sub-agents`;
    const base = `judged on ${formatCount(units.length)} of ${formatNumberOf(report.sessions.length, "session")}${among}`;
    return [
      [`${windowLabel}, ${base}:`, ...answer].join("\n"),
      [tableRows(table, columns), ...table.notes.map(plain)].join("\n"),
    ];
  });
  const sections = [
    problemText(problems),
    plain(lineageWords(report.lineages)),
    ...(hasFigures
      ? windows
      : [["Nothing could be replayed.", ...shown.flatMap(({ table }) => table.notes).map(plain)].join("\n")]),
    ...(hasFigures ? [plain(reading)] : []),
    ...(full && hasFigures
      ? [
          ...further((session) => session.slice(folder.length)).map((table) => reportTable(table, columns)),
          ...(folder === "" ? [] : [`Sessions are in ${printable(folder)}`]),
          ...notes.map(plain),
        ]
      : hasFigures
        ? notes.slice(0, -1).map(plain)
        : []),
    [
      ...(full ? [] : recordedUsdLines(report).map(plain)),
      ...(full || !hasFigures ? [] : [plain(MORE)]),
      ...written.map((file) => `Written: ${file}`),
    ].join("\n"),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

/** So many are said on the first screen, beside all that was not read; the worst come first (chosen). */
const SHOWN_PROBLEMS = 6;

/** Shows the problems that a reader must know before any figure, bounded to a part of a screen; nothing without a problem. */
export function problemText(problems: readonly ReportProblem[]): string {
  if (problems.length === 0) return "";
  const others = problems.filter((problem) => !isUnread(problem));
  const untold = new Set(others.slice(SHOWN_PROBLEMS));
  return [
    "Problems:",
    ...problems
      .filter((problem) => !untold.has(problem))
      .flatMap(({ text }) => wrapped(`- ${printable(text)}`, { first: "  ", further: "    " })),
    ...(untold.size > 0 ? [`  and ${formatNumberOf(untold.size, "more problem")}: --json and --html have them all`] : []),
  ].join("\n");
}

/** True for a problem that names parts or files of logs which were not read: it is on every first screen. */
export function isUnread({ kind }: ReportProblem): boolean {
  return kind === "not-read" || kind === "left-out";
}
