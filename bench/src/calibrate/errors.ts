import { maximumOf, meanOf, quantileOf } from "../statistics.ts";
import type { PredictedCall } from "./predict-calls.ts";

/** A call whose error is taken: its report, and the prediction's two figures. */
export interface JudgedCall extends Pick<PredictedCall, "reportedTokens"> {
  readonly prediction: Pick<PredictedCall["prediction"], "expectedTokens" | "upperTokens">;
}

/** How far predictions were from what was reported, in percent of it. */
export interface PredictionErrors {
  readonly calls: number;
  readonly signedPercent: number | null;
  readonly mapePercent: number | null;
  readonly p50Percent: number | null;
  readonly p95Percent: number | null;
  readonly maxPercent: number | null;
  readonly offByTwoPercentCount: number;
  readonly offByFivePercentCount: number;
  /** Share of calls at or below their upper bound, and how far the bound lay above what was reported. */
  readonly coverageRatio: number | null;
  readonly marginPercent: number | null;
  readonly marginP50Percent: number | null;
}

/** Percent by which a prediction lay above what was reported; below is negative. */
export function signedPercentOf({ prediction, reportedTokens }: JudgedCall): number {
  return (100 * (prediction.expectedTokens - reportedTokens)) / reportedTokens;
}

/** Percent by which a prediction's upper bound lay above what was reported. */
function marginPercentOf({ prediction, reportedTokens }: JudgedCall): number {
  return (100 * (prediction.upperTokens - reportedTokens)) / reportedTokens;
}

/** Errors of the predicted prompt sizes of these calls, in percent of the reported sizes. */
export function errorsOf(calls: readonly JudgedCall[]): PredictionErrors {
  return errorsOfPercents({ signed: calls.map(signedPercentOf), margins: calls.map(marginPercentOf) });
}

/** Of calls, by how much each prediction and each bound lay above what was reported. */
interface ErrorPercents {
  readonly signed: readonly number[];
  readonly margins: readonly number[];
}

/** The errors of calls of which nothing but these is held. */
function errorsOfPercents({ signed, margins }: ErrorPercents): PredictionErrors {
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
