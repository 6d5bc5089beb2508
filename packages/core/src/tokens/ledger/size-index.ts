import type { Sequence } from "../../sequence.ts";
import type { MeasuredMessage } from "../ledger.ts";

/** Measured sizes by message id, the newest of each. */
export type SizesOf = (measured: Sequence<MeasuredMessage>) => ReadonlyMap<string, MeasuredMessage>;

/** A {@link SizesOf}: a sequence that goes on from the one before costs only its new messages, any other is read anew. */
export function sizeIndex(): SizesOf {
  const index: SizeIndex = { known: null, sizes: new Map() };
  return (measured) => sizesBy(index, measured);
}

/** The sizes of the newest sequence that was asked for. */
interface SizeIndex {
  known: Sequence<MeasuredMessage> | null;
  sizes: Map<string, MeasuredMessage>;
}

function sizesBy(index: SizeIndex, measured: Sequence<MeasuredMessage>): ReadonlyMap<string, MeasuredMessage> {
  const { known } = index;
  if (measured === known) return index.sizes;
  const seen = known === null ? 0 : known.size;
  const goesOn = known !== null && measured.size >= seen && measured.at(seen - 1) === known.at(seen - 1);
  if (!goesOn) index.sizes = new Map();
  for (const message of measured.slice(goesOn ? seen : 0)) index.sizes.set(message.id, message);
  index.known = measured;
  return index.sizes;
}
