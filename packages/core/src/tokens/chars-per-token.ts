import type { Message, Part } from "../message/message.ts";
import { codePointCount, utf8Bytes } from "../text.ts";
import type { MessageMeasure } from "./measure.ts";
import type { WorkCounter } from "./work.ts";

/** The field's common heuristic: length divided by a constant. Systems differ in what they count and how they round. */
export interface CharsPerTokenSpec {
  readonly kind: "chars-per-token";
  readonly charsPerToken: number;
  readonly unit: "utf8-bytes" | "utf16-units" | "code-points";
  readonly rounding: "floor" | "ceil";
  /** Added to each message, for the wire's framing. */
  readonly perMessageTokens: number;
  /** A message never counts less. */
  readonly minimumMessageTokens: number;
  readonly imageTokens: number;
}

/** A {@link MessageMeasure} by length. Linear in what it has not seen before. */
export function charsPerToken(spec: CharsPerTokenSpec, work: WorkCounter): MessageMeasure {
  const known = new WeakMap<Message, number>();
  const lengthOf = (text: string) => {
    work.scanned(text.length);
    return unitLength(text, spec.unit);
  };
  const tokensFor = (length: number) => {
    const tokens = length / spec.charsPerToken;
    return spec.rounding === "floor" ? Math.floor(tokens) : Math.ceil(tokens);
  };
  const priced = (message: Message) => {
    work.visited(1);
    let length = 0;
    let images = 0;
    for (const part of message.parts) {
      length += partTexts(part).reduce((sum, text) => sum + lengthOf(text), 0);
      if (part.type === "image") images += 1;
    }
    return Math.max(spec.minimumMessageTokens, tokensFor(length) + images * spec.imageTokens) + spec.perMessageTokens;
  };
  return {
    name: `chars-per-token(${spec.charsPerToken}, ${spec.unit})`,
    messageTokens: (message) => {
      const seen = known.get(message);
      if (seen !== undefined) return seen;
      const tokens = priced(message);
      known.set(message, tokens);
      return tokens;
    },
    textTokens: (text) => tokensFor(lengthOf(text)),
    toolsTokens: (tools) =>
      tools.reduce(
        (sum, tool) => sum + tokensFor(lengthOf(tool.name) + lengthOf(tool.description) + lengthOf(tool.parametersJson)),
        0,
      ),
  };
}

function unitLength(text: string, unit: CharsPerTokenSpec["unit"]): number {
  switch (unit) {
    case "utf8-bytes":
      return utf8Bytes(text);
    case "utf16-units":
      return text.length;
    case "code-points":
      return codePointCount(text);
    default:
      return unit satisfies never;
  }
}

/** The texts of a part that are sent: a call counts its name and its arguments. */
function partTexts(part: Part): readonly string[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [part.text];
    case "tool-call":
      return [part.toolName, part.argumentsJson];
    case "image":
      return [];
    default:
      return part satisfies never;
  }
}
