import type { Message, SessionEntry, UserMessage } from "@plimsoll/core";
import { entryIdOf, type MessageDraft, withId } from "@plimsoll/core/extend";
import type { LogItem, UserItem } from "./log-items.ts";
import { isNotice } from "./who-said.ts";

/** A session log in the making: it gives ids, keeps the recorded agent's view and finds the message of an item again. */
export interface LogWriter {
  readonly entries: readonly SessionEntry[];
  view(): readonly Message[];
  /** The id of the message made last, appended or not; the next chain id builds on it. */
  lastMessageId(): string | null;
  lastEntryId(): string;
  known(): Iterable<Message>;
  /** The source's id; `null` if there is none, or an entry or a message of the log has it already. */
  freeId(sourceId: string | null): string | null;
  messageOf(item: LogItem): Message | undefined;
  /** Records the item of a message that was not appended, such as a summary. */
  know(item: LogItem, message: Message): void;
  /** Gives the draft its id: the source's if it is free, else the chain id. */
  identify(draft: MessageDraft, sourceId: string | null): Message;
  append(item: LogItem, message: Message): void;
  push(entry: SessionEntry): void;
  replaceView(messages: readonly Message[]): void;
}

/** A writer whose log holds the session entry. */
export function createLogWriter(start: Extract<SessionEntry, { readonly type: "session" }>): LogWriter {
  const entries: SessionEntry[] = [start];
  const messageOf = new Map<LogItem, Message>();
  const known = new Set<Message>();
  const ids = new Set<string>([start.id]);
  let view: Message[] = [];
  let lastMessageId: string | null = null;
  const freeId = (sourceId: string | null) => (sourceId === "" || ids.has(sourceId ?? "") ? null : sourceId);
  return {
    entries,
    view: () => view,
    lastMessageId: () => lastMessageId,
    lastEntryId: () => entryIdOf(entries.at(-1) ?? start),
    known: () => known,
    freeId,
    messageOf: (item) => messageOf.get(item),
    know: (item, message) => void messageOf.set(item, message),
    identify: (draft, sourceId) => {
      const message = withId(withoutMarks(draft), lastMessageId, freeId(sourceId) ?? undefined);
      lastMessageId = message.id;
      ids.add(message.id);
      return message;
    },
    append: (item, message) => {
      entries.push({ type: "message", message });
      messageOf.set(item, message);
      known.add(message);
      view.push(message);
    },
    push: (entry) => {
      ids.add(entryIdOf(entry));
      entries.push(entry);
    },
    replaceView: (messages) => {
      view = [...messages];
      for (const message of messages) known.add(message);
    },
  };
}

/** The message of an item without its id; parts without a visible character are left out. */
export function userDraft(item: UserItem): Omit<UserMessage, "id"> {
  const parts = item.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  const [first] = parts;
  const origin = item.origin === "human" && first?.type === "text" && isNotice(first.text) ? "injected" : item.origin;
  return { role: "user", origin, parts, atMs: item.atMs };
}

/** Appends the item's message; one with nothing to send is left out. */
export function appendUser(writer: LogWriter, item: UserItem): void {
  const draft = userDraft(item);
  if (draft.parts.length > 0) writer.append(item, writer.identify(draft, item.sourceId));
}

/** The draft without the importers' notes on its parts. */
function withoutMarks<Draft extends MessageDraft>(draft: Draft): Draft {
  if (draft.parts.every((part) => !("block" in part))) return draft;
  const parts = draft.parts.map((part) => Object.fromEntries(Object.entries(part).filter(([name]) => name !== "block")));
  return { ...draft, parts };
}
