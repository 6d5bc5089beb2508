import type { ExchangeFacts } from "@plimsoll/simulator";
import type { AfterFacts, CompactionFacts, SummaryFacts } from "./facts.ts";

/** The kind of requests for a summary, in every program's rules. */
export const SUMMARY = "summary";

/** A compaction in a list of exchanges: the main request before it, the requests for summaries, and the main request after it. */
export interface FoundCompaction {
  readonly before: ExchangeFacts;
  readonly summaries: readonly ExchangeFacts[];
  /** `null` if the session ended with the summary. */
  readonly after: ExchangeFacts | null;
}

/** A main request that lost so many items without a summary was cut by the program itself. Chosen: more than a moved reminder or two. */
const LOST_ITEMS = 4;

/** All compactions, in order. */
export function compactionsIn(exchanges: readonly ExchangeFacts[]): readonly FoundCompaction[] {
  const found: FoundCompaction[] = [];
  let before: ExchangeFacts | null = null;
  let summaries: readonly ExchangeFacts[] = [];
  for (const exchange of exchanges) {
    if (exchange.kind === SUMMARY) summaries = [...summaries, exchange];
    if (exchange.kind !== "main" || exchange.outcome === "rejected") continue;
    if (before !== null && (summaries.length > 0 || lostItems(exchange) >= LOST_ITEMS))
      found.push({ before, summaries, after: exchange });
    before = exchange;
    summaries = [];
  }
  if (before !== null && summaries.length > 0) found.push({ before, summaries, after: null });
  return found;
}

function lostItems({ sinceMain }: ExchangeFacts): number {
  if (sinceMain === null) return 0;
  return sinceMain.itemCount - Object.values(sinceMain.kept).reduce((sum, count) => sum + count, 0);
}

/** Tokens to the nearest hundred: a date or an id in a prompt moves less. */
export function rounded(tokens: number | null): number {
  return Math.round((tokens ?? 0) / ROUND_TOKENS) * ROUND_TOKENS;
}

const ROUND_TOKENS = 100;

/** The facts of the compactions that were followed by a request. */
export function compactionFacts(exchanges: readonly ExchangeFacts[]): readonly CompactionFacts[] {
  return compactionsIn(exchanges).flatMap((found) => {
    if (found.after === null) return [];
    const { index } = found.after;
    const said = exchanges.slice(0, index + 1).flatMap(({ person }) => person);
    return [factsOf(found, found.after, Math.max(-1, ...said) + 1)];
  });
}

function factsOf({ before, summaries }: FoundCompaction, after: ExchangeFacts, personCount: number): CompactionFacts {
  return {
    before: { tokens: rounded(before.promptTokens), items: before.itemCount },
    summaries: summaries.map((summary) => summaryFacts(summary, before)),
    after: afterFacts(after, personCount),
  };
}

function summaryFacts(summary: ExchangeFacts, before: ExchangeFacts): SummaryFacts {
  const { sinceMain } = summary;
  const changed = summary.toolCount === 0 && before.toolCount > 0 ? "dropped" : "changed";
  return {
    tokens: rounded(summary.promptTokens),
    tools: sinceMain?.sameTools === true ? "kept" : changed,
    system: sinceMain?.sameSystem === true ? "kept" : "changed",
    model: sinceMain?.sameModel === true ? "same" : "other",
    items: summary.itemCount,
    equalItems: sinceMain?.sharedItems ?? 0,
    cacheReadTokens: rounded(summary.cacheReadTokens),
  };
}

function afterFacts(after: ExchangeFacts, personCount: number): AfterFacts {
  return {
    tokens: rounded(after.promptTokens),
    items: after.itemCount,
    person: after.person,
    personCount,
    resultsKept: after.sinceMain?.kept.result ?? 0,
    filesPutBack: after.probes.filter((id) => id.startsWith("read")).length,
    cacheReadTokens: rounded(after.cacheReadTokens),
    constraints: after.probes,
  };
}
