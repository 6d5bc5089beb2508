import { stringEnd } from "@plimsoll/core/extend";

/** A piece of a text: from the character at `start` up to, not including, the one at `end`. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** The places of an array and of its elements in a text, brackets included. */
export interface ArrayPlaces extends Place {
  readonly elements: readonly Place[];
}

/** The elements with which an array begins whose bracket is at `start`, as far as they are known; they are not walked. */
type KnownElements = (start: number) => readonly Place[];

/**
 * The place of the array at a key of the text's outermost object; `null` if there is none. Of a key that comes twice the last one counts, as in `JSON.parse`. The
 * text has to be valid JSON: it is walked, not checked.
 */
export function arrayPlacesAt(text: string, key: string, known: KnownElements = () => []): ArrayPlaces | null {
  const place = valueAt(text, key, known);
  return place !== null && "elements" in place ? place : null;
}

/** The text with another value at a key of its outermost object. */
export function withValue(text: string, key: string, json: string): string {
  const place = valueAt(text, key, () => []);
  if (place !== null) return `${text.slice(0, place.start)}${json}${text.slice(place.end)}`;
  const start = text.indexOf("{") + 1;
  return `${text.slice(0, start)}${JSON.stringify(key)}:${json},${text.slice(start)}`;
}

function valueAt(text: string, key: string, known: KnownElements): Place | ArrayPlaces | null {
  let found: Place | ArrayPlaces | null = null;
  let at = afterSpace(text, 0) + 1;
  for (;;) {
    at = afterSpace(text, at);
    if (text[at] !== '"') return found;
    const nameEnd = stringEnd(text, at);
    const name = text.slice(at, nameEnd);
    const start = afterSpace(text, afterSpace(text, nameEnd) + 1);
    const isIt = name === JSON.stringify(key) || (name.includes("\\") && JSON.parse(name) === key);
    const value = isIt && text[start] === "[" ? elementsOf(text, start, known(start)) : { start, end: valueEnd(text, start) };
    if (isIt) found = value;
    at = afterSpace(text, value.end);
    if (text[at] !== ",") return found;
    at += 1;
  }
}

/** The text with other elements in the array: everything outside of its brackets stays unchanged. */
export function withElements(text: string, { start, end }: Place, elements: readonly string[]): string {
  return `${text.slice(0, start)}[${elements.join(",")}]${text.slice(end)}`;
}

function elementsOf(text: string, start: number, known: readonly Place[]): ArrayPlaces {
  const elements = [...known];
  const next = (end: number) => {
    const at = afterSpace(text, end);
    return text[at] === "," ? afterSpace(text, at + 1) : at;
  };
  let at = next(known.at(-1)?.end ?? start + 1);
  while (at < text.length && text[at] !== "]") {
    const end = valueEnd(text, at);
    elements.push({ start: at, end });
    at = next(end);
  }
  return { start, end: at + 1, elements };
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\n\r".includes(text[at] ?? "x")) at += 1;
  return at;
}

const BRACKET = /["{}[\]]/g;

const SCALAR_END = /[,\]}\s]/g;

function valueEnd(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start);
  if (text[start] !== "{" && text[start] !== "[") return nextOf(SCALAR_END, text, start);
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const char = text[at];
    if (char === '"') at = stringEnd(text, at) - 1;
    else depth += char === "{" || char === "[" ? 1 : -1;
    if (depth === 0) return at + 1;
    at = nextOf(BRACKET, text, at + 1);
  }
  return text.length;
}

function nextOf({ source }: RegExp, text: string, from: number): number {
  const pattern = new RegExp(source, "g");
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
