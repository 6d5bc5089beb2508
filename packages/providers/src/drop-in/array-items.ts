import type { Message } from "@plimsoll/core";
import { withId } from "@plimsoll/core";
import type { ItemGroup } from "./wire-array.ts";

/** A group with its messages, which have ids. */
export interface FiledGroup<Item> extends ItemGroup<Item> {
  readonly messages: readonly Message[];
}

/** The groups with ids by chain hash. Groups whose items are the very objects of before keep their messages without a new hash. */
export function fileGroups<Item>(
  groups: readonly ItemGroup<Item>[],
  before: readonly FiledGroup<Item>[],
): readonly FiledGroup<Item>[] {
  let previousId: string | null = null;
  let isSame = true;
  return groups.map((group, index) => {
    const known = before[index];
    isSame &&= known !== undefined && isSameItems(group.items, known.items);
    const messages: Message[] = [];
    for (const draft of group.drafts) {
      const message: Message | undefined = isSame ? known?.messages[messages.length] : undefined;
      messages.push(message ?? withId(draft, previousId));
      previousId = messages.at(-1)?.id ?? previousId;
    }
    return { ...group, messages };
  });
}

function isSameItems<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** What is needed to write a view as items. */
export interface ItemSource<Item> {
  readonly filed: readonly FiledGroup<Item>[];
  /** The messages that entered the log as the array has them: what is still the same object was not touched. */
  readonly untouched: ReadonlySet<Message>;
  readonly encode: (messages: readonly Message[]) => readonly Item[];
}

/** The view as items: whole groups that nothing was done to as the caller's own, everything else encoded. */
export function itemsOf<Item>(view: readonly Message[], { filed, untouched, encode }: ItemSource<Item>): Item[] {
  const groupOf = new Map(filed.flatMap((group) => group.messages.slice(0, 1).map((message) => [message.id, group] as const)));
  const items: Item[] = [];
  let made: Message[] = [];
  for (let index = 0; index < view.length; ) {
    const message = view[index];
    if (message === undefined) break;
    const group = groupOf.get(message.id);
    const isWhole = group?.messages.every((each, offset) => {
      const viewed = view[index + offset];
      return viewed !== undefined && viewed.id === each.id && untouched.has(viewed);
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
