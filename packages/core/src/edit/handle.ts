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
