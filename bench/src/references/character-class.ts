/**
 * True for code units that words are made of: ASCII letters, digits, `_`, and letters of the alphabets up to U+1FFF. Scripts
 * written without spaces are not among them, so that a name inside a Chinese sentence still stands alone.
 */
export function isWordUnit(unit: number): boolean {
  return isAsciiLetter(unit) || isDigit(unit) || unit === 0x5f || (unit >= 0xc0 && unit <= 0x1fff);
}

/** True for `0` to `9`. */
export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** True for `a` to `z` and `A` to `Z`. */
export function isAsciiLetter(unit: number): boolean {
  return isLowerCase(unit) || isUpperCase(unit);
}

/** True for `a` to `z`. */
export function isLowerCase(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

/** True for `A` to `Z`. */
export function isUpperCase(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}

/** True for `0` to `9`, `a` to `f` and `A` to `F`. */
export function isHexDigit(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x61 && unit <= 0x66) || (unit >= 0x41 && unit <= 0x46);
}

/**
 * True if `start … end` does not begin or end inside a longer word: the place stands for the string itself and not for a
 * part of another name or number.
 */
export function standsAlone(text: string, start: number, end: number): boolean {
  if (!beginsAlone(text, start)) return false;
  return end >= text.length || !isWordUnit(text.charCodeAt(end - 1)) || !isWordUnit(text.charCodeAt(end));
}

/** True if what begins at `start` does not begin inside a longer word. */
export function beginsAlone(text: string, start: number): boolean {
  return start === 0 || !isWordUnit(text.charCodeAt(start)) || !isWordUnit(text.charCodeAt(start - 1));
}
