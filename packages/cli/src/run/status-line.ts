import { formatTokens } from "@plimsoll/bench";
import type { Usage } from "@plimsoll/core";
import type { ContextUsage } from "@plimsoll/core/agent";

/** What the status line shows. */
export interface Status {
  readonly context: ContextUsage;
  /** Of the newest request; `null` before the first. */
  readonly usage: Usage | null;
  /** Of the session so far; `null` where prices are not known. */
  readonly usd: number | null;
}

const BAR_CELLS = 20;

/** One line: a bar, used / budget and / window, headroom, the next trigger, the newest prompt as reported, its cache share, dollars. */
export function statusLine({ context, usage, usd }: Status): string {
  const { usedTokens, inputBudgetTokens, windowTokens, headroomTokens, triggerTokens } = context;
  const pieces = [
    inputBudgetTokens === null
      ? ""
      : bar(usedTokens / inputBudgetTokens, triggerTokens === null ? null : triggerTokens / inputBudgetTokens),
    `${exact(usedTokens)}${inputBudgetTokens === null ? "" : ` / ${formatTokens(inputBudgetTokens)}`}`,
    windowTokens === null ? "window unknown" : `window ${formatTokens(windowTokens)}`,
    headroomTokens === null ? "" : `headroom ${formatTokens(Math.round(headroomTokens))}`,
    triggerTokens === null ? "compaction off" : `compacts at ${formatTokens(Math.round(triggerTokens))}`,
    usage?.input.totalTokens == null ? "" : `sent ${exact(usage.input.totalTokens)}`,
    cacheShare(usage),
    usd === null ? "" : `$${usd.toFixed(4)}`,
  ];
  return pieces.filter((piece) => piece !== "").join(" · ");
}

function exact(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}

/** Cells of the budget: used ones full, the one with the trigger marked. */
function bar(usedRatio: number, triggerRatio: number | null): string {
  const full = Math.max(0, Math.min(BAR_CELLS, Math.round(usedRatio * BAR_CELLS)));
  const mark = triggerRatio === null ? -1 : Math.min(BAR_CELLS - 1, Math.floor(triggerRatio * BAR_CELLS));
  const cells = Array.from({ length: BAR_CELLS }, (_, index) => (index < full ? "█" : index === mark ? "┊" : "░"));
  return `[${cells.join("")}]`;
}

function cacheShare(usage: Usage | null): string {
  const total = usage?.input.totalTokens ?? null;
  const read = usage?.input.cacheReadTokens ?? null;
  return total === null || read === null || total === 0 ? "" : `cache ${Math.round((100 * read) / total)}%`;
}
