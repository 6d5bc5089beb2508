import { nameInBrackets } from "../message/framing.ts";

/** What is put in the place of cleared and shortened parts. */
export const STUB_TEXTS = { id: "stubs", version: 1 } as const;

/** A cleared part: what it was (cut if it is long), how large, and the handle that finds it again. */
export function clearedText(what: string, chars: number, handle: string): string {
  return `[${nameInBrackets(what)} cleared: ${chars} characters; handle ${handle}]`;
}

/** The line between the head and the tail of a shortened part. */
export function omittedText(chars: number, handle: string): string {
  return `[… ${chars} characters omitted; handle ${handle}]`;
}

/** What a stub may have in addition to its handle, in UTF-16 units: more is no stub of ours, whatever it ends in. */
const STUB_BESIDES_CHARS = 120;

/** True for a text that is the stub of that handle: there is nothing left to clear. */
export function isClearedText(text: string, handle: string): boolean {
  return (
    text.length <= handle.length + STUB_BESIDES_CHARS && text.startsWith("[") && text.endsWith(` characters; handle ${handle}]`)
  );
}
