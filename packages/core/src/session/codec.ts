import { entryIdOf, LOG_VERSION, type SessionEntry } from "../entry.ts";
import { isPlimsollError, PlimsollError } from "../error.ts";
import { isNestedDeeper, isRecord } from "../json.ts";
import { heldChars } from "../message/size.ts";
import { MOST_BYTES_PER_UNIT, utf8Bytes } from "../text.ts";
import { sessionEntrySchema } from "./entry-schema.ts";

/** The id that a request gets in a log if its provider gave none. */
export const UNNAMED_REQUEST = "unnamed";

/** A log as it was read: its entries, and a crash's remains of a last line. */
interface DecodedLog {
  readonly entries: readonly SessionEntry[];
  /** The part that was dropped at the end, from its first line on; `null` if nothing was. */
  readonly cutOff: { readonly line: number; readonly chars: number } | null;
}

/**
 * One line of the log, with its line break.
 *
 * @throws PlimsollError `session-limit` for an entry that is too long or nested too deeply to read again.
 */
export function encodeEntry(entry: SessionEntry): string {
  if (isValueNestedTooDeep(entry)) throw nestedTooDeep(placeOf(entry));
  const line = jsonLine(entry);
  if (line.length * MOST_BYTES_PER_UNIT > MAXIMUM_LINE_BYTES && utf8Bytes(line) > MAXIMUM_LINE_BYTES)
    throw lineTooLong(placeOf(entry));
  return line;
}

/** The tab that begins each line of a batch of entries but the last: the batch counts only if that one is there. The line stays the same JSON. */
export const MORE_FOLLOWS = "\t";

/** Bytes that one UTF-16 code unit takes at most in a line: an escape such as `\u0000`. */
const MOST_ESCAPED_BYTES = 6;

/**
 * Refuses an entry that {@link encodeEntry} would refuse, before it is folded. A message is written out only if its text is near the limit.
 *
 * @throws PlimsollError `session-limit`
 */
export function checkStorable(entry: SessionEntry): void {
  if (isValueNestedTooDeep(entry)) throw nestedTooDeep(placeOf(entry));
  // The text and the bytes of its images are nearly all that its line has.
  const chars = entry.type === "message" ? heldChars(entry.message) : Number.POSITIVE_INFINITY;
  if (chars * MOST_ESCAPED_BYTES > MAXIMUM_LINE_BYTES) encodeEntry(entry);
}

function jsonLine(entry: SessionEntry): string {
  try {
    return `${JSON.stringify(entry)}\n`;
  } catch (error) {
    // JSON that is longer than a string can be.
    throw error instanceof RangeError ? lineTooLong(placeOf(entry)) : error;
  }
}

function placeOf(entry: SessionEntry): string {
  return `entry ${entryIdOf(entry)}`;
}

/** Writes entries as a log in JSONL, one JSON object a line. */
export function encodeLog(entries: Iterable<SessionEntry>): string {
  let text = "";
  for (const entry of entries) text += encodeEntry(entry);
  return text;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/**
 * Reads one line of a log as an entry.
 *
 * @throws PlimsollError `bad-session` naming `file:line`, for text that is no JSON or no entry; `session-limit` for text that is nested too deep.
 */
export function decodeEntry(text: string, place: Place): SessionEntry {
  const where = `${place.file}:${place.line}`;
  const value = jsonOf(text, place, where);
  if (isNestedDeeper(text, MAXIMUM_NESTING_COUNT)) throw nestedTooDeep(where);
  const parsed = sessionEntrySchema.safeParse(inNewestForm(value));
  if (parsed.success) return parsed.data;
  const version = isRecord(value) && value.type === "session" ? value.version : null;
  const [issue] = parsed.error.issues;
  const at = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  const why =
    typeof version === "number" && version > LOG_VERSION
      ? `written by a newer version of this package (log version ${version}, this one reads up to ${LOG_VERSION}); update it to open the log`
      : `not a session entry${at}: ${issue?.message ?? "unknown shape"}; if a newer version of this package wrote it, update, else mend or remove this line`;
  throw new PlimsollError("bad-session", `${where}: ${why}`, { ...place });
}

function jsonOf(text: string, place: Place, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (isNestedDeeper(text, MAXIMUM_NESTING_COUNT)) throw nestedTooDeep(where);
    throw new PlimsollError("bad-session", `${where}: not JSON; repair or remove this line`, { ...place }, cause);
  }
}

/**
 * Reads the entries of a whole log. If a crash left the last batch incomplete (its last line is missing or cut off), that batch is dropped and reported in `cutOff`, else
 * `null`; empty lines are skipped.
 *
 * @throws PlimsollError `bad-session` naming `file:line` for any other bad line, `session-limit` for one that is nested too deep.
 */
export function decodeLog(text: string, file: string): DecodedLog {
  const entries: SessionEntry[] = [];
  let line = 0;
  let batch = { entries: 0, line: 1, start: 0 };
  const dropped = () => ({
    entries: entries.slice(0, batch.entries),
    cutOff: { line: batch.line, chars: text.length - batch.start },
  });
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const lineText = text.slice(start, end < 0 ? text.length : end);
    line += 1;
    start = end < 0 ? text.length : end + 1;
    if (lineText.trim() === "") continue;
    try {
      entries.push(decodeEntry(lineText, { file, line }));
    } catch (error) {
      if (end < 0 && isPlimsollError(error) && error.cause instanceof SyntaxError) return dropped();
      throw error;
    }
    if (!lineText.startsWith(MORE_FOLLOWS)) batch = { entries: entries.length, line: line + 1, start };
  }
  return batch.entries === entries.length ? { entries, cutOff: null } : dropped();
}

/** A line in the form that entries have now: older logs say `summarize` and `drop` of spans, and leave the id of a request empty that has none. All else, and malformed parts, are left for the schema to judge. */
function inNewestForm(line: unknown): unknown {
  if (!isRecord(line)) return line;
  if (line.type === "usage" && line.requestId === "") return { ...line, requestId: UNNAMED_REQUEST };
  if (line.type !== "compaction" || !Array.isArray(line.edits)) return line;
  return { ...line, edits: line.edits.map(editInNewestForm) };
}

/** The prompt that older versions named for a digest, which no model writes. */
const DIGEST_PROMPT_ID = "digest";

function editInNewestForm(edit: unknown): unknown {
  if (!isRecord(edit)) return edit;
  if (edit.kind === "summarize") {
    const spans = Array.isArray(edit.spans) ? edit.spans : [];
    const isDigest = spans.every((span) => isRecord(span) && span.promptId === DIGEST_PROMPT_ID);
    return { ...edit, kind: "replace-spans", by: isDigest && edit.usage === null ? "digest" : "summary" };
  }
  if (edit.kind === "drop") {
    const { from, through, notice, ...rest } = edit;
    const by = notice === null ? "nothing" : "notice";
    const spans = [{ from, through, promptId: null }];
    return { ...rest, kind: "replace-spans", spans, by, message: notice, usage: null };
  }
  return edit;
}

/**
 * Deepest nesting of objects and arrays in an entry. Recursive readers fail with a `RangeError` from about 1,500 levels on (a schema's own
 * JSON check, measured 2026-11 with node 20) or 4,000 (`JSON.stringify`). Vendors' data has fewer than 20.
 */
export const MAXIMUM_NESTING_COUNT = 1_000;

/** Longest line of a log, in bytes of UTF-8: half of the longest string that V8 makes (2^29 - 24 characters), eight times the largest request a vendor takes. */
export const MAXIMUM_LINE_BYTES: number = 256 * 1024 * 1024;

function nestedTooDeep(place: string): PlimsollError {
  const details = { limit: "nesting", maximum: MAXIMUM_NESTING_COUNT };
  return new PlimsollError("session-limit", `${place}: nested deeper than ${MAXIMUM_NESTING_COUNT} levels`, details);
}

/** The error for a line beyond {@link MAXIMUM_LINE_BYTES}. */
export function lineTooLong(place: string): PlimsollError {
  const details = { limit: "line-bytes", maximum: MAXIMUM_LINE_BYTES };
  return new PlimsollError("session-limit", `${place}: a line of more than ${MAXIMUM_LINE_BYTES} bytes`, details);
}

/** True if a value nests objects and arrays deeper than {@link MAXIMUM_NESTING_COUNT}. One pass, no recursion; a cycle is nested too deep. */
function isValueNestedTooDeep(value: unknown): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAXIMUM_NESTING_COUNT) return true;
    const below: object[] = [];
    for (const container of level) for (const item of Object.values(container)) if (isContainer(item)) below.push(item);
    level = below;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
