import { z } from "zod";
import type { KindSpec } from "../kind.ts";
import { defineEstimator, type EstimatorKind, type EstimatorParts, estimated, overheadPricing } from "./estimator.ts";
import { type MessageMeasure, wholeTokens } from "./measure.ts";

/** A length heuristic times a factor learned from reported usage by an exponential moving average. Effective tokens = floor(messages × factor) + overhead. */
export interface CalibratedEmaSpec {
  readonly kind: "calibrated-ema";
  /** The measure that is multiplied. */
  readonly of: KindSpec;
  /** Share of the newest ratio in the new factor. */
  readonly alphaRatio: number;
  readonly minimumFactor: number;
  readonly maximumFactor: number;
}

/** The kind of {@link CalibratedEmaSpec}. */
export const CALIBRATED_EMA: EstimatorKind = defineEstimator<CalibratedEmaSpec>({
  kind: "calibrated-ema",
  schema: (measure) =>
    z.strictObject({
      kind: z.literal("calibrated-ema"),
      of: measure.describe("The measure that is corrected."),
      alphaRatio: z.number().min(0).max(1).describe("The weight of the newest report."),
      minimumFactor: z.number().positive().describe("The smallest correction."),
      maximumFactor: z.number().positive().describe("The largest correction."),
    }),
  create: (spec, { measureOf }) => calibrated(spec, measureOf(spec.of)),
});

function calibrated(spec: CalibratedEmaSpec, measure: MessageMeasure): EstimatorParts {
  const name = `calibrated-ema(${measure.name})`;
  const overheadTokensOf = overheadPricing(measure);
  return {
    name,
    measure,
    scaleRatio: (ledger) => ledger.factor,
    messageTokens: (message, ledger) => measure.messageTokens(message) * ledger.factor,
    observe: (ledger, entry, overhead) => {
      const actualTokens = entry.usage.input.totalTokens;
      if (actualTokens === null) return ledger;
      const estimatedTokens = ledger.estimatedTokens + overheadTokensOf(overhead);
      return { ...ledger, factor: nextFactor(ledger.factor, actualTokens, estimatedTokens, spec) };
    },
    predict: (ledger, overhead) =>
      estimated(name, wholeTokens(ledger.estimatedTokens * ledger.factor), overheadTokensOf(overhead)),
  };
}

/** The factor after one more report: `clamp((1 − α) × factor + α × actual / estimated)`. A report or an estimate of zero leaves it as it was. */
export function nextFactor(factor: number, actualTokens: number, estimatedTokens: number, spec: CalibratedEmaSpec): number {
  if (actualTokens <= 0 || estimatedTokens <= 0) return factor;
  const next = (1 - spec.alphaRatio) * factor + spec.alphaRatio * (actualTokens / estimatedTokens);
  return Math.min(spec.maximumFactor, Math.max(spec.minimumFactor, next));
}
