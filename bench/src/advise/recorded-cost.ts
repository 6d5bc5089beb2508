import type { Usage } from "@plimsoll/core";
import { type CacheRules, type ModelPrices, outputUsd, promptUsd } from "@plimsoll/providers";
import { unreportedSummary } from "../economics/summary-charge.ts";
import type { SummaryRequestKind } from "../formats/summary-requests.ts";
import { isCleared } from "../judge/standing.ts";
import type { SessionDescription } from "../open/session-description.ts";
import type { SessionFacts } from "../open/session-facts.ts";
import type { BenchReport } from "../results.ts";
import { recordedUsdText } from "../show/validity.ts";
import { sumOf } from "../statistics.ts";

/** The work and cost of compaction in recorded sessions, as the agent ran. */
export interface RecordedCost {
  /** Number of sessions, sub-agents' not counted. */
  readonly sessions: number;
  readonly compactions: number;
  readonly compactedSessions: number;
  /** US dollars of all requests, by list prices of their reported usage; `null` if nothing could be priced. */
  readonly usd: number | null;
  /** The same in words, beside dollars that logs state by themselves; `null` if there are none. */
  readonly usdText: string | null;
  readonly promptTokens: number;
  /** Whether `usd` covers every call (`whole`), or calls without a price, or summaries that the log lacks, are missing. */
  readonly usdIs: SessionDescription["recordedUsdIs"];
  /** US dollars of the compactions, modelled: their summaries, and filling the prompt cache anew. `null` if no model has a price. */
  readonly compactionUsd: number | null;
  /** The compactions that `compactionUsd` is of. */
  readonly pricedCompactions: number;
  /** Removed lines that the agent read again. */
  readonly neededLater: number;
}

/** The dollars of a session's compactions, by its log's reports: of their summaries, which most logs do not bill, and of the prompt cache that they lost. */
export interface CompactionDollars {
  readonly facts: Pick<SessionFacts, "session">;
  readonly summaries: SummaryRequestKind;
  readonly summariesUsd: number;
  readonly lostCacheUsd: number;
  readonly pricedCompactions: number;
}

/** Adds up the cost of recorded sessions. Their compactions are the rows of `recorded`; dollars of these come from the logs, whatever the settings are now. */
export function recordedCost(
  report: Pick<BenchReport, "rows" | "sessions">,
  counted: readonly CompactionDollars[],
): RecordedCost {
  const rows = report.rows.filter(({ policy, metrics }) => policy === "recorded" && metrics !== null);
  const all = rows.flatMap(({ compactions }) => compactions);
  const cuts = rows.map(({ compactions }) => compactions.filter((each) => !isCleared(each)));
  const own = counted.filter(({ facts }) => report.sessions.some(({ session }) => session === facts.session));
  const isWhole = own.every(({ summaries, summariesUsd }) => summaries === "logged" || summariesUsd === 0);
  const billed = report.sessions.map((each) => (isWhole ? each : { ...each, recordedUsdIs: "a-part" as const }));
  const known = report.sessions.flatMap(({ recordedUsd }) => recordedUsd ?? []);
  const pricedCompactions = sumOf(own, (each) => each.pricedCompactions);
  return {
    sessions: report.sessions.filter(({ parentSession }) => parentSession === null).length,
    compactions: sumOf(cuts, ({ length }) => length),
    compactedSessions: cuts.filter(({ length }) => length > 0).length,
    usd: known.length === 0 ? null : sumOf(known, (usd) => usd),
    usdText: recordedUsdText(billed),
    promptTokens: sumOf(report.sessions, ({ sumReportedPromptTokens }) => sumReportedPromptTokens),
    usdIs: billed.every(({ recordedUsdIs }) => recordedUsdIs === "whole") ? "whole" : "a-part",
    compactionUsd: pricedCompactions === 0 ? null : sumOf(own, ({ summariesUsd, lostCacheUsd }) => summariesUsd + lostCacheUsd),
    pricedCompactions,
    neededLater: sumOf(all, ({ neededLater }) => neededLater),
  };
}

/** The assumed price of the prompts of an agent's summaries, in words. */
export const summaryPrice = (kind: SummaryRequestKind): string =>
  kind === "cached" ? "from the cache" : "at full input price";

/**
 * The US dollars (0 without prices) of one compaction: its summary, estimated (`isCached` is `null` without one), and the part of the next prompt that
 * the vendor did not read from the cache: all of it if the report does not say.
 */
export function compactionSpend(
  beforeTokens: number,
  next: Pick<Usage["input"], "totalTokens" | "cacheReadTokens">,
  about: { readonly prices: ModelPrices | null; readonly rules: CacheRules; readonly isCached: boolean | null },
): Record<"summaryUsd" | "lostCacheUsd", number> {
  const { prices, rules, isCached } = about;
  if (prices === null) return { summaryUsd: 0, lostCacheUsd: 0 };
  const nothing = { readTokens: 0, writeTokens: 0, uncachedTokens: 0 };
  const { use, replyTokens } = unreportedSummary(beforeTokens, isCached ? "cached" : "anew");
  const anewTokens = Math.max(0, (next.totalTokens ?? 0) - (next.cacheReadTokens ?? 0));
  const anew = { ...nothing, writeTokens: anewTokens, state: "broken" as const };
  const read = { ...nothing, readTokens: anewTokens, state: "warm" as const };
  const summaryUsd = promptUsd(use, prices, rules) + outputUsd(replyTokens, beforeTokens, prices);
  const lostCacheUsd = promptUsd(anew, prices, rules) - promptUsd(read, prices, rules);
  return { summaryUsd: isCached === null ? 0 : summaryUsd, lostCacheUsd };
}
