import type { DollarValidity } from "../metrics/dollar-validity.ts";
import type { BenchReport, ReplayRow, SessionDescription } from "../results.ts";
import { summed } from "../statistics.ts";
import { formatNumberOf, formatPercent, formatTokens, formatUsd } from "./figures.ts";

/** Sessions whose dollars are off by more are named with the cause, in percent; the bar that every session is held against. */
export const DOLLAR_BAR_PERCENT = 10;

/** Sessions' dollars, as {@link recordedUsdText} tells them. */
export type RecordedDollars = Pick<SessionDescription, "recordedUsd" | "recordedUsdIs" | "statedCostUsd">;

/** From this difference on, in percent of what a log states, both figures are told. */
const TOLD_PERCENT = 1;

/**
 * Says how much sessions cost by list prices of the usage that they report; beside it the cost that logs state by themselves, if it differs by more
 * than one percent from list prices of the same sessions. `null` if nothing could be priced and no log states anything.
 */
export function recordedUsdText(sessions: readonly RecordedDollars[]): string | null {
  const sum = (of: readonly RecordedDollars[], key: "recordedUsd" | "statedCostUsd") =>
    of.reduce((total, session) => total + (session[key] ?? 0), 0);
  const stating = sessions.filter(({ statedCostUsd }) => statedCostUsd !== null);
  const stated = sum(stating, "statedCostUsd");
  const isWhole = sessions.every(({ recordedUsdIs }) => recordedUsdIs === "whole");
  const percent = stated === 0 ? 0 : (100 * (sum(stating, "recordedUsd") - stated)) / stated;
  const isTold = Math.abs(percent) > TOLD_PERCENT;
  const states = `${stating.length === 1 ? "its log says" : `${formatNumberOf(stating.length, "log")} say`} $${formatUsd(stated)}`;
  if (sessions.every(({ recordedUsd }) => recordedUsd === null)) return stated === 0 ? null : `no prices known; ${states}`;
  const whole = `${isWhole ? "" : "at least "}$${formatUsd(sum(sessions, "recordedUsd"))} by list prices`;
  return isTold ? `${whole}; ${states} (${signedPercent(percent)} %)` : whole;
}

/** The same as a sentence beside figures of replays; none if there is nothing to tell. */
export function recordedUsdLines({ sessions }: Pick<BenchReport, "sessions">): readonly string[] {
  const usd = recordedUsdText(sessions);
  return usd === null ? [] : [`Recorded usage: ${usd}. All other dollars are modelled by replays.`];
}

/** The rows of `recorded`, each session once: the window does not matter to recorded requests. */
export function recordedRows({ rows }: Pick<BenchReport, "rows">): ReadonlyMap<string, ReplayRow> {
  const recorded = new Map<string, ReplayRow>();
  for (const row of rows)
    if (row.policy === "recorded" && row.metrics !== null && !recorded.has(row.session)) recorded.set(row.session, row);
  return recorded;
}

/**
 * The error in dollars over all recordings, with that of the cache's rules alone beside it, then each session in which either is beyond
 * the bar, then the models that have no price.
 */
export function dollarLines(report: BenchReport, short: (session: string) => string): readonly string[] {
  const recorded = [...recordedRows(report).values()];
  const known = recorded.flatMap(({ session, metrics }) => {
    const validity = metrics?.dollarValidity ?? null;
    return validity === null ? [] : [{ session, ...validity }];
  });
  return [...errorLine(known), ...known.flatMap((each) => sessionLine(each, short)), ...unpricedLines(report, short)];
}

function errorLine(known: readonly DollarValidity[]): readonly string[] {
  if (known.length === 0) return [];
  const own = sizes(known.map(({ errorPercent }) => errorPercent));
  const ruled = sizes(known.map(({ ruledErrorPercent }) => ruledErrorPercent));
  return [
    `dollars of requests against ${formatNumberOf(known.length, "recording")}: ${errorWords(own)}`,
    `the same by the cache's rules alone, without ${coldWords(known)}: ${errorWords(ruled)}`,
  ];
}

function coldWords(known: readonly DollarValidity[]): string {
  const cold = summed(
    { coldCalls: 0, coldUsd: 0, statedUsd: 0 },
    known.map(({ coldCalls, coldUsd, statedUsd }) => ({ coldCalls, coldUsd, statedUsd })),
  );
  const share = cold.statedUsd === 0 ? 0 : (100 * cold.coldUsd) / cold.statedUsd;
  return `${formatNumberOf(cold.coldCalls, "call")} that found it cold within its time (${formatPercent(share)} % of the dollars)`;
}

function errorWords(sorted: readonly number[]): string {
  const beyond = sorted.filter(isBeyond).length;
  const [low, high] = [0.25, 0.75].map((share) => formatPercent(sorted[Math.floor(share * (sorted.length - 1))] ?? null));
  return `median error ${formatPercent(middle(sorted))} %, quartiles ${low} and ${high} %, largest ${formatPercent(sorted.at(-1) ?? null)} %, ${beyond} above ${DOLLAR_BAR_PERCENT} %`;
}

function sessionLine(
  { session, errorPercent, ruledErrorPercent, cause }: DollarValidity & { readonly session: string },
  short: (session: string) => string,
): readonly string[] {
  if (![errorPercent, ruledErrorPercent].some((percent) => isBeyond(Math.abs(percent ?? 0)))) return [];
  const because = cause === null ? "" : `: ${cause}`;
  return [
    `${short(session)}: dollars ${signedPercent(errorPercent)} %, by rules alone ${signedPercent(ruledErrorPercent)} %${because}`,
  ];
}

/** Which models have no price, and how many calls of which sessions the dollars therefore lack. */
function unpricedLines(report: BenchReport, short: (session: string) => string): readonly string[] {
  const lacking = new Map<string, ReplayRow>();
  for (const row of report.rows)
    if ((row.metrics?.cost.unpricedCalls ?? 0) > 0 && !lacking.has(row.session)) lacking.set(row.session, row);
  return [...lacking.values()].flatMap(({ session, metrics }) => {
    const { unpricedModels = [], unpricedCalls = 0 } = metrics?.cost ?? {};
    const calls = metrics?.safety.calls ?? 0;
    return [
      `${short(session)}: no price for ${unpricedModels.join(", ")}: ${unpricedCalls} of ${calls} calls are not in the dollars`,
    ];
  });
}

/** Which real window each session was given, and why. */
export function windowLines({ rows }: Pick<BenchReport, "rows">, short: (session: string) => string): readonly string[] {
  const lines = new Map<string, string>();
  for (const { session, window } of rows)
    if (window.kind === "real")
      lines.set(session, `real window of ${short(session)}: ${formatTokens(window.tokens)} tokens: ${window.reason}`);
  return [...lines.values()];
}

/** How many sessions were given which real window, in one line; none if the run has no real window. */
export function windowCounts({ rows }: Pick<BenchReport, "rows">): readonly string[] {
  const tokensOf = new Map<string, number>();
  for (const { session, window } of rows) if (window.kind === "real") tokensOf.set(session, window.tokens);
  const counts = new Map<number, number>();
  for (const tokens of tokensOf.values()) counts.set(tokens, (counts.get(tokens) ?? 0) + 1);
  if (counts.size === 0) return [];
  const parts = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([tokens, count]) => `${formatTokens(tokens)} in ${formatNumberOf(count, "session")}`);
  return [`real windows, tokens: ${parts.join(", ")}; why each: --html, --markdown`];
}

/** A percentage that shows its direction. */
export function signedPercent(percent: number | null): string {
  return percent !== null && percent > 0 ? `+${formatPercent(percent)}` : formatPercent(percent);
}

function sizes(percents: readonly (number | null)[]): readonly number[] {
  return percents.flatMap((percent) => (percent === null ? [] : [Math.abs(percent)])).toSorted((a, b) => a - b);
}

function middle(sorted: readonly number[]): number | null {
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

function isBeyond(percent: number): boolean {
  return percent > DOLLAR_BAR_PERCENT;
}
