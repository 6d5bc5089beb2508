import type { CalibrationReport } from "../calibrate/calibration-report.ts";
import type { PredictionErrors } from "../calibrate/errors.ts";
import type { MetricMeaning } from "../metrics/metric.ts";
import { formatCount, formatNumberOf, formatPercent, formatRatioPercent } from "./figures.ts";
import { type Column, numberColumn, type ReportTable, tableOf, textColumn } from "./table.ts";

/** A method's errors, over calls of a kind. */
interface ErrorRow {
  readonly name: string;
  readonly errors: PredictionErrors;
}

const meaning = (unit: string, better: MetricMeaning["better"], method: string): MetricMeaning => ({
  unit,
  better,
  method,
  caveat: "Without each session's first call, of which nothing was reported before.",
});
const PERCENT = "% of the reported prompt";

const percent = (title: string, value: (errors: PredictionErrors) => number | null, method: string): Column<ErrorRow> =>
  numberColumn({
    title,
    meaning: meaning(PERCENT, "lower", method),
    value: ({ errors }) => value(errors),
    format: formatPercent,
  });
const count = (title: string, value: (errors: PredictionErrors) => number, method: string): Column<ErrorRow> =>
  numberColumn({
    title,
    meaning: meaning("calls", "lower", method),
    value: ({ errors }) => value(errors),
    format: formatCount,
  });

const COLUMNS: readonly Column<ErrorRow>[] = [
  count("calls", ({ calls }) => calls, "Calls with a reported prompt size."),
  percent(
    "bias",
    ({ signedPercent }) => signedPercent,
    "Mean of predicted less reported. Below zero is too little: the direction that overflows.",
  ),
  percent("MAPE", ({ mapePercent }) => mapePercent, "Mean of the errors without their sign."),
  percent("p50", ({ p50Percent }) => p50Percent, "Half of the calls err by less."),
  percent("p95", ({ p95Percent }) => p95Percent, "95 of 100 calls err by less."),
  percent("max", ({ maxPercent }) => maxPercent, "The largest error."),
  count(">2%", ({ offByTwoPercentCount }) => offByTwoPercentCount, "Calls off by more than 2 %."),
  count(">5%", ({ offByFivePercentCount }) => offByFivePercentCount, "Calls off by more than 5 %."),
  numberColumn({
    title: "within",
    meaning: meaning(
      "% of calls",
      "higher",
      "Calls whose report did not exceed the predicted upper bound. A method without a bound takes its expectation for it.",
    ),
    value: ({ errors }) => errors.coverageRatio,
    format: formatRatioPercent,
  }),
  percent("margin", ({ marginPercent }) => marginPercent, "How much the upper bound lay above the report, on average."),
];

/** The kinds of calls that are told apart. */
const GROUPS = [
  ["All calls but each session's first", "afterFirst"],
  ["Nothing hidden (no unmarked fall, cut or switch)", "calm"],
  ["Falls without a mark, after a cut, after a switch", "hidden"],
  ["First call after a cut", "afterCut"],
] as const;

/** Makes the tables of a calibration: all methods by kind of call, then each session. `nameOf` gives the name to show for a session's file. */
export function calibrationTables(report: CalibrationReport, nameOf: (file: string) => string): readonly ReportTable[] {
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
      numberColumn({
        title: "calls",
        meaning: null,
        value: (session) => session.methods[0]?.errors.calls ?? 0,
        format: formatCount,
      }),
      ...methods.map((title, place) =>
        numberColumn<Session>({
          title,
          meaning: null,
          value: (session) => session.methods[place]?.errors.mapePercent ?? null,
          format: formatPercent,
        }),
      ),
    ],
    rows: report.sessions,
    nameOf: ({ file }) => nameOf(file),
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
  return `${over} Where nothing hidden came before a call, ${best.method} is off by ${formatPercent(best.mapePercent)} % of the prompt on average; its upper bound was not exceeded at ${formatRatioPercent(best.calm.coverageRatio)} % of ${formatNumberOf(best.calm.calls, "such call")}.`;
}
