import type { Cutter } from "./span.ts";
import { prefixEnd, suffixStart } from "./span.ts";

/** A long line: as much of its head as of its tail, cut between characters. */
export const cutMiddle: Cutter = ({ text, roomBytes }) => [
  { start: 0, end: prefixEnd(text, Math.ceil(roomBytes / 2)) },
  { start: suffixStart(text, Math.floor(roomBytes / 2)), end: text.length },
];
