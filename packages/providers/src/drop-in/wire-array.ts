import type { Message, Usage } from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/internal";

/** Items of a caller's array that belong together, and the messages that they are. An item with several results is several messages. */
export interface ItemGroup<Item> {
  readonly items: readonly Item[];
  readonly drafts: readonly MessageDraft[];
}

/** What a vendor's answer tells of the request that it answers. */
export interface ObservedAnswer {
  readonly requestId: string;
  readonly modelId: string;
  readonly usage: Usage;
  /** When it was answered, if it tells. */
  readonly atMs?: number;
}

/** How one kind of array is read and written. */
export interface WireArray<Item, Answer> {
  /** The items as messages, in order. System text that stands among them is left to `systemOf`. */
  readonly groups: (items: readonly Item[]) => readonly ItemGroup<Item>[];
  /** The items at the array's beginning that are system text: sent as they are, counted as overhead. */
  readonly systemOf: (items: readonly Item[]) => { readonly items: readonly Item[]; readonly text: string };
  /** Messages that compaction made or changed, as items. */
  readonly encode: (messages: readonly Message[]) => readonly Item[];
  /** Joins what only looks right when joined (neighbours of one role); the items as they are where nothing has to be. */
  readonly joined: (items: readonly Item[]) => readonly Item[];
  readonly observed: (answer: Answer) => ObservedAnswer | null;
}
