import { MOST_BYTES_PER_UNIT, prefixEnd, utf8Bytes } from "../text.ts";
import { type Cutter, type CutterInput, lineStartAtOrAfter, type Span } from "./span.ts";

/** How surely a line is a diagnosis: it only names a place or holds a word of failure, it reports a failure, or it says how a program ended or where it failed. */
type Weight = 1 | 2 | 3;

interface Diagnosis extends Span {
  readonly weight: Weight;
  /** How many lines of the same shape come before it. */
  readonly repeats: number;
}

/** How a program says that it ended badly. */
const ENDED =
  /\b(?:exit(?:ed|s)?(?: with)?(?: a)?[ _-]?(?:code|status|value)\b|exited (?:with )?[1-9]|returned non-zero|terminated by signal|core dumped)/i;

/** Names of error types of all languages, and the words with which tools begin or report a failure. Words by themselves are not sure: they only weigh. */
const FAILED =
  /[a-z](?:Error|Exception|Failure|Fault)\b|\b(?:errors?|err!|fail(?:s|ed|ing|ures?)?|exceptions?|traceback|panic(?:ked)?|fatal|abort(?:ed|ing)?|assert(?:ion)?|segfault|undefined reference|unresolved|not ok|not found|no such|denied|refused|rejected|cannot|can't|could not|couldn't|unable to|unexpected|invalid|illegal|corrupt(?:ed)?|timed out|timeout|killed|out of memory|no space left|deadlock|conflicts?)\b|^\s*(?:E {2,}|[✗✘✖❌×] ?)/iu;

/** Failure inside a name, as in `error_count` or `onFailure`: often code and no diagnosis. */
const NAMED = /error|fail|exception|fatal|panic/i;

/** A place in a source: `src/a.ts:12`, `a.ts(12,3)`, `File "a.py", line 12`. */
const PLACE = /[\w)\]]\.[A-Za-z]\w{0,9}["')\]]?(?::\d|\(\d+[,)]|, line \d)|\bline \d+\b.{0,40}\bcol/;

/** Characters kept around a sign in a line that is too long to be a message; chosen. */
const AROUND_CHARS = 200;

/** Longer lines are data: of them only the text around the first signs is kept; chosen. */
const LONGEST_LINE_CHARS = 600;

/** Signs that are looked for in one long line; chosen. */
const MOST_IN_LINE = 8;

/** The part of the room that diagnoses may take; chosen: a command's last output matters as well. */
const MOST_RATIO = 0.6;

/** Lines of one shape that come before the first of a weaker kind; chosen. */
const FIRST_REPEATS = 2;

/** If more of the lines than this are only places (hits of a search, a file with addresses), the text consists of places; chosen. */
const MOST_PLACES_RATIO = 0.3;

/**
 * A cutter that keeps the lines of another one, and of the rest the lines that look like a diagnosis, the surest and the first of each shape before their
 * repetitions: in a part of the room at most. Linear.
 */
export function keepingDiagnoses(cut: Cutter, mostRatio: number = MOST_RATIO): Cutter {
  return (input) => {
    const found = diagnosesIn(input.text);
    if (found.length === 0) return cut(input);
    const most = Math.floor(input.roomBytes * mostRatio);
    const chosen = affordable(found, { ...input, roomBytes: most });
    const beside = cut({ ...input, roomBytes: input.roomBytes - costBytes(chosen, input) });
    const wider = cut({ ...input, roomBytes: input.roomBytes - costBytes(outside(chosen, beside), input) });
    return joined([...wider, ...outside(chosen, wider)], input.gapBytes);
  };
}

/** How many lines of a text look like a diagnosis. */
export function diagnosisCount(text: string): number {
  return diagnosesIn(text).length;
}

function diagnosesIn(text: string): readonly Diagnosis[] {
  const seen = new Map<string, number>();
  const found: Diagnosis[] = [];
  let lines = 0;
  for (let start = 0; start < text.length; lines++) {
    const end = lineStartAtOrAfter(text, start + 1);
    for (const { weight, ...span } of signsOf(text, { start, end })) {
      const shape = text
        .slice(span.start, span.end)
        .replaceAll(/\d+|\b[\da-f]{7,}\b/g, "0")
        .trim();
      const repeats = seen.get(shape) ?? 0;
      seen.set(shape, repeats + 1);
      found.push({ ...span, weight, repeats });
    }
    start = end;
  }
  const places = found.filter(({ weight }) => weight === 1).length;
  return places > lines * MOST_PLACES_RATIO ? found.filter(({ weight }) => weight > 1) : found;
}

function signsOf(text: string, { start, end }: Span): readonly (Span & { readonly weight: Weight })[] {
  const line = text.slice(start, end);
  if (line.length <= LONGEST_LINE_CHARS) {
    const weight = weightOf(line);
    return weight === null ? [] : [{ start, end, weight }];
  }
  const sign = new RegExp(`${ENDED.source}|${FAILED.source}`, "giu");
  const around: (Span & { readonly weight: Weight })[] = [];
  for (let match = sign.exec(line); match !== null && around.length < MOST_IN_LINE; match = sign.exec(line)) {
    const from = Math.max(0, match.index - AROUND_CHARS / 2);
    const until = Math.min(line.length, match.index + AROUND_CHARS);
    around.push({ start: start + from, end: start + until, weight: 2 });
    sign.lastIndex = until;
  }
  return around;
}

function weightOf(line: string): Weight | null {
  if (ENDED.test(line)) return 3;
  const hasPlace = PLACE.test(line);
  if (FAILED.test(line)) return hasPlace ? 3 : 2;
  return hasPlace || NAMED.test(line) ? 1 : null;
}

/** All of them if they fit; else the surest and least repeated that do, the surest of all cut to the room. In the order of the text. */
function affordable(found: readonly Diagnosis[], room: CutterInput): readonly Span[] {
  if (costBytes(found, room) <= room.roomBytes) return joined(found, room.gapBytes);
  const rank = ({ weight, repeats }: Diagnosis) => (repeats < FIRST_REPEATS ? 0 : 3) + (3 - weight);
  let leftBytes = room.roomBytes;
  const ranked = [...found].sort((a, b) => rank(a) - rank(b) || a.start - b.start);
  const taken = ranked.flatMap(({ start, end }, place) => {
    const span = { start, end: place > 0 ? end : start + prefixEnd(room.text.slice(start, end), leftBytes - room.gapBytes) };
    const bytes = costBytes([span], room);
    if (bytes > leftBytes) return [];
    leftBytes -= bytes;
    return [span];
  });
  return joined(taken, room.gapBytes);
}

/** UTF-8 bytes of the spans, with one gap for each run of them. */
function costBytes(spans: readonly Span[], { text, gapBytes }: CutterInput): number {
  return joined(spans, gapBytes).reduce((bytes, span) => bytes + utf8Bytes(text.slice(span.start, span.end)) + gapBytes, 0);
}

function outside(spans: readonly Span[], others: readonly Span[]): readonly Span[] {
  return others.reduce<readonly Span[]>(
    (parts, other) =>
      parts.flatMap((part) =>
        [
          { start: part.start, end: Math.min(part.end, other.start) },
          { start: Math.max(part.start, other.end), end: part.end },
        ].filter(({ start, end }) => start < end),
      ),
    spans,
  );
}

/** Spans in the order of the text; those that touch or overlap become one, and those with less between them than a notice of a gap takes (UTF-16 units); empty ones go. */
export function joined(spans: readonly Span[], gapUnits = 0): readonly Span[] {
  const result: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const before = result.at(-1);
    if (span.start >= span.end) continue;
    if (before !== undefined && before.end + Math.floor(gapUnits / MOST_BYTES_PER_UNIT) >= span.start)
      result[result.length - 1] = { start: before.start, end: Math.max(before.end, span.end) };
    else result.push({ start: span.start, end: span.end });
  }
  return result;
}
