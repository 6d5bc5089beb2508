import type { BenchReport, ReplayRow, SessionDescription } from "../results.ts";
import { cacheValidities, medianErrorPercent } from "./cache-validity.ts";
import { commonFolder } from "./common-folder.ts";
import { formatNumberOf, formatPercent } from "./figures.ts";
import { type Compared, LISTED_ERROR_PERCENT, listedValidities, recordedValidities } from "./recorded-validity.ts";

/** Errors of the size model over the sessions that report sizes. */
export interface SizeValidity {
  readonly sessions: number;
  /** Middle of the sessions' mean errors on held-out calls, in percent; `null` where none reports sizes. */
  readonly medianMapePercent: number | null;
  readonly worst: SessionDescription | null;
  /** Sessions beyond 5 %. */
  readonly listed: readonly SessionDescription[];
}

/** How far the size model is off, as the run itself measured it. */
export function sizeValidity({ sessions }: Pick<BenchReport, "sessions">): SizeValidity {
  const known = sessions.filter(({ isEstimated, sizeModel }) => !isEstimated && sizeModel.mapePercent !== null);
  const errorOf = ({ sizeModel }: SessionDescription) => sizeModel.mapePercent ?? 0;
  const sorted = known.toSorted((a, b) => errorOf(a) - errorOf(b));
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  return {
    sessions: sorted.length,
    medianMapePercent: middle === undefined ? null : errorOf(middle),
    worst: sorted.at(-1) ?? null,
    listed: sorted.filter((session) => errorOf(session) > LISTED_ERROR_PERCENT),
  };
}

/** What must be known before any figure is believed: one line each. */
export function validityLines(report: BenchReport): readonly string[] {
  const size = sizeValidity(report);
  const caches = cacheValidities(report);
  const validities = recordedValidities(report);
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const short = (session: string) => session.slice(folder.length);
  const estimated = report.sessions.filter(({ isEstimated }) => isEstimated).length;
  return [
    ...(size.worst === null
      ? []
      : [
          `prompt sizes, held-out calls of ${formatNumberOf(size.sessions, "recording")}: median error ${formatPercent(size.medianMapePercent)} %, worst ${formatPercent(size.worst.sizeModel.mapePercent)} % (${short(size.worst.session)})`,
        ]),
    ...(estimated === 0 ? [] : [`${formatNumberOf(estimated, "session")} without reported sizes: replayed on estimates`]),
    ...(caches.length === 0
      ? []
      : [
          `cache reads against ${formatNumberOf(caches.length, "recording")}: median error ${formatPercent(medianErrorPercent(caches))} %`,
        ]),
    ...medianLine(
      "cache writes",
      validities.flatMap(({ cacheWrites }) => cacheWrites ?? []),
    ),
    ...medianLine(
      "stated cost",
      validities.flatMap(({ usd }) => usd ?? []),
    ),
    ...firings(report, short),
    ...size.listed.map(
      ({ session, sizeModel }) => `prompt sizes of ${short(session)}: ${formatPercent(sizeModel.mapePercent)} %`,
    ),
    ...listedValidities(validities, short),
  ];
}

function medianLine(what: string, compared: readonly Compared[]): readonly string[] {
  if (compared.length === 0) return [];
  const errors = compared.map(({ errorPercent }) => Math.abs(errorPercent)).toSorted((a, b) => a - b);
  const median = errors[Math.floor((errors.length - 1) / 2)] ?? null;
  return [`${what} against ${formatNumberOf(compared.length, "recording")}: median error ${formatPercent(median)} %`];
}

/** So many calls are named; a session may have hundreds of compactions (chosen). */
const NAMED_CALLS = 6;

/**
 * Where the recorded agent itself compacted and the run has a policy of its name in the real window: before which calls it did, and
 * before which ours would have.
 */
function firings(report: BenchReport, short: (session: string) => string): readonly string[] {
  return report.sessions.flatMap(({ session, format, recordedBoundaries }) => {
    const rows = report.rows.filter((row) => row.session === session && row.window.kind === "real" && row.metrics !== null);
    const own = rows.find(({ policy }) => policy === format);
    const recorded = rows.find(({ policy }) => policy === "recorded");
    if (recordedBoundaries === 0 || own === undefined || recorded === undefined) return [];
    return [
      `${short(session)}: the recorded agent compacted before calls ${callsOf(recorded)}; the policy ${format} before ${callsOf(own)}`,
    ];
  });
}

function callsOf({ compactions }: Pick<ReplayRow, "compactions">): string {
  const calls = [...new Set(compactions.map(({ call }) => call + 1))];
  const more = calls.length > NAMED_CALLS ? ` and ${calls.length - NAMED_CALLS} more` : "";
  return calls.length === 0 ? "none" : `${calls.slice(0, NAMED_CALLS).join(", ")}${more}`;
}
