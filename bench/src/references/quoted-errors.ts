import { MAXIMUM_REFERENCE_CHARS, type Reference } from "./classify-piece.ts";

/** Reads a text's quotation marks as they are passed. */
export interface QuoteReader {
  /** The quoted error that ends at this character, if one does. Characters that are not {@link isReadOfQuotes} may be left out. */
  read(unit: number, index: number): Reference | null;
}

/** Shorter quotations are words; chosen. */
const MINIMUM_QUOTE_CHARS = 12;

/** Words of errors, in lower case; chosen from the messages of compilers, shells and HTTP clients. */
const ERROR_WORDS = [
  "error",
  "exception",
  "fail",
  "cannot",
  "can't",
  "unable",
  "invalid",
  "unexpected",
  "undefined",
  "not found",
  "no such",
  "denied",
  "missing",
  "refused",
  "timed out",
  "panic",
  "fatal",
  "abort",
] as const;

/**
 * A reader of quotations in `"…"` and backticks on one line that say what an error says. Single quotes are not read, for they
 * are apostrophes too. Each quotation is looked at once, when it closes.
 */
export function createQuoteReader(text: string): QuoteReader {
  const openAt = new Map<number, number>();
  return {
    read(unit, index) {
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

/** True for what begins or ends a quotation. */
export function isReadOfQuotes(unit: number): boolean {
  return unit === DOUBLE_QUOTE || unit === BACKTICK || unit === LINE_FEED;
}

const LINE_FEED = 0x0a;
const DOUBLE_QUOTE = 0x22;
const BACKTICK = 0x60;

function quotedError(quotation: string): Reference | null {
  const text = quotation.trim();
  if (text.length < MINIMUM_QUOTE_CHARS || !text.includes(" ")) return null;
  const lower = text.toLowerCase();
  return ERROR_WORDS.some((word) => lower.includes(word)) ? { kind: "quoted-error", text } : null;
}
