import { PI_POLICY, SVEN_POLICY } from "@plimsoll/core";
import type { EstimatorSpec } from "@plimsoll/core/build";
import { modelPriors } from "@plimsoll/providers";
import { plainLedger } from "./plain-ledger.ts";
import { byEstimator, type Method } from "./predict-calls.ts";

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

const CHARS_PER_THREE = { ...CHARS_PER_FOUR, charsPerToken: 3 };

const CHAR_CLASSES = { kind: "char-class" } as const satisfies EstimatorSpec;

/** The field's methods, plain ledgers that learn a line from every report, and ours, which comes last. */
export const CALIBRATED_METHODS: readonly Method[] = [
  { name: "chars/4", predict: byEstimator(CHARS_PER_FOUR) },
  { name: "char-class", predict: byEstimator(CHAR_CLASSES) },
  { name: "sven", predict: byEstimator(SVEN_POLICY.estimator) },
  { name: "last usage + chars/4 (pi)", predict: byEstimator(PI_POLICY.estimator) },
  {
    name: "last usage + chars/3",
    predict: byEstimator({ kind: "usage-anchored", of: CHARS_PER_THREE, anchor: "prompt-and-reply" }),
  },
  { name: "plain ledger, chars/4", predict: plainLedger(CHARS_PER_FOUR) },
  { name: "plain ledger, char-class", predict: plainLedger(CHAR_CLASSES) },
  { name: "ledger, no priors", predict: byEstimator({ kind: "ledger" }) },
  { name: "ledger", predict: byEstimator({ kind: "ledger" }, { priors: modelPriors }) },
];

/** True for the methods of others: what ours is measured against. */
export function isBaseline(name: string): boolean {
  return !name.startsWith("ledger");
}
