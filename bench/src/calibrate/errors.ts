import { maximumOf, meanOf, quantileOf } from "../statistics.ts";
import type { PredictedCall } from "./predict-calls.ts";

/** A call whose error is taken: its report, and the prediction's two figures. */
export interface JudgedCall extends Pick<PredictedCall, "reportedTokens"> {
  readonly prediction: Pick<PredictedCall["prediction"], "expectedTokens" | "upperTokens">;
}

/** Errors of predicted prompt sizes, in percent of the reported size; `signedPercent` is the mean with its sign, the next four ignore signs. `null` without calls. */
export interface PredictionErrors {
  readonly calls: number;
  readonly signedPercent: number | null;
  readonly mapePercent: number | null;
  readonly p50Percent: number | null;
  readonly p95Percent: number | null;
  readonly maxPercent: number | null;
  readonly offByTwoPercentCount: number;
  readonly offByFivePercentCount: number;
  /** Share of calls, from 0 to 1, at or below their upper bound; then mean and median of bound less reported size, in percent of the reported size. */
  readonly coverageRatio: number | null;
  readonly marginPercent: number | null;
  readonly marginP50Percent: number | null;
}

/** Compares predicted with reported prompt sizes, in percent of the reported ones. Without calls all figures but the counts are `null`. */
export function errorsOf(calls: readonly JudgedCall[]): PredictionErrors {
  const aboveBy = (size: keyof JudgedCall["prediction"]) =>
    calls.map(({ prediction, reportedTokens }) => (100 * (prediction[size] - reportedTokens)) / reportedTokens);
  const [signed, margins] = [aboveBy("expectedTokens"), aboveBy("upperTokens")];
  const percents = signed.map(Math.abs);
  return {
    calls: signed.length,
    signedPercent: meanOf(signed),
    mapePercent: meanOf(percents),
    p50Percent: quantileOf(percents, 0.5),
    p95Percent: quantileOf(percents, 0.95),
    maxPercent: maximumOf(percents),
    offByTwoPercentCount: percents.filter((percent) => percent > 2).length,
    offByFivePercentCount: percents.filter((percent) => percent > 5).length,
    coverageRatio: signed.length === 0 ? null : margins.filter((margin) => margin >= 0).length / signed.length,
    marginPercent: meanOf(margins),
    marginP50Percent: quantileOf(margins, 0.5),
  };
}
