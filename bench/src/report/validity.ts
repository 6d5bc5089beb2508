import type { CacheValidity } from "../metrics/cache-validity.ts";
import type { BenchReport, ReplayRow, SessionDescription } from "../results.ts";
import { dollarLines, recordedRows, recordedUsdLines, signedPercent, windowLines } from "./dollar-lines.ts";
import { formatNumberOf, formatPercent } from "./figures.ts";
import { commonFolder } from "./labels.ts";

/** One recording against the replay of its own requests. */
export interface RecordedValidity {
  readonly session: SessionDescription;
  readonly promptTokens: Compared | null;
  readonly cacheReads: Compared | null;
  readonly cacheWrites: Compared | null;
  /** Dollars of requests, from the reported tokens. */
  readonly dollars: Compared | null;
  /** Error of the same by the rules of the cache alone, in percent. */
  readonly ruledErrorPercent: number | null;
  /** Dollars that the recording states for its calls, against its reported usage by list prices. */
  readonly usd: Compared | null;
  /** The cause of most of the difference, if one of them exceeds 5 %. */
  readonly cause: string | null;
}

/** Recordings that are off by more are listed (the bar that every file is held against), in percent. */
export const LISTED_ERROR_PERCENT = 5;

/** A recording's figure, and the replay's. */
export interface Compared {
  readonly stated: number;
  readonly computed: number;
  /** Computed less stated, in percent of stated. */
  readonly errorPercent: number;
}

/** Every recording of the run that reports sizes, in the order of the report. */
export function recordedValidities(report: BenchReport): readonly RecordedValidity[] {
  const recorded = recordedRows(report);
  return report.sessions.flatMap((session): readonly RecordedValidity[] => {
    if (session.isEstimated) return [];
    const metrics = recorded.get(session.session)?.metrics ?? null;
    const cache: CacheValidity | null = metrics?.cacheValidity ?? null;
    const dollars = metrics?.dollarValidity ?? null;
    const usd = compared(session.statedCostUsd, session.recordedUsdIs === "whole" ? session.recordedUsd : null);
    const isDearer = Math.abs(usd?.errorPercent ?? 0) > LISTED_ERROR_PERCENT;
    return [
      {
        session,
        promptTokens: compared(session.sumReportedPromptTokens, metrics?.economy.promptTokens ?? null),
        cacheReads: compared(cache?.reportedReadTokens ?? null, cache?.computedReadTokens ?? null),
        cacheWrites: compared(cache?.reportedWriteTokens ?? null, cache?.computedWriteTokens ?? null),
        dollars: compared(dollars?.statedUsd ?? null, dollars?.computedUsd ?? null),
        ruledErrorPercent: dollars?.ruledErrorPercent ?? null,
        usd,
        cause:
          dollars?.cause ??
          cache?.cause ??
          (isDearer ? "its agent had other prices, or counted calls that it did not log" : null),
      },
    ];
  });
}

function compared(stated: number | null, computed: number | null): Compared | null {
  if (stated === null || computed === null || stated <= 0) return null;
  return { stated, computed, errorPercent: (100 * (computed - stated)) / stated };
}

/** A line for each recording of which something is off by more than 5 %: what, by how much, and why. */
function listedValidities(validities: readonly RecordedValidity[], short: (session: string) => string): readonly string[] {
  return validities.flatMap(({ session, promptTokens, cacheReads, cacheWrites, usd, cause }) => {
    const parts = [
      ["prompt tokens", promptTokens],
      ["cache reads", cacheReads],
      ["cache writes", cacheWrites],
      ["stated cost", usd],
    ] as const;
    const off = parts.flatMap(([what, each]) =>
      each !== null && Math.abs(each.errorPercent) > LISTED_ERROR_PERCENT
        ? [`${what} ${signedPercent(each.errorPercent)} %`]
        : [],
    );
    return off.length === 0 ? [] : [`${short(session.session)}: ${off.join(", ")}: ${cause ?? "not explained"}`];
  });
}

/** How well the cache model reproduces what one recording reports. */
export interface SessionCacheValidity extends CacheValidity {
  readonly session: string;
}

/** The recordings that report cache reads, each once: the window does not matter to recorded requests. */
export function cacheValidities(report: BenchReport): readonly SessionCacheValidity[] {
  const bySession = new Map<string, SessionCacheValidity>();
  for (const { session, metrics } of report.rows) {
    const validity = metrics?.cacheValidity ?? null;
    if (validity !== null && !bySession.has(session)) bySession.set(session, { session, ...validity });
  }
  return [...bySession.values()];
}

/** The middle one of the sessions' errors by size, without the sign; `null` if there are none. */
export function medianErrorPercent(validities: readonly CacheValidity[]): number | null {
  const errors = validities.flatMap(({ errorPercent }) => (errorPercent === null ? [] : [Math.abs(errorPercent)]));
  return errors.toSorted((a, b) => a - b)[Math.floor((errors.length - 1) / 2)] ?? null;
}

/** Errors of the size model over the sessions that report sizes. */
export interface SizeValidity {
  readonly sessions: number;
  /** Middle of the sessions' mean errors on held-out calls, in percent; `null` if none reports sizes. */
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

/** Lists the facts that a reader must know before any figure is believed: one line each. */
export function validityLines(report: BenchReport): readonly string[] {
  const size = sizeValidity(report);
  const caches = cacheValidities(report);
  const validities = recordedValidities(report);
  const folder = commonFolder(report.sessions.map(({ session }) => session));
  const short = (session: string) => session.slice(folder.length);
  const estimated = report.sessions.filter(({ isEstimated }) => isEstimated).length;
  return [
    ...recordedUsdLines(report),
    ...dollarLines(report, short),
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
    ...windowLines(report, short),
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
