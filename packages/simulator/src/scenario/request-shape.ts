import { createHash } from "node:crypto";
import { type Fields, isRecord, listAt, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { responsesTools } from "../openai-responses-items.ts";
import type { WireName } from "../reply.ts";

/** The source of an item of a request, on any wire. */
export type ItemRole = "system" | "user" | "assistant" | "call" | "result" | "other";

/** One item of a request: a message, or an item on wires that send calls and results apart. */
export interface ShapedItem {
  readonly role: ItemRole;
  /** Of the item without ids and cache marks: equal for items that a model would read the same. */
  readonly hash: string;
  /** All texts in it. For searching; it is in no facts. */
  readonly text: string;
  /** The texts in it that a user says: on wires that join messages, beside results as well. */
  readonly said: string;
}

/** The shape of a request, the same on every wire. */
export interface RequestShape {
  readonly wire: WireName;
  readonly modelId: string | null;
  readonly systemText: string;
  readonly tools: readonly Fields[];
  readonly toolsHash: string;
  readonly items: readonly ShapedItem[];
  /** Whether an answer in a given form is asked for. */
  readonly hasForm: boolean;
  /** Whether a Messages request asks for the vendor's own summary. */
  readonly asksSummary: boolean;
  readonly maxOutputTokens: number | null;
}

/** Reads the shape of any body; missing parts are empty, so that refused requests have a shape, too. */
export function shapeOf(wire: WireName, body: unknown): RequestShape {
  const items = itemsOf(wire, body);
  const firstOther = items.findIndex(({ role }) => role !== "system");
  const leading = items.slice(0, firstOther < 0 ? items.length : firstOther);
  const tools = toolsOf(wire, body);
  return {
    wire,
    modelId: stringAt(body, "model"),
    systemText: [...systemTexts(wire, body), ...leading.map(({ text }) => text)].join("\n"),
    tools,
    toolsHash: sha256Hex(JSON.stringify(tools)).slice(0, HASH_CHARS),
    items: items.slice(leading.length),
    hasForm: hasFormOf(wire, body),
    asksSummary: wire === "anthropic" && recordAt(body, "compaction") !== null,
    maxOutputTokens: maxOutputOf(wire, body),
  };
}

/** Enough to distinguish the requests of one program. Chosen. */
const HASH_CHARS = 12;

function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A short hash of a text in which digits, dates in words and random ids do not count, so that it stays the same from day to day. */
export function steadyHash(text: string): string {
  const steady = text
    .replace(/(?<![0-9a-z])[0-9a-f]{8}[0-9a-f-]{0,40}(?![0-9a-z])/g, "0")
    .replace(/\b(mon|tues|wednes|thurs|fri|satur|sun)day\b/gi, "day")
    .replace(/\b(january|february|march|april|may|june|july|august|september|october|november|december)\b/gi, "month")
    .replace(/\b(mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)\b/gi, "d")
    .replace(/\d+/g, "0");
  return sha256Hex(steady).slice(0, HASH_CHARS);
}

function itemsOf(wire: WireName, body: unknown): readonly ShapedItem[] {
  switch (wire) {
    case "anthropic":
      return recordsAt(body, "messages").map((message) => shaped(message, anthropicRole(message)));
    case "openai-chat":
      return recordsAt(body, "messages").map((message) => shaped(message, chatRole(message)));
    case "openai-responses": {
      const input = stringAt(body, "input");
      const items = input === null ? recordsAt(body, "input") : [{ role: "user", content: input }];
      // Tools that an item adds are the request's tools.
      return items.filter(({ type }) => type !== "additional_tools").map((item) => shaped(item, responsesRole(item)));
    }
    case "gemini":
      return recordsAt(body, "contents").map((content) => shaped(content, geminiRole(content)));
    default:
      return wire satisfies never;
  }
}

function anthropicRole(message: Fields): ItemRole {
  // Without content it sets the effort of a reply, and declares nothing.
  if (message.role === "system" && Array.isArray(message.content) && message.content.length === 0) return "other";
  const kinds = recordsAt(message, "content").map(({ type }) => type);
  if (kinds.includes("tool_result")) return "result";
  if (kinds.includes("tool_use")) return "call";
  return roleNamed(message.role);
}

function chatRole(message: Fields): ItemRole {
  return listAt(message, "tool_calls").length > 0 ? "call" : roleNamed(message.role);
}

function responsesRole(item: Fields): ItemRole {
  const type = stringAt(item, "type") ?? "message";
  if (type.endsWith("_call_output")) return "result";
  if (type.endsWith("_call")) return "call";
  return type === "message" ? roleNamed(item.role) : "other";
}

function geminiRole(content: Fields): ItemRole {
  const parts = recordsAt(content, "parts");
  if (parts.some((part) => part.functionResponse !== undefined)) return "result";
  if (parts.some((part) => part.functionCall !== undefined)) return "call";
  return roleNamed(content.role ?? "user");
}

function roleNamed(role: unknown): ItemRole {
  switch (role) {
    case "system":
    case "developer":
      return "system";
    case "user":
      return "user";
    case "assistant":
    case "model":
      return "assistant";
    case "tool":
    case "function":
      return "result";
    default:
      return "other";
  }
}

function shaped(item: Fields, role: ItemRole): ShapedItem {
  const json = JSON.stringify(item, (key, value: unknown) => (IGNORED.includes(key) ? undefined : value));
  const text = textsOf(item);
  return { role, hash: sha256Hex(json), text, said: role === "user" ? text : saidBeside(item) };
}

/** The user's own texts in a message with results. */
function saidBeside(item: Fields): string {
  const parts = item.role === "user" ? [...recordsAt(item, "content"), ...recordsAt(item, "parts")] : [];
  return parts.map((part) => stringAt(part, "text") ?? "").join("\n");
}

/** Fields that a model does not read. */
const IGNORED = ["id", "cache_control", "status"];

function readFields(record: Fields): readonly unknown[] {
  return Object.entries(record).flatMap(([key, value]) => (IGNORED.includes(key) ? [] : [value]));
}

/** All strings in a value that a model reads, one a line. The walk holds its own stack, so that deep values from outside do no harm. */
function textsOf(value: unknown): string {
  const texts: string[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") texts.push(next);
    else if (Array.isArray(next)) waiting.push(...next.toReversed());
    else if (isRecord(next)) waiting.push(...readFields(next).toReversed());
  }
  return texts.join("\n");
}

function systemTexts(wire: WireName, body: unknown): readonly string[] {
  const system = isRecord(body) ? body[SYSTEM_KEYS[wire]] : undefined;
  return system === undefined || system === null ? [] : [textsOf(system)];
}

const SYSTEM_KEYS: Readonly<Record<WireName, string>> = {
  anthropic: "system",
  "openai-chat": "system",
  "openai-responses": "instructions",
  gemini: "systemInstruction",
};

function toolsOf(wire: WireName, body: unknown): readonly Fields[] {
  if (wire === "openai-responses") return responsesTools(body);
  const tools = recordsAt(body, "tools");
  if (wire === "gemini") return tools.flatMap((tool) => recordsAt(tool, "functionDeclarations"));
  return wire === "openai-chat" ? functionsOf(tools) : tools;
}

function functionsOf(tools: readonly Fields[]): readonly Fields[] {
  return tools.map((tool) => recordAt(tool, "function")).filter((tool) => tool !== null);
}

function hasFormOf(wire: WireName, body: unknown): boolean {
  if (wire === "gemini") {
    const config = recordAt(body, "generationConfig");
    return config?.responseJsonSchema !== undefined || config?.responseSchema !== undefined;
  }
  const form = recordAt(body, "response_format") ?? recordAt(recordAt(body, "text"), "format");
  return form !== null && form.type !== "text";
}

function maxOutputOf(wire: WireName, body: unknown): number | null {
  const config = wire === "gemini" ? recordAt(body, "generationConfig") : body;
  const keys = ["maxOutputTokens", "max_completion_tokens", "max_tokens", "max_output_tokens"];
  return keys.map((key) => numberAt(config, key)).find((value) => value !== null) ?? null;
}
