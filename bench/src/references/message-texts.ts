import type { Message, Part } from "@plimsoll/core";

/**
 * The texts of a message in which a reference can be read: its text parts and the values of its calls' arguments, each string
 * or number on its own, unescaped (arguments that are no JSON: as they stand). Reasoning is left out, for many wires do not send
 * it again; so are tool names and images.
 */
export function messageTexts(message: Message): readonly string[] {
  return message.parts.flatMap(partTexts);
}

function partTexts(part: Part): readonly string[] {
  switch (part.type) {
    case "text":
      return [part.text];
    case "tool-call":
      return argumentTexts(part.argumentsJson);
    case "reasoning":
    case "image":
      return [];
    default:
      return part satisfies never;
  }
}

function argumentTexts(argumentsJson: string): readonly string[] {
  const parsed = parseJson(argumentsJson);
  if (parsed === NOT_JSON) return [argumentsJson];
  const texts: string[] = [];
  const open: unknown[] = [parsed];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number") texts.push(String(value));
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value).reverse()) open.push(inner);
  }
  return texts;
}

const NOT_JSON = Symbol("not JSON");

/** Arguments that a model cut off or misspelled are kept as text, not refused. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
