/** What stands in the place of cleared and shortened parts. */
export const STUB_TEXTS = { id: "stubs", version: 1 } as const;

/** A cleared part: what it was, how large, and the handle that finds it again. */
export function clearedText(what: string, chars: number, handle: string): string {
  return `[${what} cleared: ${chars} characters; handle ${handle}]`;
}

/** The line between the head and the tail of a shortened part. */
export function omittedText(chars: number, handle: string): string {
  return `[… ${chars} characters omitted; handle ${handle}]`;
}
