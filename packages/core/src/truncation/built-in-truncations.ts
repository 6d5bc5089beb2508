import { utf8Bytes } from "../text.ts";
import type { OutputCategory } from "../tool.ts";
import { cutHeadTail } from "./head-tail.ts";
import { type Cutter, headEnd, prefixEnd, suffixStart, type Truncation, tailStart } from "./span.ts";

const ALL_LINES = Number.POSITIVE_INFINITY;

/** A long line: as much of its head as of its tail, cut between characters. */
const cutMiddle: Cutter = ({ text, roomBytes }) => [
  { start: 0, end: prefixEnd(text, Math.ceil(roomBytes / 2)) },
  { start: suffixStart(text, Math.floor(roomBytes / 2)), end: text.length },
];

/** Search hits, best first: the leading ones that fit, each whole. If not even the first one fits, its head and tail. */
const cutMatchList: Cutter = (input) => {
  const end = headEnd(input.text, { bytes: input.roomBytes, lines: ALL_LINES, cutsLongLine: false });
  return end === 0 ? cutMiddle(input) : [{ start: 0, end }];
};

/** Text of a file: its head and tail, half of the room each, in whole lines but for lines longer than that. */
const cutFileContent: Cutter = ({ text, roomBytes }) => {
  const head = headEnd(text, { bytes: Math.floor(roomBytes / 2), lines: ALL_LINES, cutsLongLine: true });
  const leftBytes = roomBytes - utf8Bytes(text.slice(0, head));
  const tail = tailStart(text, { bytes: leftBytes, lines: ALL_LINES, cutsLongLine: true });
  return [
    { start: 0, end: head },
    { start: tail, end: text.length },
  ];
};

/**
 * Any other output: its beginning, up to the end of a line nearest to the end of the room. If whole lines would leave more than
 * half of the room unused, because one line is long, it keeps the head and the tail.
 */
const cutGeneric: Cutter = (input) => {
  const end = headEnd(input.text, { bytes: input.roomBytes, lines: ALL_LINES, cutsLongLine: false });
  return end < prefixEnd(input.text, Math.floor(input.roomBytes / 2)) ? cutMiddle(input) : [{ start: 0, end }];
};

/** The truncations that come with this package, one for each category that it knows. */
export const BUILT_IN_TRUNCATIONS: readonly Truncation[] = [
  { category: "head-tail", cut: cutHeadTail },
  { category: "match-list", cut: cutMatchList },
  { category: "file-content", cut: cutFileContent },
  { category: "generic", cut: cutGeneric },
];

/** How a category is cut; one that none of these truncations is for is cut as generic output. */
export function cutterFor(category: OutputCategory, truncations: readonly Truncation[]): Cutter {
  return truncations.find((each) => each.category === category)?.cut ?? cutGeneric;
}
