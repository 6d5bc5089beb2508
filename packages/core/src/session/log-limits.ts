import { PlimsollError } from "../error.ts";
import type { JsonObject } from "../json.ts";

/**
 * Deepest nesting of objects and arrays in an entry. Recursive readers fail with a `RangeError` from about 1,500 levels on (a schema's own
 * JSON check, measured 2026-11 with node 20) or 4,000 (`JSON.stringify`). What vendors send has fewer than 20.
 */
export const MAXIMUM_NESTING_COUNT = 1_000;

/** Longest line of a log, in bytes of UTF-8: half of the longest string that V8 makes (2^29 - 24 characters), eight times the largest request a vendor takes. */
export const MAXIMUM_LINE_BYTES: number = 256 * 1024 * 1024;

/** Largest log, in bytes. Opening reads it once: a minute and a half at 200 MB/s. Chosen. */
export const MAXIMUM_LOG_BYTES: number = 16 * 1024 * 1024 * 1024;

/** The error for nesting beyond {@link MAXIMUM_NESTING_COUNT}. */
export function nestedTooDeep(place: string): PlimsollError {
  return overLimit(`${place}: nested deeper than ${MAXIMUM_NESTING_COUNT} levels`, {
    limit: "nesting",
    maximum: MAXIMUM_NESTING_COUNT,
  });
}

/** The error for a line beyond {@link MAXIMUM_LINE_BYTES}. */
export function lineTooLong(place: string): PlimsollError {
  return overLimit(`${place}: a line of more than ${MAXIMUM_LINE_BYTES} bytes`, {
    limit: "line-bytes",
    maximum: MAXIMUM_LINE_BYTES,
  });
}

/** The error for a log beyond {@link MAXIMUM_LOG_BYTES}. */
export function logTooLarge(place: string, bytes: number): PlimsollError {
  return overLimit(`${place}: a log of ${bytes} bytes; the most is ${MAXIMUM_LOG_BYTES}`, {
    limit: "log-bytes",
    maximum: MAXIMUM_LOG_BYTES,
    found: bytes,
  });
}

function overLimit(message: string, details: JsonObject): PlimsollError {
  return new PlimsollError("session-limit", message, details);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** True if JSON text nests objects and arrays deeper than {@link MAXIMUM_NESTING_COUNT}. One pass, no recursion; the text need not be whole. */
export function isTextNestedTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (OPENING.has(code) && ++depth > MAXIMUM_NESTING_COUNT) return true;
    else if (CLOSING.has(code)) depth -= 1;
  }
  return false;
}

/** Index of the quote that ends the string which begins at `start`; the text's length if none does. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** True if a value nests objects and arrays deeper than {@link MAXIMUM_NESTING_COUNT}. One pass, no recursion; a cycle is nested too deep. */
export function isValueNestedTooDeep(value: unknown): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAXIMUM_NESTING_COUNT) return true;
    const below: object[] = [];
    for (const container of level) for (const item of Object.values(container)) if (isContainer(item)) below.push(item);
    level = below;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
