import type { Message, ModelClient, ToolCallPart } from "@plimsoll/core";
import { callShape, isRecord, type JsonValue, jsonIn, MOST_JSON_LEVELS } from "@plimsoll/core/extend";

/** An object of outside data whose fields are not known yet. */
export type Fields = { readonly [key: string]: unknown };

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

/** The objects of the array at the key; other values are left out. */
export function recordsAt(fields: unknown, key: string): readonly Fields[] {
  return listAt(fields, key).filter(isRecord);
}

/** A copy of an object without some of its fields; empty for anything else. */
export function withoutKeys(fields: unknown, keys: readonly string[]): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(isRecord(fields) ? fields : {}).filter(([key]) => !keys.includes(key)));
}

/** The text under the key, however many pieces it came in; of each piece the text under the first of the names that it has. */
export function textAt(fields: unknown, key: string, ...names: readonly string[]): string {
  const wordsOf = (piece: Fields) =>
    ["text", ...names].map((name) => stringAt(piece, name)).find((text) => text !== null) ?? "";
  return stringAt(fields, key) ?? recordsAt(fields, key).map(wordsOf).join("\n");
}

/** The content under the key as pieces: a text is one. */
export function piecesAt(fields: unknown, key: string): readonly Fields[] {
  const text = stringAt(fields, key);
  return text === null ? recordsAt(fields, key) : [{ type: "text", text }];
}

/** The value as plain JSON data; `null` for values that JSON cannot carry, and for those nested deeper than so many levels. */
export function jsonValueOf(value: unknown, levels: number = MOST_JSON_LEVELS): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => jsonValueOf(item, levels - 1));
  if (!isRecord(value)) return null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, jsonValueOf(item, levels - 1)] as const])),
  );
}

/** The function, each of its answers remembered by a key of what it was asked. */
export function remembered<Asked extends readonly unknown[], Value extends object | null>(
  find: (...asked: Asked) => Value,
  keyOf: (...asked: Asked) => string,
): (...asked: Asked) => Value {
  const known = new Map<string, Value>();
  return (...asked) => {
    const key = keyOf(...asked);
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = find(...asked);
    known.set(key, found);
    return found;
  };
}

/** The JSON object that the text holds; `null` for any other text. */
export function parseRecord(text: string): Fields | null {
  const value = jsonIn(text);
  return isRecord(value) ? value : null;
}

/** Characters of arguments that are no JSON object, as they are sent: no vendor takes such a call back, and its model has seen how it failed. Chosen. */
const MOST_UNPARSED_CHARS = 2_000;

/** A call's arguments as an object. Nothing becomes an empty one; any other text that is none (of a reply that was cut off) is sent under one key, cut. The log keeps it whole. */
export function argumentsObject(given: unknown): Fields {
  const text = typeof given === "string" ? given : (JSON.stringify(given) ?? "");
  const whole = isRecord(given) ? given : parseRecord(text);
  if (whole !== null) return whole;
  return /^\s*(?:null|"")?\s*$/.test(text) ? {} : { unparsed: text.slice(0, MOST_UNPARSED_CHARS).toWellFormed() };
}

/** A call's arguments as text of an object: the same text if it is one. */
export function argumentsText(given: unknown): string {
  return typeof given === "string" && parseRecord(given) !== null ? given : JSON.stringify(argumentsObject(given));
}

/** A call of the model's, with the files that its arguments name. */
export function callPart(names: Pick<ToolCallPart, "callId" | "toolName">, argumentsJson: string): ToolCallPart {
  return { type: "tool-call", ...names, argumentsJson, paths: callShape(names.toolName, argumentsJson).paths };
}

/** A summary that the vendor wrote, as a model client gives it. */
export type VendorSummary = Awaited<ReturnType<NonNullable<ModelClient["compact"]>>>;

/** The vendor's block of a summary that it wrote; `undefined` for any other message. */
export function vendorBlockOf({ role, parts: [part] }: Pick<Message, "role" | "parts">): unknown {
  const isOwn = role === "assistant" && part?.type === "reasoning" && stringAt(part.opaque, "type") === "vendor-summary";
  return isOwn && isRecord(part.opaque) ? part.opaque.block : undefined;
}
