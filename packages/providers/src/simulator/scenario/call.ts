import { isRecord } from "@plimsoll/core/internal";
import type { SimulatedPart } from "../reply.ts";
import type { ScenarioCall, ScenarioText, ToolPattern } from "./scenario.ts";

/** Characters a token, as the simulator counts by default. */
const CHARS_PER_TOKEN = 4;

/** The parts of a reply that calls one of the request's tools; says so in text if the patterns fit none of them. */
export function callParts(
  { outputTokens, text, use }: ScenarioCall,
  { patterns, toolNames, callNumber }: CallSurroundings,
): readonly SimulatedPart[] {
  const said: readonly SimulatedPart[] = text === undefined ? [] : [{ type: "text", text }];
  const usable = patterns.filter((pattern) => pattern.use === use);
  for (const pattern of usable) {
    const toolName = toolNames.find((name) => isNamed(name, pattern.name));
    if (toolName === undefined) continue;
    const values = { n: String(callNumber), chars: String(outputTokens * CHARS_PER_TOKEN) };
    const given = filled(pattern.arguments, values);
    const call: SimulatedPart =
      typeof given === "string"
        ? { type: "tool-call", toolName, argumentsJson: given, form: "text" }
        : { type: "tool-call", toolName, argumentsJson: JSON.stringify(given) };
    return [...said, call];
  }
  return [...said, { type: "text", text: "The request has no tool that the scenario can call." }];
}

/** Facts that a call is made from. */
export interface CallSurroundings {
  readonly patterns: readonly ToolPattern[];
  readonly toolNames: readonly string[];
  /** Counted from 1. */
  readonly callNumber: number;
}

function isNamed(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The value with the places in its texts filled. */
function filled(value: unknown, values: { readonly [place: string]: string }): unknown {
  if (typeof value === "string")
    return value
      .split(/\{(n|chars)\}/)
      .map((piece, index) => (index % 2 === 0 ? piece : (values[piece] ?? "")))
      .join("");
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, values));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, values)]));
}

/** A text of a scenario. One of a size is made of numbered sentences, so that no line comes twice. */
export function textOf(text: ScenarioText): string {
  if ("text" in text) return text.text;
  const chars = text.tokens * CHARS_PER_TOKEN;
  const lines: string[] = [];
  for (let length = 0; length < chars; length += (lines.at(-1)?.length ?? 0) + 1)
    lines.push(`This is line ${lines.length + 1}.`);
  return lines.join("\n").slice(0, chars);
}
