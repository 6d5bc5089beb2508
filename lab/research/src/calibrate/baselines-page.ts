import type { Transcript } from "@plimsoll/bench";
import { byMethod, calibrateTranscripts, callKinds, errorsOf } from "@plimsoll/bench/extend";
import { MEASURED_FIGURES } from "@plimsoll/providers";
import { leaveOneRepositoryOut } from "./leave-one-out.ts";
import { COMPARED_METHODS, isBaseline } from "./methods.ts";
import { errorTable, type KindCall, markdownTable, type PredictionErrors, percent } from "./page-tables.ts";

/**
 * The baselines of `docs/evidence.md`, only on the first folder: every method on calls with nothing hidden, and each format's best baseline against
 * the ledger, fitted in and out of sample.
 */
export function baselinesPage(transcripts: readonly Transcript[]): string {
  const used = transcripts.filter(({ parentName, hasUsage }) => parentName === null && hasUsage);
  const { report, sessions } = calibrateTranscripts(used, COMPARED_METHODS);
  const methods = byMethod(sessions);
  const own = methods.at(-1)?.calls ?? [];
  const kinds = used.map((transcript) => callKinds(transcript));
  const heldOut = leaveOneRepositoryOut(used).flatMap((calls, session) =>
    calls.map((call, index): KindCall => ({ ...call, kind: kinds[session]?.[index] ?? "calm" })),
  );
  return [
    `Figures fitted ${MEASURED_FIGURES.asOf}; ${used.length} sessions, ${own.length} calls. In percent of the reported prompt.`,
    "",
    ...errorTable(report.methods.map(({ method, calm }) => [method, calm])),
    ...formatTable({
      formatOf: new Map(used.map(({ name, format }) => [name, format])),
      baselines: methods
        .filter(({ method }) => isBaseline({ name: method }))
        .map(({ method, calls }) => ({ method, calls: calls.filter(isCalm) })),
      own: own.filter(isCalm),
      heldOut: heldOut.filter(isCalm),
    }),
  ].join("\n");
}

function isCalm({ kind }: KindCall): boolean {
  return kind === "calm";
}

/** A method's calls over all sessions, without first calls. */
interface MethodPredictions {
  readonly method: string;
  readonly calls: readonly KindCall[];
}

/** The input of the table of formats. */
interface FormatComparison {
  readonly formatOf: ReadonlyMap<string, string>;
  readonly baselines: readonly MethodPredictions[];
  readonly own: readonly KindCall[];
  readonly heldOut: readonly KindCall[];
}

/** For each format the baseline with the smallest mean error, whichever it is there, against ours in and out of sample. */
function formatTable({ formatOf, baselines, own, heldOut }: FormatComparison): readonly string[] {
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
      "its MAPE / p95 / > 5%",
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
