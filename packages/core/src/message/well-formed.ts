import { isRecord } from "../json.ts";
import type { AssistantMessage, Context, Message } from "./message.ts";

/**
 * Puts U+FFFD in the place of each lone surrogate, in every text and key of a value: vendors refuse JSON with half a character.
 * Gives back the same value if it has none, and leaves alone all that is no plain object or array (a URL, bytes). Linear in its texts.
 */
export function wellFormed<Value>(value: Value): Value;
export function wellFormed(value: unknown): unknown {
  return isWhole(value) ? value : mended(value);
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

function mended(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return mendedItems(value);
  return isRecord(value) && isPlain(value) ? mendedFields(value) : value;
}

function mendedItems(items: readonly unknown[]): readonly unknown[] {
  const all: unknown[] = [];
  let isSame = true;
  for (const item of items) {
    const own = mended(item);
    isSame &&= own === item;
    all.push(own);
  }
  return isSame ? items : all;
}

function mendedFields(fields: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  const all: [string, unknown][] = [];
  let isSame = true;
  for (const [key, item] of Object.entries(fields)) {
    const own = mended(item);
    isSame &&= own === item && key.isWellFormed();
    all.push([key.toWellFormed(), own]);
  }
  return isSame ? fields : Object.fromEntries(all);
}

function isPlain(value: object): boolean {
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

/**
 * The message with well-formed content; the message itself if nothing is wrong. Its ids stay, so that calls keep their results: encoding maps
 * those that a wire does not take. Reasoning that is changed loses its `opaque`, which vouches for another text.
 */
export function wellFormedMessage(message: Message): Message {
  switch (message.role) {
    case "user": {
      const parts = wellFormed(message.parts);
      return parts === message.parts ? message : { ...message, parts };
    }
    case "assistant": {
      if (message.parts.every((part) => wellFormedPart(part) === part)) return message;
      return { ...message, parts: message.parts.map(wellFormedPart) };
    }
    case "tool-result": {
      const parts = wellFormed(message.parts);
      const toolName = wellFormed(message.toolName);
      return parts === message.parts && toolName === message.toolName ? message : { ...message, parts, toolName };
    }
    default:
      return message satisfies never;
  }
}

function wellFormedPart(part: AssistantMessage["parts"][number]): AssistantMessage["parts"][number] {
  switch (part.type) {
    case "text":
      return wellFormed(part);
    case "reasoning":
      return part.text.isWellFormed() ? part : { ...part, text: wellFormed(part.text), opaque: null };
    case "tool-call": {
      const toolName = wellFormed(part.toolName);
      const argumentsJson = wellFormedJson(part.argumentsJson);
      return toolName === part.toolName && argumentsJson === part.argumentsJson ? part : { ...part, toolName, argumentsJson };
    }
    default:
      return part satisfies never;
  }
}

/** The context with well-formed text throughout, for encoders; messages that nothing is wrong with keep their identity. */
export function wellFormedContext(context: Context): Context {
  return {
    system: wellFormed(context.system),
    tools: context.tools.map((tool) => ({ ...wellFormed(tool), parametersJson: wellFormedJson(tool.parametersJson) })),
    messages: context.messages.map(wellFormedMessage),
    dynamicContext: wellFormed(context.dynamicContext),
  };
}
