/** The handle of one part of a logged message: the message's id and, past the first part, its index. */
export function partHandle(messageId: string, partIndex: number): string {
  return partIndex === 0 ? messageId : `${messageId}#${partIndex}`;
}

/** The message id and part index that a handle names. */
export function parseHandle(handle: string): { readonly messageId: string; readonly partIndex: number } {
  const at = handle.lastIndexOf("#");
  const partIndex = at < 0 ? Number.NaN : Number(handle.slice(at + 1));
  return Number.isInteger(partIndex) ? { messageId: handle.slice(0, at), partIndex } : { messageId: handle, partIndex: 0 };
}

/** The handle of a span of logged messages: its first and last message ids. */
export function spanHandle(span: { readonly from: string; readonly through: string }): string {
  return `${span.from}..${span.through}`;
}

/** The ends of the span that a handle names; `null` for the handle of a single part. */
export function parseSpanHandle(handle: string): { readonly from: string; readonly through: string } | null {
  const at = handle.indexOf("..");
  return at <= 0 ? null : { from: handle.slice(0, at), through: handle.slice(at + 2) };
}
