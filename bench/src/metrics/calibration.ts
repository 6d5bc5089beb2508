import type { CalibrationMetrics } from "../results.ts";
import type { Metric } from "./metric.ts";
import { maximumOf, meanOf, quantileOf } from "./quantile.ts";

/**
 * The policy's estimator against what was reported, over all calls with a report but the session's first: what the log does
 * not show of the overhead is told to the engine, and the first report is where that figure comes from.
 */
export function createCalibration(): Metric<CalibrationMetrics> {
  const signedPercents: number[] = [];
  let estimator = "";
  return {
    add: (sent) => {
      estimator = sent.prediction.basis;
      const reportedTokens = sent.recorded.usage.input.totalTokens;
      if (sent.call === 0 || reportedTokens === null || reportedTokens <= 0) return;
      signedPercents.push((100 * (sent.prediction.expectedTokens - reportedTokens)) / reportedTokens);
    },
    result: () => {
      const percents = signedPercents.map(Math.abs);
      return {
        estimator,
        calls: percents.length,
        signedPercent: meanOf(signedPercents),
        mapePercent: meanOf(percents),
        p50Percent: quantileOf(percents, 0.5),
        p95Percent: quantileOf(percents, 0.95),
        p99Percent: quantileOf(percents, 0.99),
        maxPercent: maximumOf(percents),
      };
    },
  };
}
