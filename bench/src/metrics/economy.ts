import { z } from "zod";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import { meanOf, summed, weightedMean } from "../statistics.ts";
import { inTable, type Metric, type Recorder } from "./metric.ts";

/** The cost of the session in tokens. */
export interface EconomyMetrics {
  readonly compactions: number;
  readonly failedCompactions: number;
  readonly promptTokens: number;
  readonly peakPromptTokens: number;
  readonly messagesRemoved: number;
  /** Margin spent: the share of the input budget that was still free when a compaction was made, on average, by the policy's measure. */
  readonly marginSpentRatio: number | null;
}

const count = z.int().nonnegative();

const NONE = { compactions: 0, failedCompactions: 0, promptTokens: 0, messagesRemoved: 0 };

/** Size: prompts, and the compactions that made them smaller. Pooled they are sums; the peak is the largest, the margin weighs by compactions. */
export const ECONOMY: Metric<"economy", EconomyMetrics, EconomyMetrics, Exclude<keyof EconomyMetrics, "messagesRemoved">> = {
  id: "economy",
  schema: z.strictObject({
    compactions: count,
    failedCompactions: count,
    promptTokens: z.number(),
    peakPromptTokens: z.number(),
    messagesRemoved: count,
    marginSpentRatio: z.number().nullable(),
  }),
  measure: createEconomy,
  pool: ({ results }) => ({
    ...summed(
      NONE,
      results.map(({ peakPromptTokens: _, marginSpentRatio: __, ...counts }) => counts),
    ),
    peakPromptTokens: results.reduce((peak, { peakPromptTokens }) => Math.max(peak, peakPromptTokens), 0),
    marginSpentRatio: weightedMean(
      results.map(({ marginSpentRatio, compactions }) => ({ value: marginSpentRatio, weight: compactions })),
    ),
  }),
  figures: {
    promptTokens: {
      unit: "tokens",
      better: "lower",
      method: "Sum of all requests by the size model.",
      caveat: "Tokens are not dollars: a prompt cache reads most of them at a tenth of the price. Must be read with retention.",
      value: ({ promptTokens }) => promptTokens,
      format: "tokens",
      columns: [inTable("requests", "tokens", "of prompts"), inTable("chart", "tokens", "of prompts")],
    },
    peakPromptTokens: {
      unit: "tokens",
      better: "neither",
      method: "The largest charged request.",
      caveat: "A lost request counts with its recorded size.",
      value: ({ peakPromptTokens }) => peakPromptTokens,
      format: "tokens",
      columns: [inTable("requests", "tokens", "largest prompt"), inTable("chart", "tokens", "largest prompt")],
    },
    compactions: {
      unit: "compactions",
      better: "neither",
      method: "Planned reductions of the history, if carried out.",
      caveat: "Many small ones may cost less or more than few large ones; the dollars show which.",
      value: ({ compactions }) => compactions,
      format: "count",
      columns: [inTable("requests", "compactions", "all"), inTable("chart", "requests", "compactions")],
    },
    marginSpentRatio: {
      unit: "% of the input budget",
      better: "lower",
      method: "Mean share of the input budget still free at a compaction, by the policy's own measure.",
      caveat: "A policy with a wrong measure sees a wrong margin.",
      value: ({ marginSpentRatio }) => (marginSpentRatio === null ? null : 100 * marginSpentRatio),
      format: "percent",
      columns: [inTable("requests", "compactions", "unused budget, %")],
    },
    failedCompactions: {
      unit: "attempts",
      better: "lower",
      method: "Attempts that changed nothing and were undone.",
      caveat: "The digest that writes the summaries here does not fail; a model may.",
      value: ({ failedCompactions }) => failedCompactions,
      format: "count",
      columns: [inTable("requests", "compactions", "failed")],
    },
  },
};

/** Adds up the session's cost in tokens. Lost calls are charged as recorded; the peak is that of the sent requests. */
function createEconomy(): Recorder<EconomyMetrics, ReplayedCall> {
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
