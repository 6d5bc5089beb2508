import type { Policy } from "@plimsoll/core";
import { type CacheRules, type ModelPrices, outputUsd, promptUsd } from "@plimsoll/providers";
import { SUMMARY_REPLY_TOKENS } from "../economics/summary-charge.ts";
import type { SessionDescription } from "../open/session-description.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { recordedUsdText } from "../show/validity.ts";

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
  /** Whether `usd` covers every call (`whole`), or calls without a price are missing. */
  readonly usdIs: SessionDescription["recordedUsdIs"];
  /** US dollars of the compactions, modelled: their summaries, and filling the prompt cache anew. `null` if no model has a price. */
  readonly compactionUsd: number | null;
  /** The compactions that `compactionUsd` is of. */
  readonly pricedCompactions: number;
  /** Passages that later replies needed and that compaction had removed. */
  readonly neededLater: number;
}

/** The prices of compactions. */
export interface CompactionPricing {
  readonly pricesOf: (modelId: string, atMs: number | null) => ModelPrices | null;
  readonly cacheRulesOf: (modelId: string) => CacheRules;
  /** Whether the agent asks for a summary behind its cached conversation, or sends the history as a new text. */
  readonly request: Policy["summary"]["request"];
}

/** Estimates the cost of the recorded compactions from the rows of `recorded`. Each summary's reply is charged a fixed length, as recordings do not report it. */
export function recordedCost(report: Pick<BenchReport, "rows" | "sessions">, pricing: CompactionPricing): RecordedCost {
  const rows = report.rows.filter(({ policy, metrics }) => policy === "recorded" && metrics !== null);
  const described = new Map(report.sessions.map((session) => [session.session, session]));
  const compacted = rows.filter(({ compactions }) => compactions.length > 0);
  const usds = rows.map((row) => compactionsUsd(row, described.get(row.session), pricing));
  return {
    sessions: report.sessions.filter(({ parentSession }) => parentSession === null).length,
    compactions: sum(rows.map(({ compactions }) => compactions.length)),
    compactedSessions: compacted.length,
    usd: sumOfKnown(report.sessions.map(({ recordedUsd }) => recordedUsd)),
    usdText: recordedUsdText(report.sessions),
    promptTokens: sum(report.sessions.map(({ sumReportedPromptTokens }) => sumReportedPromptTokens)),
    usdIs: report.sessions.every(({ recordedUsdIs }) => recordedUsdIs === "whole") ? "whole" : "a-part",
    compactionUsd: sumOfKnown(usds),
    pricedCompactions: sum(rows.map(({ compactions }, place) => (usds[place] === null ? 0 : compactions.length))),
    neededLater: sum(compacted.flatMap(({ compactions }) => compactions.map(({ neededLater }) => neededLater))),
  };
}

/** Each compaction sends the prompt before it and gets a summary, and the next prompt finds nothing of its own in the cache. */
function compactionsUsd(
  row: ReplayRow,
  { modelIds = [], startedMs = null }: Partial<SessionDescription> = {},
  pricing: CompactionPricing,
): number | null {
  const modelId = modelIds.find((id) => pricing.pricesOf(id, startedMs) !== null);
  const prices = modelId === undefined ? null : pricing.pricesOf(modelId, startedMs);
  if (prices === null) return null;
  const rules = pricing.cacheRulesOf(modelId ?? "");
  const sizes = new Map(row.series.map(({ call, promptTokens }) => [call, promptTokens]));
  const parts = row.compactions.map(({ call, tokensBefore }) => {
    const beforeTokens = sizes.get(call - 1) ?? tokensBefore ?? 0;
    return compactionSpend(beforeTokens, sizes.get(call) ?? 0, { prices, rules, isCached: pricing.request === "prefix" });
  });
  return sum(parts);
}

/** The US dollars (0 without prices) of one compaction: its summary, and the next prompt, which finds nothing in the cache. */
export function compactionSpend(
  beforeTokens: number,
  afterTokens: number,
  { prices, rules, isCached }: { readonly prices: ModelPrices | null; readonly rules: CacheRules; readonly isCached: boolean },
): number {
  if (prices === null) return 0;
  const nothing = { readTokens: 0, writeTokens: 0, uncachedTokens: 0 };
  const asked = { ...nothing, [isCached ? "readTokens" : "uncachedTokens"]: beforeTokens, state: "first" as const };
  const anew = { ...nothing, writeTokens: afterTokens, state: "broken" as const };
  const read = { ...nothing, readTokens: afterTokens, state: "warm" as const };
  return (
    promptUsd(asked, prices, rules) +
    outputUsd(SUMMARY_REPLY_TOKENS, beforeTokens, prices) +
    promptUsd(anew, prices, rules) -
    promptUsd(read, prices, rules)
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function sumOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : sum(known);
}
