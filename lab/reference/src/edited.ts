import type { Message, ToolResultMessage } from "@plimsoll/core";

/** A program's copies of messages: for the same message and the same change it is the same copy each time. */
export interface Edits {
  /** The message with one text in the place of all that it says. */
  withText(message: ToolResultMessage, text: string): Message;
  /** Returns `make` of the message, made once for each key. */
  once(message: Message, key: string, make: () => Message): Message;
}

/** Remembers the copies of one session, so that an untouched prefix stays the same objects from call to call. */
export function createEdits(): Edits {
  const copies = new Map<Message, Map<string, Message>>();
  const once: Edits["once"] = (message, key, make) => {
    const known = copies.get(message) ?? new Map<string, Message>();
    copies.set(message, known);
    const made = known.get(key) ?? make();
    known.set(key, made);
    return made;
  };
  return {
    once,
    withText: (message, text) => once(message, text, () => ({ ...message, parts: [{ type: "text", text }] })),
  };
}

/** A program's summary, or what it says with it, as a message of ours. */
export function writtenMessage(text: string, { id, nowMs }: { readonly id: string; readonly nowMs: number | null }): Message {
  return { role: "user", id, origin: "summary", parts: [{ type: "text", text }], atMs: nowMs };
}

/** Most tokens of a summary of which a program sets no bound: what the bench's likenesses have, so that all are given the same. */
export const SUMMARY_MAX_TOKENS = 13_107;
