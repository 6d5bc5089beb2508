import { isRecord, type JsonValue, jsonIn, option } from "@plimsoll/core/extend";
import { numberAt, recordAt, recordsAt, stringAt } from "@plimsoll/providers";

export { numberAt, recordAt, recordsAt, stringAt };

/** An object of outside data, after the one check that it is an object. */
export type Fields = { readonly [key: string]: unknown };

/** The strings in the array at `key`; other items are left out, and a missing array is empty. */
export function stringsAt(fields: Fields | null | undefined, key: string): readonly string[] {
  const value = fields?.[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Milliseconds since 1970 from an ISO string or a number of milliseconds at `key`; `null` if neither is there. */
export function timeMsAt(fields: Fields | null | undefined, key: string): number | null {
  const value = fields?.[key];
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  const timeMs = Date.parse(value);
  return Number.isNaN(timeMs) ? null : timeMs;
}

/** Outside data as a JSON value, the same object if it is one; `null` for values that JSON cannot carry. */
export function jsonValueOf(value: unknown): JsonValue {
  return option.isJsonValue(value) ? value : null;
}

/** The object that a JSON text holds, or `null` if it holds something else or does not parse. */
export function parseRecord(text: string | null): Fields | null {
  // True if the text may be an object. Other text is rejected without the cost of an exception, line by line of a long document.
  if (text === null || !(text.trimStart().startsWith("{") && text.trimEnd().endsWith("}"))) return null;
  const value = jsonIn(text);
  return isRecord(value) ? value : null;
}
