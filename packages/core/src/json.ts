/** Any value that JSON can carry. Objects and arrays are readonly: parsed data is never changed in place. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; a key that is absent reads as `undefined`. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** True for objects that are neither `null` nor arrays; the one narrowing every reader of outside data needs. */
export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a value that JSON can carry as it is: no `undefined`, no number that is not finite. No recursion, so that no depth is too much. */
export function isJsonValue(value: unknown): value is JsonValue {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const item = waiting.pop();
    if (Array.isArray(item) || isRecord(item)) for (const member of Object.values(item)) waiting.push(member);
    else if (
      typeof item === "number"
        ? !Number.isFinite(item)
        : !(item === null || typeof item === "string" || typeof item === "boolean")
    )
      return false;
  }
  return true;
}

/**
 * Most levels of objects and arrays in JSON that others wrote: code that walks it by recursion fails from about 1,500 on, and the entry of a log that holds it may
 * have twice as many. Vendors and agents send fewer than 20.
 */
export const MOST_JSON_LEVELS = 500;

/** Reads JSON that others wrote. Throws a `SyntaxError` for invalid JSON, and for JSON nested deeper than {@link MOST_JSON_LEVELS}. */
export function parseJson(text: string): unknown {
  if (isNestedDeeper(text)) throw new SyntaxError(`nested deeper than ${MOST_JSON_LEVELS} levels`);
  return JSON.parse(text);
}

/** Reads JSON that others wrote as {@link parseJson} does; `undefined` if it cannot. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Text that is no JSON is an expected answer, not an error.
    return undefined;
  }
}

/** Writes a value that others' code parsed; words replace a value that is nested too deep. */
export function writtenJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "(JSON that is nested too deep to be written)";
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}`: each pair differs in one bit. */
const [OPENING, CLOSING, BRACE_BIT] = [0x7b, 0x7d, 0x20] as const;

/** True if JSON text nests objects and arrays deeper than so many levels. One pass, no recursion; the text need not be whole. */
export function isNestedDeeper(text: string, levels: number = MOST_JSON_LEVELS): boolean {
  let left = levels;
  // A search for each bracket is far faster than a walk, and most texts have few.
  for (const bracket of "[{")
    for (let at = text.indexOf(bracket); at >= 0 && left >= 0; at = text.indexOf(bracket, at + 1)) left -= 1;
  if (left >= 0) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if ((code | BRACE_BIT) === OPENING && ++depth > levels) return true;
    else if ((code | BRACE_BIT) === CLOSING) depth -= 1;
  }
  return false;
}

/** The end of the string whose opening quote is at `start`; the text's length if nothing ends it. */
export function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

/**
 * JSON with object keys in code-unit order and `undefined` members left out, so that equal values give equal text.
 * Numbers and strings are written as `JSON.stringify` writes them.
 */
export function canonicalJson(value: unknown): string {
  // Written piece by piece: lists of members that are joined take twice as long.
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${canonicalJson(item ?? null)}`;
    return `[${text}]`;
  }
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Strings of this many levels are read; chosen: lists of edits have two. */
const DEPTH = 4;

/** The strings in the arguments of a call, each unescaped, without empty ones. Arguments that are no JSON are one string, unchanged. One pass. */
export function stringsIn(argumentsJson: string): readonly string[] {
  try {
    const strings: string[] = [];
    addStrings(JSON.parse(argumentsJson), DEPTH, strings);
    return strings;
  } catch {
    // Arguments that are no JSON: a call that the model did not finish, or a tool that takes text as it is.
    return [argumentsJson];
  }
}

function addStrings(value: unknown, depth: number, strings: string[]): void {
  if (typeof value === "string" && value !== "") strings.push(value);
  if (depth === 0) return;
  if (Array.isArray(value)) for (const each of value) addStrings(each, depth - 1, strings);
  else if (isRecord(value)) for (const each of Object.values(value)) addStrings(each, depth - 1, strings);
}

/**
 * Replaces each lone surrogate by U+FFFD, in every text and key of a value: vendors refuse JSON with half a character. Returns the same value if it has none, and leaves
 * everything but plain objects and arrays (a URL, bytes) untouched. Linear in its texts.
 */
export function wellFormed<Value>(value: Value): Value;
export function wellFormed(value: unknown): unknown {
  if (isWhole(value)) return value;
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item: unknown) => wellFormed(item));
  return Object.fromEntries(Object.entries(Object(value)).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}

/** True if no text or key in the value has a lone surrogate: almost always, so that it makes nothing. */
function isWhole(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  // Loops, so that a level of nesting takes as few frames as it can.
  if (Array.isArray(value)) {
    for (const item of value) if (!isWhole(item)) return false;
    return true;
  }
  if (!isRecord(value) || !isPlain(value)) return true;
  for (const key of Object.keys(value)) if (!key.isWellFormed() || !isWhole(value[key])) return false;
  return true;
}

export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An escape of JSON: of a pair, of one UTF-16 unit, or of any other character; no backslash is read twice. */
const ESCAPE = /\\(?:u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[0-9a-fA-F]{4})|[\s\S])/g;
const HALF_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE_ESCAPE = /^\\u[dD][89a-fA-F][0-9a-fA-F]{2}$/;

/** JSON text that is well-formed, and so are the texts in it: `"\ud83d"` is ASCII as it is written, and half a character once it is read. */
export function wellFormedJson(json: string): string {
  const text = wellFormed(json);
  return HALF_ESCAPE.test(text) ? text.replace(ESCAPE, (found) => (LONE_ESCAPE.test(found) ? "\\ufffd" : found)) : text;
}
