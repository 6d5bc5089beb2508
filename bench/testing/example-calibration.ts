import type { CalibrationRecord, MethodRecord } from "../src/calibrate/calibration-record.ts";
import { errorsOf } from "../src/calibrate/errors.ts";
import type { PredictedCall } from "../src/calibrate/predict-calls.ts";

const MODEL_ID = "example-model-1";
const FIRST_TOKENS = 9_000;
const GROWTH_TOKENS = 640;

/** A record with plausible figures of two methods: one that is 30 % low, and one that misses its bound at every 50th call. */
export function exampleCalibration(session: string, calls: number): CalibrationRecord {
  const reported = Array.from({ length: calls }, (_, call) => FIRST_TOKENS + call * GROWTH_TOKENS);
  return {
    session,
    format: "example",
    prompts: reported.map((reportedTokens, call) => ({
      modelId: MODEL_ID,
      kind: call === 0 ? "first" : call % 60 === 0 ? "after-cut" : "calm",
      reportedTokens,
    })),
    methods: [
      methodRecord("chars/4", reported, () => ({ expected: 0.7, upper: 0.7 })),
      methodRecord("ledger", reported, (call) => ({
        expected: 1 + ((call % 5) - 2) / 1_000,
        upper: call % 50 === 49 ? 0.97 : 1.01,
      })),
    ],
  };
}

function methodRecord(
  method: string,
  reported: readonly number[],
  ratiosAt: (call: number) => { readonly expected: number; readonly upper: number },
): MethodRecord {
  const expectedTokens = reported.map((tokens, call) => Math.round(tokens * ratiosAt(call).expected));
  const upperTokens = reported.map((tokens, call) => Math.round(tokens * ratiosAt(call).upper));
  const calls = reported.slice(1).map((reportedTokens, index): PredictedCall => {
    const call = index + 1;
    const [expected = 0, upper = 0] = [expectedTokens[call], upperTokens[call]];
    const parts = { reportedTokens: 0, estimatedTokens: expected, overheadTokens: 0, basis: method };
    return {
      file: method,
      call,
      modelId: MODEL_ID,
      reportedTokens,
      prediction: { expectedTokens: expected, upperTokens: upper, ...parts },
    };
  });
  const errors = errorsOf(calls);
  return { method, models: [{ modelId: MODEL_ID, errors, calm: errors }], expectedTokens, upperTokens };
}
