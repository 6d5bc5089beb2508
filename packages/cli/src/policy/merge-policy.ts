import { isRecord } from "@plimsoll/core/internal";

/**
 * A preset's data with changed values put in. A map is changed key by key where the preset has all of these keys and both are of the
 * same kind; otherwise, and for lists and single values, the new value takes the place of the old one. So `{ ratio: 0.9 }` changes the
 * ratio of a share, and `{ tokens: 9000 }` replaces the share by an amount.
 */
export function mergePolicy(base: unknown, changes: unknown): unknown {
  if (!isRecord(base) || !isRecord(changes) || !isSameShape(base, changes)) return changes;
  const merged = Object.entries(base).map(([key, value]): [string, unknown] =>
    Object.hasOwn(changes, key) ? [key, mergePolicy(value, changes[key])] : [key, value],
  );
  return Object.fromEntries(merged);
}

function isSameShape(base: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>>): boolean {
  const isSameKind = !Object.hasOwn(changes, "kind") || changes.kind === base.kind;
  return isSameKind && Object.keys(changes).every((key) => Object.hasOwn(base, key));
}
