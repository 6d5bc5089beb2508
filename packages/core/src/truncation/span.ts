import { prefixEnd, suffixStart } from "../text.ts";
import type { OutputCategory } from "../tool.ts";

/** A piece of a text, by UTF-16 index; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Chooses the spans that one category keeps of a text, in order, without touching. */
export type Cutter = (input: CutterInput) => readonly Span[];

/** How output of one category is cut: a value, so that a tool can bring a category of its own. */
export interface Truncation {
  readonly category: OutputCategory;
  readonly cut: Cutter;
}

/** How a policy cuts a tool result before it enters the history. */
export interface TruncationPolicy {
  /** The most one result takes: four UTF-8 bytes a token. 0 cuts nothing. */
  readonly capTokens: number;
  /** `diagnoses`: lines with an error, an exit status or a place in a source stay, in every category. Absent in the documented systems. */
  readonly keeps?: "diagnoses" | undefined;
}

/** A text that is too long, and how many bytes of it may be kept. */
export interface CutterInput {
  readonly text: string;
  /** UTF-8 bytes that the kept spans may take together, one gap between them being paid already. */
  readonly roomBytes: number;
  /** UTF-8 bytes that each further gap takes. */
  readonly gapBytes: number;
}

/** A side of a text within a number of bytes: whole lines, at most so many, or a cut inside a line. */
export interface SideLimit {
  readonly bytes: number;
  readonly lines: number;
  /** Whether to cut inside a line if whole lines would leave more than half of the bytes unused. */
  readonly cutsLongLine: boolean;
}

/** Where the head of a text ends. Reads no more than the bytes it may keep, and the lines. */
export function headEnd(text: string, limit: SideLimit): number {
  const byBytes = prefixEnd(text, limit.bytes);
  const byLines = lineStartAtOrBefore(text, byBytes);
  const isHalfEmpty = byLines === 0 || prefixEnd(text, Math.floor(limit.bytes / 2)) > byLines;
  const end = limit.cutsLongLine && isHalfEmpty ? byBytes : byLines;
  return Math.min(end, endOfLines(text, limit.lines));
}

/** Where the tail of a text starts; the mirror of {@link headEnd}. */
export function tailStart(text: string, limit: SideLimit): number {
  const byBytes = suffixStart(text, limit.bytes);
  const byLines = lineStartAtOrAfter(text, byBytes);
  const isHalfEmpty = byLines === text.length || suffixStart(text, Math.floor(limit.bytes / 2)) < byLines;
  const start = limit.cutsLongLine && isHalfEmpty ? byBytes : byLines;
  return Math.max(start, startOfLastLines(text, limit.lines));
}

/** True if a line begins here, or the text ends. */
export function isLineStart(text: string, index: number): boolean {
  return index <= 0 || index >= text.length || text.charAt(index - 1) === "\n";
}

/** The nearest place at or before `index` where a line begins, or the text ends. */
export function lineStartAtOrBefore(text: string, index: number): number {
  return isLineStart(text, index) ? index : text.lastIndexOf("\n", index - 1) + 1;
}

/** The nearest place at or after `index` where a line begins, or the text ends. */
export function lineStartAtOrAfter(text: string, index: number): number {
  if (isLineStart(text, index)) return index;
  const newline = text.indexOf("\n", index);
  return newline < 0 ? text.length : newline + 1;
}

function endOfLines(text: string, lines: number): number {
  let end = 0;
  for (let count = 0; count < lines; count++) {
    const newline = text.indexOf("\n", end);
    if (newline < 0) return text.length;
    end = newline + 1;
  }
  return end;
}

function startOfLastLines(text: string, lines: number): number {
  let start = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let count = 0; count < lines; count++) {
    const newline = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
    if (newline < 0) return 0;
    start = newline;
  }
  return start + 1;
}

/** The largest cap at which the sizes, each cut to it, add up to no more than the room; 0 if even that is too much, and infinite if all fit. */
export function commonCap(sizes: readonly number[], room: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.max(0, Math.floor(share));
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
