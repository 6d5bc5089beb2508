import { maximumOf, meanOf, quantileOf } from "../statistics.ts";
import type { MeasuredCalls } from "./measure-epoch.ts";
import { sizedMessages } from "./message-sizes.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/**
 * The model's error on calls that it was not fitted on: fitted on the even calls of each epoch (its first call included),
 * scored on the odd ones. A held-out difference is seen only as part of the sum of two.
 */
export function heldOutError(
  calls: readonly RecordedCall[],
  measure: (reportOf: (call: RecordedCall) => number | null) => MeasuredCalls,
): SizeJudgeError {
  const heldOut = oddCalls(calls);
  if (heldOut.size === 0) return { heldOutCalls: 0, mapePercent: null, medianPercent: null, maxPercent: null };
  const measured = measure((call) => (heldOut.has(call.index) ? null : call.reportedTokens));
  const errorsPercent: number[] = [];
  const { sizes } = measured;
  const view = sizedMessages({ messageTokens: (message, call) => sizes.at(message, call) ?? 0, resizedAt: sizes.resizedAt });
  for (const call of calls) {
    if (call.epochStart !== null) view.clear();
    view.take(call.index, call.newMessages);
    if (!heldOut.has(call.index) || call.reportedTokens === null) continue;
    const predicted = view.tokens() + (measured.recordedAccounts[call.index] ?? 0);
    errorsPercent.push((100 * Math.abs(predicted - call.reportedTokens)) / call.reportedTokens);
  }
  return {
    heldOutCalls: errorsPercent.length,
    mapePercent: meanOf(errorsPercent),
    medianPercent: quantileOf(errorsPercent, 0.5),
    maxPercent: maximumOf(errorsPercent),
  };
}

function oddCalls(calls: readonly RecordedCall[]): ReadonlySet<number> {
  const odd = new Set<number>();
  let position = 0;
  for (const call of calls) {
    if (call.epochStart !== null) position = 0;
    if (call.reportedTokens === null) continue;
    if (position % 2 === 1) odd.add(call.index);
    position += 1;
  }
  return odd;
}

/** Error of the size model on calls that it was not fitted on, in percent of the reported prompt. */
export interface SizeJudgeError {
  readonly heldOutCalls: number;
  readonly mapePercent: number | null;
  readonly medianPercent: number | null;
  readonly maxPercent: number | null;
}
