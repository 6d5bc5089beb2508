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
  const pieces = new Map<string, Reference | null>();
  const read = (text: string, visit: (reference: Reference) => void) => {
    const openAt = new Map<string, number>();
    for (const { 0: piece, index } of text.matchAll(PIECES)) {
      if (piece === "\n") openAt.clear();
      else if (piece === '"' || piece === "`") {
        const start = openAt.get(piece) ?? Number.NEGATIVE_INFINITY;
        const isClosed = index - start <= MAXIMUM_REFERENCE_CHARS;
        if (isClosed) openAt.delete(piece);
        else openAt.set(piece, index + 1);
        const quoted = isClosed ? quotedError(text.slice(start, index)) : null;
        if (quoted !== null) visit(quoted);
      } else if (piece.length <= MAXIMUM_REFERENCE_CHARS) {
        const known = pieces.get(piece);
        const found = known === undefined ? classifyPiece(piece) : known;
        if (known === undefined) pieces.set(piece, found);
        if (found !== null) visit(found);
      }
    }
  };
  return (text, visit) => {
    for (let from = 0; from < text.length; from += MOST_CHARS) read(text.slice(from, from + MOST_CHARS), visit);
  };
}

/** An expression's stack does not always hold a run of twice as many characters; a name across such a place is cut. */
const MOST_CHARS = 4_000_000;

/**
 * A run of name and path characters, or a URL with its printable ASCII; else an end of a line, or a mark around a quotation on one line (no single
 * quotes, for they are apostrophes too). Letters are those of the alphabets up to U+1FFF: scripts written without spaces are not among them, so that
 * a name inside a Chinese sentence is still a word of its own.
 */
const PIECES =
  /[\w\u00c0-\u1fff./@~-]+(?:::(?=[\w\u00c0-\u1fff])[\w\u00c0-\u1fff./@~-]+)*(?:(?<=[A-Za-z]):\/\/[!#-&*-;=?-Z_a-z~]*)?|["`\n]/g;

/** Shorter names are met by chance; chosen. */
const MINIMUM_NAME_CHARS = 4;
/** Numbers below 100 are met by chance; chosen. Three digits in a row, so that neither `9-10` nor `92.2` is one. */
const NUMBER = /\d{3}/;
/** The shortest commit name that git prints has seven digits. */
const HASH = /^(?=.*\d)[\da-f]{7,}$/i;

/** The reference that a run of name and path characters is, or `null` for plain words. A fixed number of passes over it. */
function classifyPiece(piece: string): Reference | null {
  if (piece.includes("://")) {
    const url = piece.replace(/[.,:;!?*_~/]+$/, "");
    return url.includes("://") ? { kind: "url", text: url } : null;
  }
  const text = piece.replace(/[./@~-]+$/, "");
  if (text.startsWith("--")) return /^--[A-Za-z]./.test(text) ? { kind: "flag", text } : null;
  return text.includes("/") ? pathOf(text.replace(/^\.\//, "")) : nameOf(text.replace(/^[.@~-]+/, ""));
}

/** A path has a root, two slashes, or a segment that is no plain word; `and/or` and `application/json` are no paths. */
function pathOf(text: string): Reference | null {
  if (text.length < MINIMUM_NAME_CHARS || !/[A-Za-z]/.test(text)) return null;
  return /^~?\/|\/.*\/|[\d._@-]/.test(text) ? { kind: "path", text } : null;
}

/** A part in snake or camel case, with a dot or `::` inside, or with a digit: no plain word. */
const DISTINCTIVE = /._.|[a-z][A-Z]|[\w\u00c0-\u1fff]\.[\w\u00c0-\u1fff]|[:\d]/;

function nameOf(text: string): Reference | null {
  if (!/[A-Za-z\u00c0-\u1fff]/.test(text)) return NUMBER.test(text) ? { kind: "number", text } : null;
  if (HASH.test(text)) return { kind: "hash", text };
  return text.length >= MINIMUM_NAME_CHARS && DISTINCTIVE.test(text) ? { kind: "identifier", text } : null;
}

/** Longer strings (encoded data, minified code) are no references: they are not recalled by name. Chosen. */
const MAXIMUM_REFERENCE_CHARS = 200;

/** A string that names something in particular, so that using it again takes having read it. */
export interface Reference {
  readonly kind: "path" | "identifier" | "number" | "hash" | "url" | "flag" | "quoted-error";
  readonly text: string;
}

/** True for code units that words are made of: ASCII letters, digits, `_`, and letters of the alphabets up to U+1FFF. */
function isWordUnit(unit: number): boolean {
  const isLetter = (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f;
  return isLetter || (unit >= 0x30 && unit <= 0x39) || (unit >= 0xc0 && unit <= 0x1fff);
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

function quotedError(quotation: string): Reference | null {
  const text = quotation.trim();
  if (text.length < MINIMUM_QUOTE_CHARS || !text.includes(" ")) return null;
  return ERROR_WORDS.test(text) ? { kind: "quoted-error", text } : null;
}
