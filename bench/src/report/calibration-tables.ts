import type { CallKind } from "../calibrate/calibrate-sessions.ts";
import { errorsOf, type JudgedCall, type PredictionErrors } from "../calibrate/errors.ts";
import type { CalibrationRecord, ModelErrors } from "../results/calibration-record.ts";
import { calibrationColumns } from "./calibration-columns.ts";
import { columnLegend, type FigureColumn, figureTable, textColumn } from "./html-figure-table.ts";
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
