import { parseHandle } from "../edit/handle.ts";
import type { Message } from "../message/message.ts";
import { characterBoundaryAtOrAfter, characterBoundaryAtOrBefore } from "../text.ts";

/** Which part of a text is wanted back, in UTF-16 code units. */
export interface RecallRange {
  readonly startChar: number;
  readonly maximumChars: number;
}

/** A piece of what a handle names; `totalChars` tells how much there is. */
export interface Recalled {
  readonly text: string;
  readonly startChar: number;
  readonly totalChars: number;
}

/** Never more than this comes back at once, so that a recall cannot fill the window; chosen. */
export const MAXIMUM_RECALL_CHARS = 16_000;

/**
 * A bounded piece of the original text that a handle of a cleared, shortened or dropped part names; `null` where the log has no such
 * message or part. `find` looks a logged message up by its id.
 */
export function recall(handle: string, range: RecallRange, find: (messageId: string) => Message | undefined): Recalled | null {
  const { messageId, partIndex } = parseHandle(handle);
  const part = (find(handle) ?? find(messageId))?.parts[find(handle) === undefined ? partIndex : 0];
  if (part === undefined || part.type === "image") return null;
  const text = part.type === "tool-call" ? part.argumentsJson : part.text;
  const start = characterBoundaryAtOrAfter(text, range.startChar);
  const end = characterBoundaryAtOrBefore(text, start + Math.min(range.maximumChars, MAXIMUM_RECALL_CHARS));
  return { text: text.slice(start, Math.max(start, end)), startChar: start, totalChars: text.length };
}
