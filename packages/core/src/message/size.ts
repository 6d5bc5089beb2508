import type { CoverageCount } from "../applied-edit.ts";
import type { Message, Part } from "./message.ts";

/** UTF-16 code units of a part's own text: what is sent for it, without an image's bytes. */
export function partChars(part: Part): number {
  switch (part.type) {
    case "text":
      return part.text.length;
    case "reasoning":
      return part.text.length;
    case "tool-call":
      return part.toolName.length + part.argumentsJson.length;
    case "image":
      return 0;
    default:
      return part satisfies never;
  }
}

/** UTF-16 code units of all parts of a message. */
export function messageChars(message: Message): number {
  let chars = 0;
  for (const part of message.parts) chars += partChars(part);
  return chars;
}

/** Counts these messages, their parts and their UTF-16 code units: the loss if a compaction removes them. */
export function coverageOf(messages: readonly Message[]): CoverageCount {
  let parts = 0;
  let chars = 0;
  for (const message of messages) {
    parts += message.parts.length;
    chars += messageChars(message);
  }
  return { messages: messages.length, parts, chars };
}
