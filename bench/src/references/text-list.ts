/** Texts one behind the other, as bytes that are not looked at before a text is asked for. */
export interface TextList {
  /** One byte or two a UTF-16 code unit. */
  readonly bytes: Buffer;
  /** Where each text ends, in bytes. */
  readonly ends: Int32Array;
  /** By text: 1 if it has two bytes a code unit. */
  readonly isWide: Uint8Array;
}

/** A character that one byte does not hold. */
const WIDE = /[^\0-\u00ff]/;

/** Puts texts one behind the other. */
export function textList(texts: readonly string[]): TextList {
  const isWide = Uint8Array.from(texts, (text) => (WIDE.test(text) ? 1 : 0));
  const bytes = texts.map((text, place) => Buffer.from(text, isWide[place] === 1 ? "utf16le" : "latin1"));
  let end = 0;
  return { bytes: Buffer.concat(bytes), ends: Int32Array.from(bytes, ({ length }) => (end += length)), isWide };
}

/** The text at a place. */
export function textAt({ bytes, ends, isWide }: TextList, place: number): string {
  return bytes.toString(isWide[place] === 1 ? "utf16le" : "latin1", ends[place - 1] ?? 0, ends[place] ?? 0);
}

/** The length of the text at a place, in UTF-16 code units. */
export function charsAt({ ends, isWide }: TextList, place: number): number {
  return ((ends[place] ?? 0) - (ends[place - 1] ?? 0)) / (isWide[place] === 1 ? 2 : 1);
}
