/** Version of the definition of a reference; figures of different versions are not compared. */
export const REFERENCES_VERSION = 1;

/**
 * The distinct references of a text, in order of first appearance: paths, identifiers that are no plain words, numbers of three
 * digits or more, hashes, URLs, long flags and quoted error texts. One pass: every character is looked at a fixed number of times.
 */
export function extractReferences(text: string): readonly Reference[] {
  const found = new Map<string, Reference>();
  createReferenceReader()(text, (reference) => {
    if (!found.has(reference.text)) found.set(reference.text, reference);
  });
  return [...found.values()];
}

/** Visits the references of texts, at each place again. It knows the pieces of the texts that it read before. */
export function createReferenceReader(): (text: string, visit: (reference: Reference) => void) => void {
  const pieces: KnownPieces = new Map();
  return (text, visit) => readReferences(text, pieces, visit);
}

type KnownPieces = Map<string, Reference | null>;

function readReferences(text: string, pieces: KnownPieces, visit: (reference: Reference) => void): void {
  const quotes = createQuoteReader(text);
  let index = 0;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (!isPieceUnit(unit)) {
      const quoted = isReadOfQuotes(unit) ? quotes.read(unit, index) : null;
      if (quoted !== null) visit(quoted);
      index += 1;
      continue;
    }
    const { end, isUrl } = readPiece(text, index);
    if (end - index <= MAXIMUM_REFERENCE_CHARS) {
      const piece = text.slice(index, end);
      const known = pieces.get(piece);
      const found = known === undefined ? classifyPiece(piece, isUrl) : known;
      if (known === undefined) pieces.set(piece, found);
      if (found !== null) visit(found);
    }
    index = end;
  }
}

/** The end of the piece that starts at `start`: a run of name and path characters, or a URL with its allowed characters. */
function readPiece(text: string, start: number): { readonly end: number; readonly isUrl: boolean } {
  let end = start + 1;
  while (end < text.length) {
    const unit = text.charCodeAt(end);
    if (unit === COLON) {
      if (text.startsWith("//", end + 1) && isAsciiLetter(text.charCodeAt(end - 1)))
        return { end: urlEnd(text, end + 3), isUrl: true };
      if (text.charCodeAt(end + 1) !== COLON || !isWordUnit(text.charCodeAt(end + 2))) break;
      end += 2;
    } else if (isPieceUnit(unit)) end += 1;
    else break;
  }
  return { end, isUrl: false };
}

function urlEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isUrlUnit(text.charCodeAt(end))) end += 1;
  return end;
}

const COLON = 0x3a;

function isPieceUnit(unit: number): boolean {
  return isWordUnit(unit) || isPieceEnding(unit);
}

/** Characters of names and paths in addition to those of words: `-`, `.`, `/`, `@` and `~`. At the end of a piece they are none of it. */
function isPieceEnding(unit: number): boolean {
  return unit === 0x2d || unit === 0x2e || unit === 0x2f || unit === 0x40 || unit === 0x7e;
}

/** Printable ASCII without quotes, brackets, backslash, caret, bar and backtick. */
function isUrlUnit(unit: number): boolean {
  return unit > 0x20 && unit < 0x7f && !URL_BREAKS.includes(String.fromCharCode(unit));
}

const URL_BREAKS = "\"'<>()[]{}\\^|`";

/** Shorter names are met by chance; chosen. */
const MINIMUM_NAME_CHARS = 4;
/** Numbers below 100 are met by chance; chosen. Three digits in a row, so that neither `9-10` nor `92.2` is one. */
const MINIMUM_DIGITS = 3;
/** The shortest commit name that git prints. */
const MINIMUM_HASH_CHARS = 7;

/** The reference that a run of name and path characters is, or `null` for plain words. A fixed number of passes over it. */
function classifyPiece(piece: string, isUrl: boolean): Reference | null {
  if (isUrl) return urlOf(trimEnd(piece, URL_ENDINGS));
  const text = trimEnd(piece, PIECE_ENDINGS);
  if (text.startsWith("--"))
    return text.length >= MINIMUM_NAME_CHARS && isAsciiLetter(text.charCodeAt(2)) ? { kind: "flag", text } : null;
  if (text.includes("/")) return pathOf(text);
  return nameOf(trimStart(text, NAME_BEGINNINGS));
}

const URL_ENDINGS = ".,:;!?*_~/";
const PIECE_ENDINGS = ".-/@~";
const NAME_BEGINNINGS = ".-@~";

function urlOf(text: string): Reference | null {
  return text.includes("://") ? { kind: "url", text } : null;
}

/** A path has a root, two slashes, or a segment that is no plain word; `and/or` and `application/json` are no paths. */
function pathOf(piece: string): Reference | null {
  const text = piece.startsWith("./") ? piece.slice(2) : piece;
  if (text.length < MINIMUM_NAME_CHARS || !hasUnit(text, isAsciiLetter)) return null;
  const isRooted = text.startsWith("/") || text.startsWith("~/") || text.startsWith("../");
  const isDeep = text.indexOf("/") !== text.lastIndexOf("/");
  const isMarked = hasUnit(text, (unit) => isDigit(unit) || unit === 0x2e || unit === 0x5f || unit === 0x2d || unit === 0x40);
  return isRooted || isDeep || isMarked ? { kind: "path", text } : null;
}

function nameOf(text: string): Reference | null {
  const shape = shapeOf(text);
  if (shape.letters === 0) return shape.digitsInARow >= MINIMUM_DIGITS ? { kind: "number", text } : null;
  if (shape.isHex && shape.digits > 0 && text.length >= MINIMUM_HASH_CHARS) return { kind: "hash", text };
  if (text.length < MINIMUM_NAME_CHARS) return null;
  const isDistinctive = shape.isSnake || shape.isCamel || shape.isDotted || shape.digits > 0;
  return isDistinctive ? { kind: "identifier", text } : null;
}

function shapeOf(text: string) {
  let letters = 0;
  let digits = 0;
  let run = 0;
  let digitsInARow = 0;
  let isHex = true;
  let isSnake = false;
  let isCamel = false;
  // `a.b` or `a::b`
  let isDotted = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const before = index === 0 ? 0 : text.charCodeAt(index - 1);
    run = isDigit(unit) ? run + 1 : 0;
    digitsInARow = Math.max(digitsInARow, run);
    if (isDigit(unit)) digits += 1;
    else if (isWordUnit(unit) && unit !== 0x5f) letters += 1;
    if (!isHexDigit(unit)) isHex = false;
    if (unit === 0x5f && index > 0 && index < text.length - 1) isSnake = true;
    if (isUpperCase(unit) && isLowerCase(before)) isCamel = true;
    if (isWordUnit(unit) && isWordUnit(text.charCodeAt(index - 2)) && before === 0x2e) isDotted = true;
    if (unit === 0x3a) isDotted = true;
  }
  return { letters, digits, digitsInARow, isHex, isSnake, isCamel, isDotted };
}

function hasUnit(text: string, test: (unit: number) => boolean): boolean {
  for (let index = 0; index < text.length; index++) if (test(text.charCodeAt(index))) return true;
  return false;
}

function trimEnd(text: string, units: string): string {
  let end = text.length;
  while (end > 0 && units.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function trimStart(text: string, units: string): string {
  let start = 0;
  while (start < text.length && units.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** Longer strings (encoded data, minified code) are no references: they are not recalled by name. Chosen. */
const MAXIMUM_REFERENCE_CHARS = 200;

/** A string that names something in particular, so that using it again takes having read it. */
export interface Reference {
  readonly kind: "path" | "identifier" | "number" | "hash" | "url" | "flag" | "quoted-error";
  readonly text: string;
}

/**
 * True for code units that words are made of: ASCII letters, digits, `_`, and letters of the alphabets up to U+1FFF. Scripts written without spaces
 * are not among them, so that a name inside a Chinese sentence is still a word of its own.
 */
function isWordUnit(unit: number): boolean {
  return isAsciiLetter(unit) || isDigit(unit) || unit === 0x5f || (unit >= 0xc0 && unit <= 0x1fff);
}

/** True for `0` to `9`. */
export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isAsciiLetter(unit: number): boolean {
  return isLowerCase(unit) || isUpperCase(unit);
}

function isLowerCase(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

function isUpperCase(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}

function isHexDigit(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x61 && unit <= 0x66) || (unit >= 0x41 && unit <= 0x46);
}

/** True if `start … end` does not begin or end inside a longer word: the place is the string itself and not a part of another name or number. */
export function standsAlone(text: string, start: number, end: number): boolean {
  if (!beginsAlone(text, start)) return false;
  return end >= text.length || !isWordUnit(text.charCodeAt(end - 1)) || !isWordUnit(text.charCodeAt(end));
}

/** True if the string at `start` does not begin inside a longer word. */
export function beginsAlone(text: string, start: number): boolean {
  return start === 0 || !isWordUnit(text.charCodeAt(start)) || !isWordUnit(text.charCodeAt(start - 1));
}

/** Shorter quotations are words; chosen. */
const MINIMUM_QUOTE_CHARS = 12;

/** Words of errors; chosen from the messages of compilers, shells and HTTP clients. */
export const ERROR_WORDS: RegExp =
  /error|exception|fail|cannot|can't|unable|invalid|unexpected|undefined|not found|no such|denied|missing|refused|timed out|panic|fatal|abort/i;

/**
 * A reader of quotations in `"…"` and backticks on one line that repeat an error's words. Single quotes are not read, for they are apostrophes too.
 * Each quotation is looked at once, when it closes. Characters that are not {@link isReadOfQuotes} may be left out.
 */
function createQuoteReader(text: string) {
  const openAt = new Map<number, number>();
  return {
    /** The quoted error that ends at this character, if one does. */
    read(unit: number, index: number): Reference | null {
      if (unit === LINE_FEED) openAt.clear();
      if (!isReadOfQuotes(unit) || unit === LINE_FEED) return null;
      const start = openAt.get(unit);
      if (start === undefined || index - start > MAXIMUM_REFERENCE_CHARS) {
        openAt.set(unit, index + 1);
        return null;
      }
      openAt.delete(unit);
      return quotedError(text.slice(start, index));
    },
  };
}

/** True for a unit that begins or ends a quotation. */
function isReadOfQuotes(unit: number): boolean {
  return unit === DOUBLE_QUOTE || unit === BACKTICK || unit === LINE_FEED;
}

const LINE_FEED = 0x0a;
const DOUBLE_QUOTE = 0x22;
const BACKTICK = 0x60;

function quotedError(quotation: string): Reference | null {
  const text = quotation.trim();
  if (text.length < MINIMUM_QUOTE_CHARS || !text.includes(" ")) return null;
  return ERROR_WORDS.test(text) ? { kind: "quoted-error", text } : null;
}
