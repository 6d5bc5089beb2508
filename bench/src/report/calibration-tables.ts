import type { CallKind } from "../calibrate/calibrate-sessions.ts";
import type { ModelErrors } from "../calibrate/calibration-record.ts";
import type { PredictionErrors } from "../calibrate/errors.ts";
import type { MetricMeaning } from "../metrics/metric.ts";
import type { CalibrationErrors } from "./calibration-errors.ts";
import { columnLegend, type FigureColumn, figureTable, numberColumn, textColumn } from "./figure-table.ts";
import { formatCount, formatPercent } from "./figures.ts";
import { html, type Markup } from "./markup.ts";

/** Errors of one method over all sessions, of calls of some kinds. */
interface MethodRow {
  readonly method: string;
  readonly of: string;
  readonly errors: PredictionErrors;
}

/** Errors of one method in one file, of the calls of one model. */
interface FileRow extends ModelErrors {
  readonly session: string;
  readonly method: string;
}

const HIDDEN: readonly CallKind[] = ["fell", "after-cut", "after-switch", "server-tool"];

/** The groups by which calls are told apart. */
const GROUPS: readonly (readonly [of: string, kinds: readonly CallKind[]])[] = [
  ["all but each session's first", ["calm", ...HIDDEN]],
  ["nothing hidden before them", ["calm"]],
  ["after something hidden", HIDDEN],
  ["first after a cut", ["after-cut"]],
  ["each session's first", ["first"]],
];

/** Every method's errors over all sessions, by what had happened before the calls. */
export function methodTable({ methods }: CalibrationErrors): Markup {
  const rows = GROUPS.flatMap(([of, kinds]) =>
    methods.flatMap(({ method, errorsOf }): readonly MethodRow[] => {
      const errors = errorsOf(kinds);
      return errors.calls === 0 ? [] : [{ method, of, errors }];
    }),
  );
  const columns: readonly FigureColumn<MethodRow>[] = [
    textColumn("calls that are", ({ of }) => of),
    ...calibrationColumns<MethodRow>(({ errors }) => errors),
  ];
  const table = figureTable({
    name: "calibration-methods",
    rowTitle: "method",
    nameOf: ({ method }) => method,
    columns,
    rows,
  });
  return html`${table}${columnLegend("calibration-methods", columns)}`;
}

/** Every file, model and method, without each session's first call. `shownName` shortens a session's name. */
export function fileTable({ sessions }: CalibrationErrors, shownName: (session: string) => string): Markup {
  const rows = sessions.flatMap(({ session, methods }) =>
    methods.flatMap(({ method, models }) => models.map((model): FileRow => ({ session, method, ...model }))),
  );
  const columns: readonly FigureColumn<FileRow>[] = [
    textColumn("model", ({ modelId }) => modelId),
    textColumn("method", ({ method }) => method),
    ...calibrationColumns<FileRow>(({ errors }) => errors),
  ];
  const table = figureTable({
    name: "calibration-files",
    rowTitle: "session",
    nameOf: ({ session }) => shownName(session),
    columns,
    rows,
  });
  return html`${table}${columnLegend("calibration-files", columns)}`;
}

const FIRST = "Without each session's first call, of which nothing was reported before.";
const NO_BOUND = "Methods without a bound of their own take their expectation for it.";

interface ErrorFigure extends Pick<MetricMeaning, "better" | "method"> {
  readonly title: string;
  readonly format: "count" | "percent" | "ratio";
  readonly caveat?: string;
}

/** The figures that are shown of errors, with their meaning. */
const FIGURES: Readonly<Record<keyof PredictionErrors, ErrorFigure>> = {
  calls: { title: "calls", format: "count", better: "neither", method: "Calls with a reported prompt size." },
  signedPercent: {
    title: "bias, %",
    format: "percent",
    better: "neither",
    method: "Mean of predicted less reported. Below zero: predicted too little, the direction that overflows.",
    caveat: "Errors of both signs cancel out.",
  },
  mapePercent: {
    title: "MAPE, %",
    format: "percent",
    better: "lower",
    method: "Mean of the errors without their sign (MAPE).",
    caveat: "Few large misses may decide it: see p95 and the largest.",
  },
  p50Percent: { title: "p50, %", format: "percent", better: "lower", method: "Half of the calls err by less." },
  p95Percent: { title: "p95, %", format: "percent", better: "lower", method: "95 of 100 calls err by less." },
  maxPercent: { title: "largest, %", format: "percent", better: "lower", method: "The largest error." },
  offByTwoPercentCount: { title: "off by > 2 %", format: "count", better: "lower", method: "Calls off by more than 2 %." },
  offByFivePercentCount: { title: "off by > 5 %", format: "count", better: "lower", method: "Calls off by more than 5 %." },
  coverageRatio: {
    title: "bound held, %",
    format: "ratio",
    better: "higher",
    method: "Calls whose report did not exceed the predicted upper bound.",
    caveat: NO_BOUND,
  },
  marginPercent: {
    title: "margin, %",
    format: "percent",
    better: "lower",
    method: "How far the upper bound lay above the report, on average.",
    caveat: `Below zero where the bound misses by much. ${NO_BOUND}`,
  },
  marginP50Percent: {
    title: "margin p50, %",
    format: "percent",
    better: "lower",
    method: "How far the upper bound lay above the report at the middle call.",
    caveat: NO_BOUND,
  },
};

const UNITS = { count: "calls", percent: "% of the reported prompt", ratio: "% of calls" } as const;

/** Columns of the errors of predictions. */
function calibrationColumns<Row>(errorsOf: (row: Row) => PredictionErrors): readonly FigureColumn<Row>[] {
  const figures: Readonly<Record<string, ErrorFigure>> = FIGURES;
  return Object.entries(figures).map(([name, { title, format, better, method, caveat = FIRST }]) =>
    numberColumn({
      title,
      meaning: { unit: UNITS[format], better, method, caveat },
      value: (row) => {
        const errors: Readonly<Record<string, number | null>> = { ...errorsOf(row) };
        const value = errors[name] ?? null;
        return format === "ratio" && value !== null ? 100 * value : value;
      },
      format: format === "count" ? formatCount : formatPercent,
    }),
  );
}
