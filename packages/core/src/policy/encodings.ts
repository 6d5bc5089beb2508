import type { EstimatorSpec } from "../tokens/estimator.ts";
import type { Policy } from "./policy.ts";

/** The encodings that a policy counts by, each once: what its runner has to give tokenizers for. */
export function encodingsOf({ estimator, cutEstimator }: Pick<Policy, "estimator" | "cutEstimator">): readonly string[] {
  const specs = cutEstimator === null ? [estimator] : [estimator, cutEstimator];
  return [...new Set(specs.flatMap(encodingOf))];
}

function encodingOf(spec: EstimatorSpec): readonly string[] {
  const measure = "of" in spec ? spec.of : spec;
  return measure.kind === "bpe" ? [measure.encoding] : [];
}
