import type { Message, ToolCallPart } from "@plimsoll/core";

/** One text part, one tool result, or one string or number in the arguments of a tool call. */
export function textsOf(message: Message): readonly string[] {
  const texts = message.parts.flatMap((part) => {
    if (part.type === "text") return [part.text];
    return part.type === "tool-call" ? stringsIn(argumentsOf(part)) : [];
  });
  return message.role === "tool-result" ? [texts.join("\n")] : texts;
}

/** Arguments that are no JSON are one text. */
export function argumentsOf(call: ToolCallPart): unknown {
  try {
    return JSON.parse(call.argumentsJson);
  } catch {
    return call.argumentsJson;
  }
}

/** The strings and numbers in a value, in their order. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** The calls of a message. */
export function callsOf(message: Message): readonly ToolCallPart[] {
  return message.parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
}

/** A text as it is compared. */
export function comparable(text: string): string {
  return comparableLines(text).join("\n");
}

/** How many lines a tool wrote above a command's output: up to eight that name a value or end in a number, one of them an exit code, then a name with a colon. */
export function headerCount(lines: readonly string[]): number {
  const values = lines.findIndex((line) => !/^[A-Z][^:]{2,40}(: .+| \d+)$/.test(line));
  const isClosed = values > 0 && values <= 8 && /^[A-Z]\w+:$/.test(lines[values] ?? "") && lines.length > values + 1;
  return isClosed && lines.slice(0, values).some((line) => /\bcode:? -?\d+$/.test(line)) ? values + 1 : 0;
}

/** A result's text behind that. */
export function withoutHeader(text: string): string {
  const lines = text.split("\n");
  return lines.slice(headerCount(lines)).join("\n");
}

/** The lines of a text as they are compared: as many as it has. */
export function comparableLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const filled = lines.slice(headerCount(lines)).filter((line) => line.trim() !== "");
  const numbered = filled.filter((line) => /^\s*\d+[\t|:]/.test(line));
  const isNumbered = numbered.length > 1 && numbered.length * 4 >= filled.length * 3;
  const isSpaced = numbered.every((line) => /^\s*\d+(\t|[|:] |[|:]\s*$)/.test(line));
  return lines.map((line) => {
    if (/^\s*\d+→/.test(line)) return line.slice(line.indexOf("→") + 1).trimEnd();
    if (!isNumbered || !/^\s*\d+[\t|:]/.test(line)) return line.trimEnd();
    const rest = line.trimStart().replace(/^\d+/, "");
    return rest.slice(isSpaced && /^[|:] /.test(rest) ? 2 : 1).trimEnd();
  });
}
