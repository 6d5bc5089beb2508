import type { ContextUsage } from "@plimsoll/agent";
import { formatCount, formatTokens, shareTexts, sumOf } from "@plimsoll/bench/extend";
import { COLUMNS, drawTable, shortened, wrapped } from "@plimsoll/bench/terminal";
import type { Context, Policy, SessionOptions } from "@plimsoll/core";
import { createEstimator, createWorkCounter } from "@plimsoll/core/extend";
import { messageShares } from "@plimsoll/providers/proxy";

interface ContextShare {
  readonly what: string;
  readonly count: number;
  readonly tokens: number;
}

/** How a context is measured: by its policy, with tokenizers if that counts by a byte-pair encoding. */
export interface ShareMeasure {
  readonly policy: Policy;
  readonly tokenizers?: NonNullable<SessionOptions["tokenizers"]>;
  /** The expected size of the next request: the shares are scaled so that they add up to it. Left out, they are as measured. */
  readonly expected?: Pick<ContextUsage, "usedTokens" | "overheadTokens" | "estimator">;
  /** True if the agent sends files beside the log's messages, after a compaction. */
  readonly hasFilesBack?: boolean;
}

/** The shares of a context, largest first. Tokens of a message are spread over its parts by their length. */
function contextShares(context: Context, { policy, tokenizers = {} }: ShareMeasure): readonly ContextShare[] {
  const { measure } = createEstimator(policy.estimator, createWorkCounter(), { tokenizers });
  const shares = new Map<string, { count: number; tokens: number }>();
  const add = (what: string, tokens: number, count = 1) => {
    const share = shares.get(what) ?? { count: 0, tokens: 0 };
    shares.set(what, { count: share.count + count, tokens: share.tokens + tokens });
  };
  if (context.system !== "") add("system", measure.textTokens(context.system));
  if (context.tools.length > 0) add("tools", measure.toolsTokens(context.tools));
  for (const message of context.messages)
    for (const { what, tokens, count } of messageShares(message, measure.messageTokens)) add(what, tokens, count);
  return [...shares].map(([what, share]) => ({ what, ...share })).sort((a, b) => b.tokens - a.tokens);
}

/** Longest name of a kind in a table of 80 columns. */
const WHAT_CHARS = 52;

/** The shares as a table with their total, and how they were measured below it. */
export function contextTable(context: Context, by: ShareMeasure, columns: number): string {
  const shares = sharesOf(context, by);
  if (shares.length === 0) return "The context is empty.";
  const percents = shareTexts(shares, tokensOf, 0);
  const row = (what: string, count: number, tokens: number, share = "100%") => [
    shortened(what, WHAT_CHARS + columns - COLUMNS),
    count === 0 ? "" : formatCount(count),
    formatTokens(tokens),
    share,
  ];
  const rows = shares.map(({ what, count, tokens }, place) => row(what, count, tokens, percents[place]));
  const parts = sumOf(shares, ({ count }) => count);
  const head = [["content", "count", "tokens", "share"].map((content) => ({ content, align: "right" }) as const)];
  const all = row("all", parts, sumOf(shares, tokensOf));
  const table = drawTable({ head, rows: [...rows, all], leftColumns: [0] }, columns);
  return [table, ...wrapped(measuredHow(by))].join("\n");
}

/** The shares of a context, scaled to the expected size if there is one: the parts before the messages to its overhead, the messages to the rest. An overhead that the context lacks is a share of its own. */
export function sharesOf(context: Context, by: ShareMeasure): readonly ContextShare[] {
  const shares = contextShares(context, by);
  if (by.expected === undefined || shares.length === 0) return shares;
  const { usedTokens, overheadTokens } = by.expected;
  const isOverhead = ({ what }: ContextShare) => what === "system" || what === "tools";
  const measured = sumOf(shares.filter(isOverhead), tokensOf);
  // Reports may explain the whole request by its messages: what is sent beside them is not nothing.
  const overhead = overheadTokens > 0 ? overheadTokens : Math.min(measured, usedTokens);
  const overheadRatio = overhead / Math.max(1, measured);
  const messageRatio = (usedTokens - overhead) / Math.max(1, sumOf(shares, tokensOf) - measured);
  const scaled = shares.map((share) => ({
    ...share,
    tokens: share.tokens * (isOverhead(share) ? overheadRatio : messageRatio),
  }));
  const what = `not logged: system prompt${by.hasFilesBack === true ? ", tools, files put back" : " and tools"}`;
  const unlogged = measured > 0 || overhead < 1 ? [] : [{ what, count: 0, tokens: overhead }];
  return [...scaled, ...unlogged].sort((a, b) => b.tokens - a.tokens);
}

/** Says how shares were measured. */
export function measuredHow({ expected }: Pick<ShareMeasure, "expected">): string {
  if (expected === undefined) return "Tokens are uncalibrated estimates of the content that the log has.";
  const how = expected.estimator.startsWith("ledger") ? "Estimates" : `Sizes by ${expected.estimator}`;
  return `${how}, scaled to the expected size of the next request.`;
}

const tokensOf = ({ tokens }: ContextShare): number => tokens;
