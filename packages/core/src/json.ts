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
    else if (typeof item === "number" ? !Number.isFinite(item) : !isPlain(item)) return false;
  }
  return true;
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean";
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

/** The strings in the arguments of a call, each unescaped, without empty ones. Arguments that are no JSON are one string as they stand. One pass. */
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
