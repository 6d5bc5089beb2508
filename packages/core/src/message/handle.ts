import type { MessageSpan } from "../entry.ts";
import { shortHash } from "../text.ts";

/** The part that a handle names. */
export interface PartHandle {
  readonly messageId: string;
  readonly partIndex: number;
}

/**
 * The handle of one part of a logged message: the message's id and, past the first part, `#` and its index. No two parts of any ids share one. A
 * character of the id that is not a letter, digit or plain mark is written as `%` and its code unit, so that a handle is one word on one line.
 */
export function partHandle(messageId: string, partIndex: number): string {
  return partIndex === 0 ? written(messageId) : `${written(messageId)}#${partIndex}`;
}

/** The handle of a span of logged messages: its first and last message ids with `..` between them. */
export function spanHandle(span: MessageSpan): string {
  return `${written(span.from)}..${written(span.through)}`;
}

/** The message id and part index that a handle names; a text that {@link partHandle} does not write is read as older versions wrote it. */
export function parseHandle(handle: string): PartHandle {
  return writtenPart(handle) ?? olderPart(handle);
}

/**
 * All possible readings of a handle, the likeliest first: this version's form, and then those of older versions, which took ids unchanged. Only the
 * log can decide between readings of an older form.
 */
export function handleReadings(handle: string): readonly (PartHandle | MessageSpan)[] {
  const span = writtenSpan(handle);
  const part = span === null ? writtenPart(handle) : null;
  return [
    ...[part, span].filter((reading) => reading !== null),
    { messageId: handle, partIndex: 0 },
    olderPart(handle),
    ...olderSpans(handle),
  ];
}

/** The beginning of an artifact's handle; a message's handle never begins so. */
const ARTIFACT_BEGINNING = /^artifact:/;

/** Marks that may be in a handle unchanged. A dot may if it has no dot next to it, and neither begins nor ends the id. */
const UNPLAIN = /[^A-Za-z0-9_:/@+=~$!&*,.-]|\.(?=\.|$)|(?<=^|\.)\./g;

/** The empty id, which nothing else is written as: a percent sign is followed by digits. */
const EMPTY = "%";

/** Most ids: nothing of them is written in another way. */
const PLAIN_ID = /^[A-Za-z0-9_/@+=~$!&*,-]+$/;

function written(id: string): string {
  if (id === "") return EMPTY;
  if (PLAIN_ID.test(id)) return id;
  const plain = id.replaceAll(UNPLAIN, codeOf);
  return ARTIFACT_BEGINNING.test(plain) ? plain.replace(":", codeOf) : plain;
}

function codeOf(unit: string): string {
  const code = unit.charCodeAt(0);
  const digits = code.toString(16).toUpperCase();
  return code > 0xff ? `%u${digits.padStart(4, "0")}` : `%${digits.padStart(2, "0")}`;
}

const CODES = /%(?:u[0-9A-F]{4}|[0-9A-F]{2})/g;

/** The id that is written like this; `null` for a text that no id is written as. */
function readId(text: string): string | null {
  if (text === EMPTY) return "";
  const id = text.replaceAll(CODES, (code) => String.fromCharCode(Number.parseInt(code.slice(code[1] === "u" ? 2 : 1), 16)));
  return id !== "" && written(id) === text ? id : null;
}

const INDEX = /^[1-9]\d{0,14}$/;

function writtenPart(handle: string): PartHandle | null {
  const at = handle.indexOf("#");
  const messageId = readId(at < 0 ? handle : handle.slice(0, at));
  if (messageId === null) return null;
  if (at < 0) return { messageId, partIndex: 0 };
  const index = handle.slice(at + 1);
  return INDEX.test(index) ? { messageId, partIndex: Number(index) } : null;
}

function writtenSpan(handle: string): MessageSpan | null {
  const at = handle.indexOf("..");
  if (at < 0) return null;
  const [from, through] = [readId(handle.slice(0, at)), readId(handle.slice(at + 2))];
  return from === null || through === null ? null : { from, through };
}

function olderPart(handle: string): PartHandle {
  const at = handle.lastIndexOf("#");
  const index = at < 0 ? "" : handle.slice(at + 1);
  return INDEX.test(index) ? { messageId: handle.slice(0, at), partIndex: Number(index) } : { messageId: handle, partIndex: 0 };
}

/** Places at which an older span's handle is taken apart at most, so that reading one is linear; chosen, ids with dots have one or two. */
const MOST_SPLITS = 8;

function olderSpans(handle: string): readonly MessageSpan[] {
  const spans: MessageSpan[] = [];
  let at = handle.indexOf("..", 1);
  while (at > 0 && spans.length < MOST_SPLITS) {
    spans.push({ from: handle.slice(0, at), through: handle.slice(at + 2) });
    at = handle.indexOf("..", at + 1);
  }
  return spans;
}

/** Characters of the shortest word, or end of an id, that is taken for a handle; chosen: some four billion of a hash. */
const SHORTEST_CHARS = 8;

/** Characters of a word that are shown; chosen: among 20,000 messages two have the same in one of 5,000 logs. */
const SHOWN_CHARS = 10;

/** A letter for each digit of a hash: all words of a length measure the same, which digits among letters do not, and none reads as a number. */
const LETTERS = "bcdfghjklmnpqrst";

/** The word that shows an id, in any form of its source: a hash of it in letters, or itself if that is shorter. */
function wordOf(id: string): string {
  return id.length < SHORTEST_CHARS ? id : Array.from(shortHash(id), (digit) => LETTERS[Number.parseInt(digit, 16)]).join("");
}

/** True if `given` is the handle, or 8 characters or more of its word (or, as older versions wrote, of its id's end or beginning); a part's mark (`#1`) must be given, too. */
export function isHandleMeant(handle: string, given: string): boolean {
  if (handle === given) return true;
  const [[id = "", part], [piece = "", givenPart]] = [handle.split("#"), given.split("#")];
  if (part !== givenPart || piece.length < SHORTEST_CHARS) return false;
  return id.endsWith(piece) || id.startsWith(piece) || wordOf(id).startsWith(piece);
}

/** The handle as a context shows it, so short that a model can repeat it: the beginning of its id's word. */
export function shortHandle(handle: string): string {
  const [id = "", ...part] = handle.split("#");
  return [wordOf(id).slice(0, SHOWN_CHARS), ...part].join("#");
}
