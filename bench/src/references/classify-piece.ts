import { isAsciiLetter, isDigit, isHexDigit, isLowerCase, isUpperCase, isWordUnit } from "./character-class.ts";

/** Shorter names are met by chance; chosen. */
const MINIMUM_NAME_CHARS = 4;
/** Numbers below 100 are met by chance; chosen. Three digits in a row, so that neither `9-10` nor `92.2` is one. */
const MINIMUM_DIGITS = 3;
/** The shortest commit name that git prints. */
const MINIMUM_HASH_CHARS = 7;

/** The reference that a run of name and path characters is, or `null` for plain words. A fixed number of passes over it. */
export function classifyPiece(piece: string, isUrl: boolean): Reference | null {
  if (isUrl) return urlOf(trimEnd(piece, URL_ENDINGS));
  const text = trimEnd(piece, PIECE_ENDINGS);
  if (text.startsWith("--")) return flagOf(text);
  if (text.includes("/")) return pathOf(text);
  return nameOf(trimStart(text, NAME_BEGINNINGS));
}

const URL_ENDINGS = ".,:;!?*_~/";
const PIECE_ENDINGS = ".-/@~";
const NAME_BEGINNINGS = ".-@~";

function urlOf(text: string): Reference | null {
  return text.includes("://") ? { kind: "url", text } : null;
}

function flagOf(text: string): Reference | null {
  return text.length >= MINIMUM_NAME_CHARS && isAsciiLetter(text.charCodeAt(2)) ? { kind: "flag", text } : null;
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

interface NameShape {
  readonly letters: number;
  readonly digits: number;
  readonly digitsInARow: number;
  readonly isHex: boolean;
  readonly isSnake: boolean;
  readonly isCamel: boolean;
  /** `a.b` or `a::b`. */
  readonly isDotted: boolean;
}

function shapeOf(text: string): NameShape {
  let letters = 0;
  let digits = 0;
  let run = 0;
  let digitsInARow = 0;
  let isHex = true;
  let isSnake = false;
  let isCamel = false;
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

/** Longer strings (encoded data, minified code) are no references: nobody recalls them by name. Chosen. */
export const MAXIMUM_REFERENCE_CHARS = 200;

/** The kind of a reference. */
type ReferenceKind = "path" | "identifier" | "number" | "hash" | "url" | "flag" | "quoted-error";

/** A string that names something in particular, so that using it again takes having read it. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly text: string;
}
