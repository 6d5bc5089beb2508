/** An object of outside data whose fields are not known yet, or of data that is written as JSON. */
export type Fields = { readonly [key: string]: unknown };

/** True for objects that are neither `null` nor arrays. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The number at the key; `null` for anything else, and for numbers that are not finite. */
export function numberAt(fields: unknown, key: string): number | null {
  const value = isRecord(fields) ? fields[key] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** The string at the key; `null` for anything else. */
export function stringAt(fields: unknown, key: string): string | null {
  const value = isRecord(fields) ? fields[key] : undefined;
  return typeof value === "string" ? value : null;
}

/** The object at the key; `null` for anything else. */
export function recordAt(fields: unknown, key: string): Fields | null {
  const value = isRecord(fields) ? fields[key] : undefined;
  return isRecord(value) ? value : null;
}

/** The array at the key; empty for anything else. */
export function listAt(fields: unknown, key: string): readonly unknown[] {
  const value = isRecord(fields) ? fields[key] : undefined;
  return Array.isArray(value) ? value : [];
}

/** The objects of the array at the key; others are left out. */
export function recordsAt(fields: unknown, key: string): readonly Fields[] {
  return listAt(fields, key).filter(isRecord);
}

/** The JSON object that the text holds; `null` for any other text, and for one that is nested too deep. */
export function parseRecord(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && !isTooDeep(value) ? value : null;
  } catch {
    // Text that is no JSON is an expected answer, not an error.
    return null;
  }
}

/** Most levels of objects and arrays in a body that is read: code that walks it by recursion fails from about 1,500 on. */
const MOST_LEVELS = 500;

function isTooDeep(value: Fields): boolean {
  let containers: readonly object[] = [value];
  for (let levels = 1; containers.length > 0; levels++) {
    if (levels > MOST_LEVELS) return true;
    containers = containers.flatMap((each): unknown[] => Object.values(each)).filter(isContainer);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** True if no text and no key in the value has half a surrogate pair. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (!isContainer(value)) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}
