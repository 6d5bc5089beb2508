import { cutMiddle } from "./cut-middle.ts";
import type { Cutter } from "./span.ts";
import { headEnd, prefixEnd } from "./span.ts";

/**
 * Any other output: its beginning, up to the line boundary next to the end of the room. Where whole lines would leave more than
 * half of the room unused, a long line stands in the way: then the head and the tail.
 */
export const cutGeneric: Cutter = (input) => {
  const end = headEnd(input.text, { bytes: input.roomBytes, lines: Number.POSITIVE_INFINITY, cutsLongLine: false });
  return end < prefixEnd(input.text, Math.floor(input.roomBytes / 2)) ? cutMiddle(input) : [{ start: 0, end }];
};
