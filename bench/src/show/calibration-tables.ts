import type { CalibrationReport } from "../calibrate/calibration-report.ts";
import type { PredictionErrors } from "../calibrate/errors.ts";
import { formatCount, formatNumberOf, formatPercent } from "./figures.ts";
import { type Column, numberColumn, type ReportTable, tableOf, textColumn } from "./table.ts";

interface ErrorRow {
  readonly name: string;
  readonly errors: PredictionErrors;
}

const figure = <Row>(
  title: string,
  value: (row: Row) => number | null,
  format: (value: number | null) => string = formatPercent,
): Column<Row> => numberColumn({ title, meaning: null, value, format });

const coveredPercent = ({ coverageRatio }: Pick<PredictionErrors, "coverageRatio">) =>
  coverageRatio === null ? null : 100 * coverageRatio;

const COLUMNS: readonly Column<ErrorRow>[] = [
  figure("calls", ({ errors }) => errors.calls, formatCount),
  figure("bias", ({ errors }) => errors.signedPercent),
  figure("MAPE", ({ errors }) => errors.mapePercent),
  figure("p50", ({ errors }) => errors.p50Percent),
  figure("p95", ({ errors }) => errors.p95Percent),
  figure("max", ({ errors }) => errors.maxPercent),
  figure(">2%", ({ errors }) => errors.offByTwoPercentCount, formatCount),
  figure(">5%", ({ errors }) => errors.offByFivePercentCount, formatCount),
  figure("within", ({ errors }) => coveredPercent(errors)),
  figure("margin", ({ errors }) => errors.marginPercent),
];

/** The kinds of calls that are listed. */
const GROUPS = [
  ["All calls except each session's first", "afterFirst"],
  ["No hidden change (unmarked drop, cut or switch)", "calm"],
  ["Unmarked drops, after a cut, after a switch", "hidden"],
  ["First call after a cut", "afterCut"],
  ["Calls 1 and 2, behind the first", "early"],
] as const;

/** Makes the tables of a calibration: all methods by kind of call, then each session. */
export function calibrationTables(report: CalibrationReport): readonly ReportTable[] {
  const groups = GROUPS.map(([title, kind]) =>
    tableOf({
      title,
      rowTitle: "method",
      columns: COLUMNS,
      rows: report.methods
        .map((method): ErrorRow => ({ name: method.method, errors: method[kind] }))
        .filter(({ errors }) => errors.calls > 0),
      nameOf: ({ name }) => name,
    }),
  );
  const methods = report.methods.map(({ method }) => method);
  type Session = CalibrationReport["sessions"][number];
  const sessions = tableOf<Session>({
    title: "MAPE in %, session by session",
    rowTitle: "file",
    columns: [
      textColumn("model", ({ modelIds }) => modelIds.join(", ")),
      figure("calls", (session) => session.methods[0]?.errors.calls ?? 0, formatCount),
      ...methods.map((title, place) => figure<Session>(title, (session) => session.methods[place]?.errors.mapePercent ?? null)),
    ],
    rows: report.sessions,
    nameOf: ({ file }) => file,
  });
  return [...groups.filter(({ rows }) => rows.length > 0), sessions];
}

/** Sums up a calibration: the method that errs least where nothing hidden came before a call, and how often its upper bound was not exceeded. */
export function calibrationAnswer({ methods, sessions }: CalibrationReport): string {
  const known = methods.flatMap(({ method, calm }) =>
    calm.mapePercent === null ? [] : [{ method, calm, mapePercent: calm.mapePercent }],
  );
  const [best] = known.toSorted((a, b) => a.mapePercent - b.mapePercent);
  const over = `${formatNumberOf(sessions.length, "session")} with reported sizes.`;
  if (best === undefined) return over;
  return `${over} Without a hidden change before the call, ${best.method} is off by ${formatPercent(best.mapePercent)}% of the prompt on average; the report stayed within its upper bound at ${formatPercent(coveredPercent(best.calm))}% of ${formatNumberOf(best.calm.calls, "such call")}.`;
}
