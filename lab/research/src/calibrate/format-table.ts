import { errorsOf, type PredictionErrors } from "@plimsoll/bench/extend";
import { type KindCall, markdownTable, percent } from "./page-tables.ts";

/** A method's calls over all sessions, without first calls. */
export interface MethodPredictions {
  readonly method: string;
  readonly calls: readonly KindCall[];
}

/** The input of the table of formats. */
export interface FormatComparison {
  readonly formatOf: ReadonlyMap<string, string>;
  readonly baselines: readonly MethodPredictions[];
  readonly own: readonly KindCall[];
  readonly heldOut: readonly KindCall[];
}

/** For each format the baseline with the smallest mean error, whichever it is there, against ours in and out of sample. */
export function formatTable({ formatOf, baselines, own, heldOut }: FormatComparison): readonly string[] {
  const formats = [...new Set(own.flatMap(({ file }) => formatOf.get(file) ?? []))];
  const errors = (calls: readonly KindCall[], format: string) =>
    errorsOf(calls.filter(({ file }) => formatOf.get(file) === format));
  const rows = formats.map((format) => {
    const [best] = baselines
      .map(({ method, calls }) => ({ method, errors: errors(calls, format) }))
      .toSorted((a, b) => (a.errors.mapePercent ?? 0) - (b.errors.mapePercent ?? 0));
    const ours = errors(own, format);
    const held = errors(heldOut, format);
    const isAsGood = ({ mapePercent }: PredictionErrors) =>
      best === undefined || (mapePercent ?? 0) <= (best.errors.mapePercent ?? 0) ? "yes" : "no";
    return [
      format,
      String(ours.calls),
      best?.method ?? "–",
      cell(best?.errors),
      cell(ours),
      cell(held),
      `${isAsGood(ours)} / ${isAsGood(held)}`,
    ];
  });
  return markdownTable(
    [
      "format",
      "calls",
      "best baseline",
      "its MAPE / p95 / > 5 %",
      "ledger, in sample",
      "ledger, out of sample",
      "at least as good, in / out",
    ],
    rows,
  );
}

function cell(errors: PredictionErrors | undefined): string {
  if (errors === undefined) return "–";
  return `${percent(errors.mapePercent)} / ${percent(errors.p95Percent)} / ${errors.offByFivePercentCount}`;
}
