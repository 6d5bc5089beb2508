import type { Message } from "@plimsoll/core";
import { canonicalContent, withId } from "@plimsoll/core/internal";
import type { ItemGroup } from "./wire-array.ts";

/** A group with its messages, which have ids. */
export interface FiledGroup<Item> extends ItemGroup<Item> {
  readonly messages: readonly Message[];
}

/** The messages of groups, by their first item: what was read once is not read and hashed again. */
export type FiledItems<Item> = WeakMap<WeakKey, { readonly previousId: string | null; readonly group: FiledGroup<Item> }>;

/**
 * The groups with ids by chain hash. A group whose items are the very objects of before, after the same history, keeps its messages; an item
 * that changes has to be a new object.
 */
export function fileGroups<Item>(groups: readonly ItemGroup<Item>[], filed: FiledItems<Item>): readonly FiledGroup<Item>[] {
  let previousId: string | null = null;
  return groups.map((group) => {
    const [key] = group.items;
    const known = isObject(key) ? filed.get(key) : undefined;
    const isKnown = known?.previousId === previousId && isSameItems(group.items, known.group.items);
    const made = isKnown ? known.group : { ...group, messages: withIds(group, previousId) };
    if (isObject(key) && !isKnown) filed.set(key, { previousId, group: made });
    previousId = made.messages.at(-1)?.id ?? previousId;
    return made;
  });
}

function withIds<Item>({ drafts }: ItemGroup<Item>, after: string | null): readonly Message[] {
  let previousId = after;
  return drafts.map((draft) => {
    const message = withId(draft, previousId);
    previousId = message.id;
    return message;
  });
}

function isObject(value: unknown): value is WeakKey {
  return typeof value === "object" && value !== null;
}

function isSameItems<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** Whether a message of a view says what the array's message of that id says, each compared once. */
export type IsUntouched = (viewed: Message, own: Message) => boolean;

/** Compares by identity first, then by content: a view that came back from a store has objects of its own. */
export function createIsUntouched(): IsUntouched {
  const known = new WeakMap<Message, boolean>();
  return (viewed, own) => {
    if (viewed.parts === own.parts) return true;
    const before = known.get(viewed);
    if (before !== undefined) return before;
    const isSame = canonicalContent(viewed) === canonicalContent(own);
    known.set(viewed, isSame);
    return isSame;
  };
}

/** What is needed to write a view as items. */
export interface ItemSource<Item> {
  readonly filed: readonly FiledGroup<Item>[];
  readonly isUntouched: IsUntouched;
  readonly encode: (messages: readonly Message[]) => readonly Item[];
}

/** The view as items: whole groups that nothing was done to as the caller's own, everything else encoded. */
export function itemsOf<Item>(view: readonly Message[], { filed, isUntouched, encode }: ItemSource<Item>): Item[] {
  const groupOf = new Map(filed.flatMap((group) => group.messages.slice(0, 1).map((message) => [message.id, group] as const)));
  const items: Item[] = [];
  let made: Message[] = [];
  for (let index = 0; index < view.length; ) {
    const message = view[index];
    if (message === undefined) break;
    const group = groupOf.get(message.id);
    const isWhole = group?.messages.every((each, offset) => {
      const viewed = view[index + offset];
      return viewed !== undefined && viewed.id === each.id && isUntouched(viewed, each);
    });
    if (group === undefined || isWhole !== true) {
      made.push(message);
      index += 1;
      continue;
    }
    items.push(...encode(made), ...group.items);
    made = [];
    index += group.messages.length;
  }
  return [...items, ...encode(made)];
}
