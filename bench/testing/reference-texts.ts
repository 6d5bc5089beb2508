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

/** Takes what a tool put around a result away: the header, then up to twelve lines at either end that are blank, tags or short elements, or words in brackets. Of nothing else all stays. */
export function shownIn(text: string): { readonly above: number; readonly lines: readonly string[] } {
  const all = text.split("\n");
  const header = headerCount(all.map((line) => line.trimEnd()));
  const body = all.slice(header);
  const above = leadingFrames(body);
  if (above + leadingFrames(body.toReversed()) >= body.length) return { above: header, lines: body };
  return { above: header + above, lines: body.slice(above, body.length - leadingFrames(body.toReversed())) };
}

function leadingFrames(lines: readonly string[]): number {
  const first = lines.slice(0, 12).findIndex((line) => line.length > 320 || !isFrame(line.trimEnd()));
  return first < 0 ? Math.min(12, lines.length) : first;
}

/** A line that does not begin indented and is a tag, an element or a sentence in one pair of brackets. */
function isFrame(line: string): boolean {
  const [first = "", last = ""] = [line.at(0), line.at(-1)];
  const inside = line.slice(1, -1);
  if (line === "") return true;
  if (first === "<" && last === ">" && /^\/?[a-z]/.test(inside)) {
    const pieces = inside.split(/[<>]/);
    if (pieces.length === 1) return true;
    const [opening = "", , closing = ""] = pieces;
    return (
      pieces.length === 3 &&
      /^>[^<>]*<$/.test(inside.slice(opening.length, inside.length - closing.length)) &&
      closing === `/${nameIn(opening)}`
    );
  }
  const isInBrackets = (first === "[" && last === "]") || (first === "(" && last === ")");
  if (!isInBrackets || inside.includes(first) || inside.includes(last)) return false;
  return /[\p{L}\d] \p{L}/u.test(inside.split(/["'{]/)[0] ?? "");
}

function nameIn(tag: string): string {
  return /^[a-z][\w-]*/.exec(tag)?.[0] ?? "";
}

/** The lines of a text as they are compared: as many as it has. */
export function comparableLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const filled = shownIn(text).lines.filter((line) => line.trim() !== "");
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
