/** Texts one behind the other, as bytes that are not looked at before a text is asked for. */
export interface TextList {
  /** One byte or two a UTF-16 code unit. */
  readonly bytes: Uint8Array;
  /** Where each text ends, in bytes. */
  readonly ends: Int32Array;
  /** By text: 1 if it has two bytes a code unit. */
  readonly isWide: Uint8Array;
}

/** A character that one byte does not hold. */
const WIDE = /[^\0-\u00ff]/;

/** Puts texts one behind the other. Without the platform's buffers, as pages of reports know the types that hold a list. */
export function textList(texts: readonly string[]): TextList {
  const isWide = Uint8Array.from(texts, (text) => (WIDE.test(text) ? 1 : 0));
  let end = 0;
  const ends = Int32Array.from(texts, (text, place) => (end += text.length * (isWide[place] === 1 ? 2 : 1)));
  const bytes = new Uint8Array(end);
  let at = 0;
  for (const [place, text] of texts.entries())
    for (let unit = 0; unit < text.length; unit++) {
      const code = text.charCodeAt(unit);
      bytes[at++] = code;
      if (isWide[place] === 1) bytes[at++] = code >>> 8;
    }
  return { bytes, ends, isWide };
}

/** Code units that become text at a time: arguments of one call, of which there is a limit; chosen. */
const UNITS_AT_ONCE = 4096;

/** The text at a place. */
export function textAt({ bytes, ends, isWide }: TextList, place: number): string {
  const own = bytes.subarray(ends[place - 1] ?? 0, ends[place] ?? 0);
  const units = isWide[place] === 1 ? wideUnits(own) : own;
  let text = "";
  for (let at = 0; at < units.length; at += UNITS_AT_ONCE)
    text += String.fromCharCode(...units.subarray(at, at + UNITS_AT_ONCE));
  return text;
}

function wideUnits(bytes: Uint8Array): Uint16Array {
  const units = new Uint16Array(bytes.length / 2);
  for (let unit = 0; unit < units.length; unit++) units[unit] = (bytes[2 * unit] ?? 0) | ((bytes[2 * unit + 1] ?? 0) << 8);
  return units;
}

/** The length of the text at a place, in UTF-16 code units. */
export function charsAt({ ends, isWide }: TextList, place: number): number {
  return ((ends[place] ?? 0) - (ends[place - 1] ?? 0)) / (isWide[place] === 1 ? 2 : 1);
}
