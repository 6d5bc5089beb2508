import type { CallKind } from "../calibrate/calibrate-sessions.ts";
import type { CalibrationRecord, ModelErrors } from "../calibrate/calibration-record.ts";
import { errorsOf, type JudgedCall, type PredictionErrors } from "../calibrate/errors.ts";
import type { MetricMeaning } from "../metrics/metric.ts";
import { columnLegend, type FigureColumn, figureTable, numberColumn, textColumn } from "./figure-table.ts";
import { formatCount, formatPercent } from "./figures.ts";
import { html, type Markup } from "./markup.ts";
import { SESSION_MEANINGS } from "./session-meanings.ts";

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

/** What calls are told apart by. */
const GROUPS: readonly (readonly [of: string, kinds: readonly CallKind[]])[] = [
  ["all but each session's first", ["calm", ...HIDDEN]],
  ["nothing hidden before them", ["calm"]],
  ["after something hidden", HIDDEN],
  ["first after a cut", ["after-cut"]],
  ["each session's first", ["first"]],
];

/** Every method's errors over all sessions, by what had happened before the calls. */
export function methodTable(records: readonly CalibrationRecord[]): Markup {
  const methods = records[0]?.methods.map(({ method }) => method) ?? [];
  const rows = GROUPS.flatMap(([of, kinds]) =>
    methods.flatMap((method, index): readonly MethodRow[] => {
      const errors = errorsOf(records.flatMap((record) => judgedCalls(record, index, kinds)));
      return errors.calls === 0 ? [] : [{ method, of, errors }];
    }),
  );
  const columns: readonly FigureColumn<MethodRow>[] = [
    textColumn({ group: "", title: "calls that are", meaning: SESSION_MEANINGS.text }, ({ of }) => of),
    ...calibrationColumns<MethodRow>(({ errors }) => errors),
  ];
  const table = figureTable({ name: "calibration-methods", rowTitle: "method", nameOf: ({ method }) => method, columns, rows });
  return html`${table}${columnLegend("calibration-methods", columns)}`;
}

function judgedCalls(
  { prompts, methods }: CalibrationRecord,
  index: number,
  kinds: readonly CallKind[],
): readonly JudgedCall[] {
  const method = methods[index];
  if (method === undefined) return [];
  return prompts.flatMap(({ kind, reportedTokens }, call) => {
    const prediction = { expectedTokens: method.expectedTokens[call] ?? 0, upperTokens: method.upperTokens[call] ?? 0 };
    return kinds.includes(kind) ? [{ reportedTokens, prediction }] : [];
  });
}

/** Every file, model and method, without each session's first call. `shownName` shortens a session's name. */
export function fileTable(records: readonly CalibrationRecord[], shownName: (session: string) => string): Markup {
  const rows = records.flatMap(({ session, methods }) =>
    methods.flatMap(({ method, models }) => models.map((model): FileRow => ({ session, method, ...model }))),
  );
  const text = (title: string, of: (row: FileRow) => string): FigureColumn<FileRow> =>
    textColumn({ group: "", title, meaning: SESSION_MEANINGS.text }, of);
  const columns: readonly FigureColumn<FileRow>[] = [
    text("model", ({ modelId }) => modelId),
    text("method", ({ method }) => method),
    ...calibrationColumns<FileRow>(({ errors }) => errors),
  ];
  const table = figureTable({
    name: "calibration-files",
    rowTitle: "file",
    nameOf: ({ session }) => shownName(session),
    columns,
    rows,
  });
  return html`${table}${columnLegend("calibration-files", columns)}`;
}

const FIRST = "Without each session's first call, of which nothing was reported before.";
const NO_BOUND = "Methods without a bound of their own take their expectation for it.";

/** What the figures about predicted prompt sizes mean. */
export const CALIBRATION_MEANINGS: Readonly<Record<keyof PredictionErrors, MetricMeaning>> = {
  calls: { unit: "calls", better: "neither", method: "Calls with a reported prompt size.", caveat: FIRST },
  signedPercent: {
    unit: "% of the reported prompt",
    better: "neither",
    method: "Mean of predicted less reported. Below zero: predicted too little, the direction that overflows.",
    caveat: "Errors of both signs cancel out.",
  },
  mapePercent: {
    unit: "% of the reported prompt",
    better: "lower",
    method: "Mean of the errors without their sign (MAPE).",
    caveat: "Few large misses may decide it: see p95 and the largest.",
  },
  p50Percent: { unit: "% of the reported prompt", better: "lower", method: "Half of the calls err by less.", caveat: FIRST },
  p95Percent: { unit: "% of the reported prompt", better: "lower", method: "95 of 100 calls err by less.", caveat: FIRST },
  maxPercent: { unit: "% of the reported prompt", better: "lower", method: "The largest error.", caveat: FIRST },
  offByTwoPercentCount: { unit: "calls", better: "lower", method: "Calls off by more than 2 %.", caveat: FIRST },
  offByFivePercentCount: { unit: "calls", better: "lower", method: "Calls off by more than 5 %.", caveat: FIRST },
  coverageRatio: {
    unit: "% of calls",
    better: "higher",
    method: "Calls whose report did not exceed the predicted upper bound.",
    caveat: NO_BOUND,
  },
  marginPercent: {
    unit: "% of the reported prompt",
    better: "lower",
    method: "How far the upper bound lay above the report, on average.",
    caveat: `Below zero where the bound misses by much. ${NO_BOUND}`,
  },
  marginP50Percent: {
    unit: "% of the reported prompt",
    better: "lower",
    method: "How far the upper bound lay above the report at the middle call.",
    caveat: NO_BOUND,
  },
};

type Figure = readonly [title: string, figure: keyof PredictionErrors, kind: "count" | "percent" | "ratio"];

const FIGURES: readonly Figure[] = [
  ["calls", "calls", "count"],
  ["bias, %", "signedPercent", "percent"],
  ["MAPE, %", "mapePercent", "percent"],
  ["p50, %", "p50Percent", "percent"],
  ["p95, %", "p95Percent", "percent"],
  ["largest, %", "maxPercent", "percent"],
  ["off by > 2 %", "offByTwoPercentCount", "count"],
  ["off by > 5 %", "offByFivePercentCount", "count"],
  ["bound held, %", "coverageRatio", "ratio"],
  ["margin, %", "marginPercent", "percent"],
  ["margin p50, %", "marginP50Percent", "percent"],
];

/** Columns of the errors of predictions. */
export function calibrationColumns<Row>(errorsOf: (row: Row) => PredictionErrors): readonly FigureColumn<Row>[] {
  return FIGURES.map(([title, figure, kind]) =>
    numberColumn({
      group: "",
      title,
      meaning: CALIBRATION_MEANINGS[figure],
      value: (row) => {
        const value = errorsOf(row)[figure];
        return kind === "ratio" && value !== null ? 100 * value : value;
      },
      format: kind === "count" ? formatCount : formatPercent,
    }),
  );
}
