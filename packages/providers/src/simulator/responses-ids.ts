/** What stands between an item's own id and the id of the reasoning that it came with. */
const AFTER = "_after_";

/** The id of an item: it tells the reasoning that came before it in its reply, so that a request can be checked without a store. */
export function itemId(name: string, reasoningId: string | null): string {
  return reasoningId === null ? name : `${name}${AFTER}${reasoningId}`;
}

/** The id of the reasoning that the item came with; `null` for none, and for ids that are not ours. */
export function reasoningBefore(id: string): string | null {
  const [, reasoningId] = id.split(AFTER);
  return reasoningId ?? null;
}
