import type { CoverageCount } from "../applied-edit.ts";
import { nameInBrackets } from "../message/framing.ts";
import type { Message } from "../message/message.ts";

/** The notice in the place of messages that were dropped without a summary. */
const _DROPPED_NOTICE = { id: "dropped-notice", version: 1 } as const;

/** The notice's text; it counts what went and names the handle that finds it again. */
export function droppedText(covered: CoverageCount, handle: string): string {
  const messages = covered.messages === 1 ? "1 earlier message was" : `${covered.messages} earlier messages were`;
  return `[Notice: the history was emergency-compacted. ${messages} (${covered.chars} characters) dropped from the context without a summary; they remain in the session log, handle ${handle}. Ask for what you need or read files again.]`;
}

/** The stubs in the place of cleared and shortened parts. */
const _STUB_TEXTS = { id: "stubs", version: 1 } as const;

/** A cleared part: what it was (cut if it is long), how large, and the handle that finds it again. */
export function clearedText(what: string, chars: number, handle: string): string {
  return `[${nameInBrackets(what)} cleared: ${chars} characters; handle ${handle}]`;
}

/** The line between the head and the tail of a shortened part. */
export function omittedText(chars: number, handle: string): string {
  return `[… ${chars} characters omitted; handle ${handle}]`;
}

/** UTF-16 units that a stub may have in addition to its handle: with more it is no stub of ours, whatever it ends in. */
const STUB_BESIDES_CHARS = 120;

/** True for a text that is the stub of that handle: there is nothing left to clear. */
export function isClearedText(text: string, handle: string): boolean {
  return (
    text.length <= handle.length + STUB_BESIDES_CHARS && text.startsWith("[") && text.endsWith(` characters; handle ${handle}]`)
  );
}

/** The notice in the place of messages that were dropped if no model summarised them, with who said how much. */
const _TRUNCATE_NOTICE = { id: "truncate-notice", version: 1 } as const;

/**
 * The notice's text, e.g. `[Compacted 5 messages: 2 user, 2 assistant, 1 tool result; handle …]`. The files that were touched are listed with it, as they
 * are with every summary.
 */
export function truncateText(messages: readonly Message[], handle: string): string {
  const counts = [
    counted(messages, "user", "user"),
    counted(messages, "assistant", "assistant"),
    counted(messages, "tool-result", "tool result"),
  ].filter((count) => count !== null);
  const noun = messages.length === 1 ? "message" : "messages";
  return `[Compacted ${messages.length} ${noun}: ${counts.join(", ")}; handle ${handle}]`;
}

function counted(messages: readonly Message[], role: Message["role"], label: string): string | null {
  const count = messages.filter((message) => message.role === role).length;
  return count === 0 ? null : `${count} ${label}`;
}
