import type { BenchReport, SessionDescription } from "@plimsoll/bench";
import { commonFolder, formatCount, formatPercent } from "@plimsoll/bench";
import { printable, shortened } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";

/** So many sessions are listed without being asked for: about a screen (chosen). */
const LISTED_SESSIONS = 30;
/** So that the table stays within 100 columns. */
const SESSION_CHARS = 33;

const HEAD = [
  [
    { content: "" },
    { content: "" },
    { content: "" },
    { content: "" },
    { content: "largest" },
    { content: "recorded" },
    { content: "size model error %", span: 2, align: "center" as const },
  ],
  ["session", "format", "messages", "calls", "prompt", "compactions", "MAPE", "largest"].map((content) => ({ content })),
];

/** A row a session: what its recording states, and how far the size model is off on it. */
export function sessionTable(report: BenchReport, options: { readonly all: boolean }): string {
  if (report.sessions.length === 0) return "";
  if (!options.all && report.sessions.length > LISTED_SESSIONS) {
    return `${formatCount(report.sessions.length)} sessions; --per-session lists them.`;
  }
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const table = drawTable({
    head: HEAD,
    rows: report.sessions.map((session) => sessionRow(session, folder)),
    leftColumns: [0, 1],
  });
  return folder === "" ? table : `sessions in ${printable(folder)}\n\n${table}`;
}

function sessionRow(session: SessionDescription, folder: string): readonly string[] {
  return [
    shortened(session.session.slice(folder.length), SESSION_CHARS),
    session.format,
    formatCount(session.messages),
    formatCount(session.calls),
    session.isEstimated ? "estimated" : formatCount(session.maxReportedPromptTokens),
    formatCount(session.recordedBoundaries),
    formatPercent(session.sizeModel.mapePercent),
    formatPercent(session.sizeModel.maxPercent),
  ];
}
