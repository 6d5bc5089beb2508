import { isHuman, type Message } from "../src/message/message.ts";

/** A turn that a cut falls into. */
export interface SplitTurn {
  /** Index of the turn's human message. */
  readonly startIndex: number;
  /** Messages of the turn before the cut, its human one among them. */
  readonly prefixMessages: number;
}

/** The turn that the cut splits; `null` if the first kept message is a human's, if nothing is kept, or if no turn has begun. */
export function splitTurnAt(messages: readonly Message[], cut: number): SplitTurn | null {
  const firstKept = messages[cut];
  if (firstKept === undefined || isHuman(firstKept)) return null;
  const startIndex = messages.slice(0, cut).findLastIndex(isHuman);
  return startIndex < 0 ? null : { startIndex, prefixMessages: cut - startIndex };
}
