import { prefixEnd, suffixStart, utf8Bytes } from "../text.ts";
import type { OutputCategory } from "../tool.ts";
import { joined } from "./diagnoses.ts";
import type { Cutter, Span, Truncation } from "./span.ts";
import { headEnd, lineStartAtOrAfter, tailStart } from "./span.ts";

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
const cutFileContent: Cutter = ({ text, roomBytes }) => sides(text, roomBytes, { head: ALL_LINES, tail: ALL_LINES });

/** Any other output: its beginning in whole lines, or head and tail if one long line would leave more than half of the room unused. */
const cutGeneric: Cutter = (input) => {
  const end = headEnd(input.text, { bytes: input.roomBytes, lines: ALL_LINES, cutsLongLine: false });
  return end < prefixEnd(input.text, Math.floor(input.roomBytes / 2)) ? cutMiddle(input) : [{ start: 0, end }];
};

/** Lines of command output that are kept at most (sven's document, "Layer 4"). */
const MOST_LINES = { head: 60, tail: 40 } as const;

/** The part of the room that exit codes and error lines between head and tail may take; chosen. */
const ERROR_SHARE_RATIO = 0.25;

/**
 * Command output: the first 60 and last 40 lines or as many of them as fit, half of the room each, and between them the exit code and error lines
 * that fit into a quarter of the room. A line longer than its side's room keeps the part that fits.
 */
const cutHeadTail: Cutter = (input) => {
  const errorBytes = Math.floor(input.roomBytes * ERROR_SHARE_RATIO);
  const [head, tail] = sides(input.text, input.roomBytes - errorBytes, MOST_LINES);
  const middle = { start: head.end, end: tail.start };
  const errors = errorLines(input.text, middle, { roomBytes: errorBytes, gapBytes: input.gapBytes });
  const usedBytes = errors.reduce(
    (bytes, { start, end }) => bytes + utf8Bytes(input.text.slice(start, end)) + input.gapBytes,
    0,
  );
  const [widerHead, widerTail] = sides(input.text, input.roomBytes - usedBytes, MOST_LINES);
  const between = errors.filter((line) => line.start >= widerHead.end && line.end <= widerTail.start);
  return joined([widerHead, ...between, widerTail]);
};

function sides(text: string, roomBytes: number, lines: Readonly<Record<"head" | "tail", number>>): readonly [Span, Span] {
  const head = headEnd(text, { bytes: Math.floor(roomBytes / 2), lines: lines.head, cutsLongLine: true });
  const leftBytes = roomBytes - utf8Bytes(text.slice(0, head));
  const tail = tailStart(text, { bytes: leftBytes, lines: lines.tail, cutsLongLine: true });
  return [
    { start: 0, end: head },
    { start: tail, end: text.length },
  ];
}

/** How a program says how it ended, in lower case. */
const EXIT_WORDS = ["exit code", "exit status", "exited with", "exit_code"] as const;

/** Words of error lines, in lower case; chosen from the output of compilers, test runners and shells. */
const ERROR_WORDS = [
  "error",
  "exception",
  "traceback",
  "panic",
  "fatal",
  "fail",
  "not found",
  "no such file",
  "denied",
  "cannot ",
] as const;

/** Longer lines are data, not messages; chosen. */
const MAXIMUM_LINE_CHARS = 400;

/** More of them are a list of errors, whose beginning shows its kind; chosen. */
const MAXIMUM_LINES = 12;

/** Whole lines that state an exit code or an error, in order: exit codes first in their room, then the earliest errors. Each is paid with the gap before it. */
function errorLines(
  text: string,
  within: Span,
  room: { readonly roomBytes: number; readonly gapBytes: number },
): readonly Span[] {
  const exits: Span[] = [];
  const errors: Span[] = [];
  for (const line of wholeLines(text, within)) {
    if (line.end - line.start > MAXIMUM_LINE_CHARS) continue;
    const lower = text.slice(line.start, line.end).toLowerCase();
    if (EXIT_WORDS.some((word) => lower.includes(word))) exits.push(line);
    else if (errors.length < MAXIMUM_LINES && ERROR_WORDS.some((word) => lower.includes(word))) errors.push(line);
  }
  let leftBytes = room.roomBytes;
  const taken = [...exits.slice(-1), ...errors].slice(0, MAXIMUM_LINES).filter((line) => {
    const bytes = utf8Bytes(text.slice(line.start, line.end)) + room.gapBytes;
    const fits = bytes <= leftBytes;
    if (fits) leftBytes -= bytes;
    return fits;
  });
  return taken.sort((a, b) => a.start - b.start);
}

function* wholeLines(text: string, within: Span): Generator<Span> {
  let start = lineStartAtOrAfter(text, within.start);
  while (start < within.end) {
    const end = lineStartAtOrAfter(text, start + 1);
    if (end > within.end) return;
    yield { start, end };
    start = end;
  }
}

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
