import type { Transcript } from "@plimsoll/bench";
import { byMethod, calibrateTranscripts, callKinds } from "@plimsoll/bench/extend";
import { MEASURED_FIGURES } from "@plimsoll/providers";
import { formatTable } from "./format-table.ts";
import { leaveOneRepositoryOut } from "./leave-one-out.ts";
import { COMPARED_METHODS, isBaseline } from "./methods.ts";
import { errorTable, type KindCall } from "./page-tables.ts";

/**
 * The baselines of `docs/evidence.md`, on the first folder alone: every method on calls with nothing hidden, and each format's best baseline
 * against the ledger, fitted in and out of sample.
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
