import type { EconomyMetrics } from "../results.ts";
import type { Metric } from "./metric.ts";
import { meanOf } from "./quantile.ts";

/** What the session cost in tokens. Lost calls are charged as recorded; the peak is that of what was sent. */
export function createEconomy(): Metric<EconomyMetrics> {
  const total = { compactions: 0, failedCompactions: 0, promptTokens: 0, peakPromptTokens: 0, messagesRemoved: 0 };
  const marginRatios: number[] = [];
  return {
    add: (sent) => {
      total.compactions += sent.compactions.length;
      total.failedCompactions += sent.failedCompactions;
      total.promptTokens += sent.chargedTokens;
      total.peakPromptTokens = Math.max(total.peakPromptTokens, sent.chargedTokens);
      for (const { record } of sent.compactions) {
        total.messagesRemoved += Math.max(0, record.messagesBefore - record.messagesAfter);
        const { tokensBefore, budgetTokens } = record;
        if (tokensBefore !== null && budgetTokens !== null && budgetTokens > 0)
          marginRatios.push(Math.max(0, 1 - tokensBefore / budgetTokens));
      }
    },
    result: () => ({ ...total, marginSpentRatio: meanOf(marginRatios) }),
  };
}
