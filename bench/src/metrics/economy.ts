import type { EconomyMetrics } from "../results.ts";
import type { Metric } from "./metric.ts";

/** What the session cost in tokens. Lost calls are charged as recorded; the peak is that of what was sent. */
export function createEconomy(): Metric<EconomyMetrics> {
  const total = { compactions: 0, failedCompactions: 0, promptTokens: 0, peakPromptTokens: 0, messagesRemoved: 0 };
  return {
    add: (sent) => {
      total.compactions += sent.compactions.length;
      total.failedCompactions += sent.failedCompactions;
      total.promptTokens += sent.chargedTokens;
      total.peakPromptTokens = Math.max(total.peakPromptTokens, sent.chargedTokens);
      for (const { record } of sent.compactions)
        total.messagesRemoved += Math.max(0, record.messagesBefore - record.messagesAfter);
    },
    result: () => ({ ...total }),
  };
}
