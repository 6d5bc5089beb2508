import { utf8Bytes } from "../text.ts";
import type { Cutter } from "./span.ts";
import { headEnd, tailStart } from "./span.ts";

/** Text of a file: its head and tail, half of the room each, in whole lines but for lines longer than that. */
export const cutFileContent: Cutter = ({ text, roomBytes }) => {
  const lines = Number.POSITIVE_INFINITY;
  const head = headEnd(text, { bytes: Math.floor(roomBytes / 2), lines, cutsLongLine: true });
  const leftBytes = roomBytes - utf8Bytes(text.slice(0, head));
  const tail = tailStart(text, { bytes: leftBytes, lines, cutsLongLine: true });
  return [
    { start: 0, end: head },
    { start: tail, end: text.length },
  ];
};
