import { cutMiddle } from "./cut-middle.ts";
import type { Cutter } from "./span.ts";
import { headEnd } from "./span.ts";

/** Search hits, best first: the leading ones that fit, each whole. Where not even the first one fits, its head and tail. */
export const cutMatchList: Cutter = (input) => {
  const end = headEnd(input.text, { bytes: input.roomBytes, lines: Number.POSITIVE_INFINITY, cutsLongLine: false });
  return end === 0 ? cutMiddle(input) : [{ start: 0, end }];
};
