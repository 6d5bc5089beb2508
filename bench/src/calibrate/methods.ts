import { type EstimatorSpec, PI_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { modelPriors } from "@plimsoll/providers";
import type { Method } from "./predict-calls.ts";

/** The field's heuristic alone, and what other methods are built on. */
const CHARS_PER_FOUR = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf16-units",
  rounding: "ceil",
  perMessageTokens: 0,
  minimumMessageTokens: 0,
  imageTokens: 1200,
} as const satisfies EstimatorSpec;

/** What is compared: the field's methods, and ours. */
export const CALIBRATED_METHODS: readonly Method[] = [
  { name: "chars/4", spec: CHARS_PER_FOUR },
  { name: "char-class", spec: { kind: "char-class" } },
  { name: "sven", spec: SVEN_POLICY.estimator },
  { name: "last usage + chars/4 (pi)", spec: PI_POLICY.estimator },
  {
    name: "last usage + chars/3",
    spec: { kind: "usage-anchored", of: { ...CHARS_PER_FOUR, charsPerToken: 3 }, anchor: "prompt-and-reply" },
  },
  { name: "ledger, no priors", spec: { kind: "ledger" } },
  { name: "ledger", spec: { kind: "ledger" }, priors: modelPriors },
];
