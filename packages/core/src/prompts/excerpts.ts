import { CONTEXT_FRAMING, nameInBrackets, quotedText, unquotedText } from "../message/framing.ts";
import type { Message } from "../message/message.ts";

/** Lines of one message that stay readable when it is removed, word for word. */
export interface Excerpt {
  /** The origin of the message: a tool's name, or who said it. */
  readonly source: string;
  /** Finds the whole message again. */
  readonly handle: string;
  readonly lines: readonly string[];
}

const OPENING = "<excerpts>";
const CLOSING = "</excerpts>";
const HANDLE = "; handle ";

/** A closing tag inside a line, and how it is written so that it cannot end the block early. */
const TAG_END = "</";
const WRITTEN_TAG_END = "<\\/";

/** Excerpts as text that {@link excerptsIn} reads back; `null` if there are none. Lines are moved in, and those that would read as a head, a notice or a tag are quoted. */
export function excerptsText(excerpts: readonly Excerpt[]): string | null {
  if (excerpts.length === 0) return null;
  const blocks = excerpts.flatMap(({ source, handle, lines }) => [
    `[${nameInBrackets(quotedText(source, CONTEXT_FRAMING))}${HANDLE}${handle}]`,
    ...lines.map((line) => ` ${quotedText(line, CONTEXT_FRAMING).split(TAG_END).join(WRITTEN_TAG_END)}`),
  ]);
  return [OPENING, ...blocks, CLOSING].join("\n");
}

/** The excerpts that a summary or notice carries; none for any other message. */
export function excerptsIn(message: Message): readonly Excerpt[] {
  if (message.role === "tool-result" || (message.origin !== "summary" && message.origin !== "notice")) return [];
  const excerpts: (Excerpt & { readonly lines: string[] })[] = [];
  for (const part of message.parts) {
    if (part.type !== "text" || !part.text.startsWith(`${OPENING}\n`)) continue;
    for (const line of part.text.split("\n").slice(1, -1)) {
      const at = line.startsWith("[") ? line.lastIndexOf(HANDLE) : -1;
      if (at > 0)
        excerpts.push({
          source: unquotedText(line.slice(1, at), CONTEXT_FRAMING),
          handle: line.slice(at + HANDLE.length, -1),
          lines: [],
        });
      else excerpts.at(-1)?.lines.push(unquotedText(line.slice(1).split(WRITTEN_TAG_END).join(TAG_END), CONTEXT_FRAMING));
    }
  }
  return excerpts;
}
