import { PlimsollError } from "@plimsoll/core";
import { runIdentity } from "../results/run-identity.ts";
import type { BenchReport } from "../results.ts";

/** A report, and the name by which errors call it. */
export interface NamedReport {
  readonly name: string;
  readonly report: BenchReport;
}

/**
 * Joins the reports of a run's parts into the report that one process would have written, byte for byte. Throws `bad-input` if a part is missing, comes twice,
 * or is of another run (other files, policies, windows or versions).
 */
export function mergeReports(parts: readonly NamedReport[]): BenchReport {
  const [first] = parts;
  if (first === undefined) throw new PlimsollError("bad-input", "nothing to merge: give the reports of all parts");
  for (const part of parts) checkSameRun(first, part);
  const count = first.report.shard?.count ?? 1;
  const byIndex = new Map(parts.map((part) => [part.report.shard?.index ?? 1, part.report]));
  if (byIndex.size < parts.length) throw new PlimsollError("bad-input", "two of the reports are the same part of the run");
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter((index) => !byIndex.has(index));
  if (missing.length > 0)
    throw new PlimsollError("bad-input", `missing: ${missing.map((index) => `part ${index}/${count}`).join(", ")}`);
  return joined(
    first.report,
    [...byIndex.entries()].toSorted(([a], [b]) => a - b).map(([, report]) => report),
  );
}

function checkSameRun({ name, report }: NamedReport, other: NamedReport): void {
  if (runIdentity(report) !== runIdentity(other.report)) {
    throw new PlimsollError(
      "bad-input",
      `${other.name} is not of the same run as ${name}: files, policies, windows or versions differ`,
    );
  }
}

function joined(first: BenchReport, reports: readonly BenchReport[]): BenchReport {
  const placeOf = new Map(first.inputs.map((file, place) => [file, place]));
  const fileOf = new Map(reports.flatMap(({ sessions }) => sessions.map(({ session, file }) => [session, file])));
  // Stable: what is of one file keeps its order. What is of no file (inputs that were not found) stands in every part, and first.
  const inOrder = <Entry>(entries: readonly Entry[], file: (entry: Entry) => string) =>
    entries.toSorted((a, b) => (placeOf.get(file(a)) ?? -1) - (placeOf.get(file(b)) ?? -1));
  const skipped = reports.flatMap((report, place) => report.skipped.filter(({ file }) => place === 0 || placeOf.has(file)));
  return {
    ...first,
    shard: null,
    sessions: inOrder(
      reports.flatMap(({ sessions }) => sessions),
      ({ file }) => file,
    ),
    rows: inOrder(
      reports.flatMap(({ rows }) => rows),
      ({ session }) => fileOf.get(session) ?? "",
    ),
    skipped: inOrder(skipped, ({ file }) => file),
    notes: inOrder(
      reports.flatMap(({ notes }) => notes),
      ({ file }) => file,
    ),
  };
}
