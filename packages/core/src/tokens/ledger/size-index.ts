import type { Sequence } from "../../sequence.ts";
import type { MeasuredMessage } from "../ledger.ts";

/** Measured sizes by message id, the newest of each. */
export type SizesOf = (measured: Sequence<MeasuredMessage>) => ReadonlyMap<string, MeasuredMessage>;

/** A {@link SizesOf}: a sequence that goes on from the one before costs only its new messages, any other is read anew. */
export function sizeIndex(): SizesOf {
  let known: Sequence<MeasuredMessage> | null = null;
  let sizes = new Map<string, MeasuredMessage>();
  return (measured) => {
    const seen = known === null ? 0 : known.size;
    const goesOn = known !== null && measured.size >= seen && measured.at(seen - 1) === known.at(seen - 1);
    if (!goesOn) sizes = new Map();
    for (const message of measured.slice(goesOn ? seen : 0)) sizes.set(message.id, message);
    known = measured;
    return sizes;
  };
}
