import type { PredictedCall } from "./predict-calls.ts";

/** One line a call, as a scorer reads it: what was reported, what was expected, and the upper bound, in tokens. */
export function predictionLines(calls: readonly PredictedCall[]): string {
  return calls
    .map(({ file, call, reportedTokens, prediction }) =>
      JSON.stringify({
        file,
        call,
        reported: reportedTokens,
        predictedExpected: prediction.expectedTokens,
        predictedUpper: prediction.upperTokens,
      }),
    )
    .map((line) => `${line}\n`)
    .join("");
}
