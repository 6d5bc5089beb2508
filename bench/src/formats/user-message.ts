import type { UserMessage } from "@plimsoll/core";
import type { UserItem } from "./log-items.ts";
import type { LogWriter } from "./log-writer.ts";

/** The message of an item without its id; parts without a visible character are left out. */
export function userDraft(item: UserItem): Omit<UserMessage, "id"> {
  const parts = item.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return { role: "user", origin: item.origin, parts, atMs: item.atMs };
}

/** Appends the item's message; one with nothing to send is left out. */
export function appendUser(writer: LogWriter, item: UserItem): void {
  const draft = userDraft(item);
  if (draft.parts.length > 0) writer.append(item, writer.identify(draft, item.sourceId));
}
