import type { Message } from "../src/message/message.ts";
import { calling, human, reply, result } from "../src/testing/builders.ts";

/** Length of the call that a lettered `C` makes in addition to its text: the tool's name and empty arguments, in bytes. */
const CALL_BYTES = 6;

/**
 * Messages from letters: `U` human, `A` reply, `C` a reply with one call, `R` the result of the oldest call without one. Ids are
 * positions. `tokens` is the size of each in units of four bytes; of a list the last size goes on.
 */
export function lettered(letters: string, tokens: number | readonly number[]): readonly Message[] {
  const sizes = typeof tokens === "number" ? [tokens] : tokens;
  const open: string[] = [];
  return [...letters].map((letter, index) => {
    const id = String(index);
    const bytes = 4 * (sizes[index] ?? sizes.at(-1) ?? 0);
    const text = textOfBytes(bytes);
    switch (letter) {
      case "U":
        return human(id, text);
      case "A":
        return reply(id, text);
      case "C":
        open.push(`call-${id}`);
        return calling(id, [`call-${id}`], textOfBytes(bytes - CALL_BYTES));
      case "R":
        return result(id, open.shift() ?? "no-call", text);
      default:
        throw new Error(`no such letter: ${letter}`);
    }
  });
}

/** A text of that many bytes, in words. */
export function textOfBytes(bytes: number): string {
  return "word ".repeat(Math.ceil(Math.max(0, bytes) / 5)).slice(0, Math.max(0, bytes - 1)) + (bytes > 0 ? "." : "");
}

/** The messages by id, a summary as `s` and a notice as `n`. */
export function shapeOf(messages: Iterable<Message>): string {
  return [...messages]
    .map((message) => {
      if (message.role === "tool-result" || message.origin === "human" || message.origin === "model") return message.id;
      return message.origin === "summary" ? "s" : message.origin === "notice" ? "n" : message.id;
    })
    .join(" ");
}
