import type { ModelPrices, SessionEntry, Usage } from "@plimsoll/core";
import { usageDollars } from "./usage-dollars.ts";

/** What a session's requests cost so far, and the newest one's usage. */
export interface Spending {
  readonly usage: Usage | null;
  /** `null` where a price or a size is not known. */
  readonly usd: number | null;
}

/** The spending of a log. Each entry is looked at once as long as the log only grows. */
export function createSpending(prices: ModelPrices | null): (entries: readonly SessionEntry[]) => Spending {
  let seenCount = 0;
  let usage: Usage | null = null;
  let usd = prices === null ? null : 0;
  const add = (spent: Usage) => {
    const dollars = usageDollars(spent, prices);
    usd = usd === null || dollars === null ? null : usd + dollars;
  };
  return (entries) => {
    for (const entry of entries.slice(seenCount)) {
      seenCount += 1;
      if (entry.type === "usage") {
        usage = entry.usage;
        add(entry.usage);
      }
      if (entry.type !== "compaction") continue;
      for (const edit of entry.edits) if (edit.kind === "summarize" && edit.usage !== null) add(edit.usage);
    }
    return { usage, usd };
  };
}
