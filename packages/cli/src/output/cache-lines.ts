import type { BenchReport } from "@plimsoll/bench";
import { cacheValidities, commonFolder, formatNumberOf, formatPercent, medianErrorPercent } from "@plimsoll/bench/internal";
import { printable, shortened } from "../terminal/printable.ts";

/** Beside it stands the cause. */
const SESSION_CHARS = 40;

/** How well computed cache reads match those that the recordings report, and the recordings in which they do not. */
export function cacheLines(report: BenchReport): readonly string[] {
  const validities = cacheValidities(report);
  if (validities.length === 0) return [];
  const median = formatPercent(medianErrorPercent(validities));
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const explained = validities.flatMap(({ session, errorPercent, cause }) =>
    cause === null
      ? []
      : [`  ${shortened(session.slice(folder.length), SESSION_CHARS)}: ${formatPercent(errorPercent)} %, ${printable(cause)}`],
  );
  return [`cache reads against ${formatNumberOf(validities.length, "recording")}: median error ${median} %`, ...explained];
}
