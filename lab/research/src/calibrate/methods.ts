import { CALIBRATED_METHODS, CHARS_PER_FOUR } from "@plimsoll/bench/extend";
import { plainLedger } from "./plain-ledger.ts";

/** True for the methods of others and for plain ledgers, the measure of ours. */
export function isBaseline({ name }: { readonly name: string }): boolean {
  return !name.startsWith("ledger");
}

/** The methods of `plimsoll calibrate`, and plain ledgers that learn a line from every report. Ours comes last. */
export const COMPARED_METHODS: typeof CALIBRATED_METHODS = [
  ...CALIBRATED_METHODS.filter(isBaseline),
  { name: "plain ledger, chars/4", predict: plainLedger(CHARS_PER_FOUR) },
  { name: "plain ledger, char-class", predict: plainLedger({ kind: "char-class" }) },
  ...CALIBRATED_METHODS.filter((method) => !isBaseline(method)),
];
