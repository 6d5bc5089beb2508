import { BUILT_IN_ESTIMATORS, encodingsUsed } from "../tokens/built-in-estimators.ts";
import type { EstimatorKind } from "../tokens/estimator.ts";
import type { Policy } from "./policy.ts";

/**
 * The encodings that a policy counts by, each once: what its runner has to give tokenizers for. `kinds` are the estimators that are there.
 *
 * @throws PlimsollError `bad-policy` for an estimator that is not there.
 */
export function encodingsOf(
  { estimator, cutEstimator }: Pick<Policy, "estimator" | "cutEstimator">,
  kinds: readonly EstimatorKind[] = BUILT_IN_ESTIMATORS,
): readonly string[] {
  return encodingsUsed(cutEstimator === null ? [estimator] : [estimator, cutEstimator], kinds);
}
