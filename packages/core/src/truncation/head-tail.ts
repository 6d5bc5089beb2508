import { utf8Bytes } from "../text.ts";
import { errorLines } from "./error-lines.ts";
import type { Cutter, CutterInput, Span } from "./span.ts";
import { headEnd, tailStart } from "./span.ts";

/** Lines of command output that are kept at most (sven's document, "Layer 4"). */
const HEAD_LINES = 60;
const TAIL_LINES = 40;

/** The part of the room that exit codes and error lines between head and tail may take; chosen. */
const ERROR_SHARE_RATIO = 0.25;

/**
 * Command output: the first 60 and last 40 lines or as many of them as fit, half of the room each, and of what lies between them
 * the exit code and error lines that fit into a quarter of the room. A line longer than its side's room keeps what fits.
 */
export const cutHeadTail: Cutter = (input) => {
  const errorBytes = Math.floor(input.roomBytes * ERROR_SHARE_RATIO);
  const [head, tail] = sides(input, input.roomBytes - errorBytes);
  const middle = { start: head.end, end: tail.start };
  const errors = errorLines(input.text, middle, { roomBytes: errorBytes, gapBytes: input.gapBytes });
  const usedBytes = errors.reduce((bytes, line) => bytes + lineBytes(input, line), 0);
  const [widerHead, widerTail] = sides(input, input.roomBytes - usedBytes);
  const between = errors.filter((line) => line.start >= widerHead.end && line.end <= widerTail.start);
  return joined([widerHead, ...between, widerTail]);
};

function sides({ text }: CutterInput, roomBytes: number): readonly [Span, Span] {
  const head = headEnd(text, { bytes: Math.floor(roomBytes / 2), lines: HEAD_LINES, cutsLongLine: true });
  const leftBytes = roomBytes - utf8Bytes(text.slice(0, head));
  const tail = tailStart(text, { bytes: leftBytes, lines: TAIL_LINES, cutsLongLine: true });
  return [
    { start: 0, end: head },
    { start: tail, end: text.length },
  ];
}

function lineBytes({ text, gapBytes }: CutterInput, line: Span): number {
  return utf8Bytes(text.slice(line.start, line.end)) + gapBytes;
}

/** Spans that touch become one; empty ones go. */
function joined(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    const before = result.at(-1);
    if (span.start === span.end) continue;
    if (before?.end === span.start) result[result.length - 1] = { start: before.start, end: span.end };
    else result.push(span);
  }
  return result;
}
