import { utf8Bytes } from "../text.ts";
import type { Span } from "./span.ts";
import { lineStartAtOrAfter } from "./span.ts";

/** How a program says how it ended, in lower case. */
const EXIT_WORDS = ["exit code", "exit status", "exited with", "exit_code"] as const;

/** What error lines say, in lower case; chosen from the output of compilers, test runners and shells. */
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

/** More of them are a list of errors, whose beginning tells what it is; chosen. */
const MAXIMUM_LINES = 12;

/**
 * The whole lines of a span that state an exit code or an error, in order: exit codes first in what they may take, then the
 * earliest errors. Each line is paid with the gap before it. One pass over the span.
 */
export function errorLines(
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

/** The lines that begin and end within the span, their line ends included. */
function* wholeLines(text: string, within: Span): Generator<Span> {
  let start = lineStartAtOrAfter(text, within.start);
  while (start < within.end) {
    const end = lineStartAtOrAfter(text, start + 1);
    if (end > within.end) return;
    yield { start, end };
    start = end;
  }
}
