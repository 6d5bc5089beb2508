import { PI_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { modelPriors } from "@plimsoll/providers";
import { byEstimator, type Method } from "./predict-calls.ts";

/** The common heuristic: one token for every four UTF-16 units, rounded up, and 1,200 tokens for an image. */
export const CHARS_PER_FOUR: Extract<Policy["estimator"], { readonly kind: "chars-per-token" }> = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf16-units",
  rounding: "ceil",
  perMessageTokens: 0,
  minimumMessageTokens: 0,
  imageTokens: 1200,
};

const CHARS_PER_THREE: Extract<Policy["estimator"], { readonly kind: "chars-per-token" }> = {
  ...CHARS_PER_FOUR,
  charsPerToken: 3,
};

/** The methods that a calibration compares: common heuristics first, Plimsoll's own ledger last. */
export const CALIBRATED_METHODS: readonly Method[] = [
  { name: "chars/4", predict: byEstimator(CHARS_PER_FOUR) },
  { name: "char-class", predict: byEstimator({ kind: "char-class" }) },
  { name: "sven", predict: byEstimator(SVEN_POLICY.estimator) },
  { name: "last usage + chars/4 (pi)", predict: byEstimator(PI_POLICY.estimator) },
  {
    name: "last usage + chars/3",
    predict: byEstimator({ kind: "usage-anchored", of: CHARS_PER_THREE, anchor: "prompt-and-reply" }),
  },
  { name: "ledger, no priors", predict: byEstimator({ kind: "ledger" }) },
  { name: "ledger", predict: byEstimator({ kind: "ledger" }, { priors: modelPriors }) },
];
