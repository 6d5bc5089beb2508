import { type AppliedEdit, messagesWrittenBy } from "../applied-edit.ts";
import type { SessionEntry } from "../entry.ts";
import { isHandleMeant, parseHandle, partHandle } from "../message/handle.ts";
import type { Message } from "../message/message.ts";

/** Where appended messages are in the log, both ends included, counted from 0 over messages alone. */
export interface LogPlaces {
  readonly first: number;
  readonly last: number;
}

/** Every message of a log: those that were appended, and those that compactions wrote. What a handle is looked up in. */
export interface LoggedMessages {
  /** The appended message at a place. */
  at(place: number): Promise<Message | undefined>;
  /** The message of that id, whether it was appended or written by a compaction. */
  find(messageId: string): Promise<Message | undefined>;
  /** The id of the first message that a handle names by a beginning of its own: what was told apart when it was written stands before what came later. */
  meant(handle: string): string | undefined;
  /** The appended messages that a message stands for: itself, or what the compaction that wrote it put it in the place of. */
  placesOf(messageId: string): LogPlaces | undefined;
}

/** {@link LoggedMessages} that grows with the log. It holds where messages are, never the messages. */
export interface MessageIndex extends LoggedMessages {
  /** True for the id of a message that was appended. */
  has(messageId: string): boolean;
  /** Takes in one more entry. If two messages share an id, the first keeps it. */
  add(entry: SessionEntry): void;
}

/** Reads an entry of the log by its index. */
export type EntryAt = (index: number) => Promise<SessionEntry | undefined>;

/** Where a message is: the entry, and which of the messages that it holds. */
interface Known {
  readonly entryIndex: number;
  readonly written: number;
  readonly partCount: number;
  readonly places: LogPlaces;
}

/** An index of an empty log. A compaction that is undone stays in it: its handles may have been read. */
export function createMessageIndex(entryAt: EntryAt): MessageIndex {
  /** The entry of each appended message, and its parts. */
  const appended: number[] = [];
  const partCounts: number[] = [];
  /** By message id: the place of a message that was appended, or all that is known of one that a compaction wrote. */
  const byId = new Map<string, number | Known>();
  let entryCount = 0;

  const knownOf = (id: string): Known | undefined => {
    const place = byId.get(id);
    if (typeof place !== "number") return place;
    const [entryIndex = 0, partCount = 0] = [appended[place], partCounts[place]];
    return { entryIndex, written: 0, partCount, places: { first: place, last: place } };
  };

  const learnEdit = (edit: AppliedEdit, writtenBefore: number) => {
    const learn = (message: Message, places: LogPlaces) => {
      const at = { entryIndex: entryCount, written: writtenBefore, partCount: message.parts.length, places };
      if (!byId.has(message.id)) byId.set(message.id, at);
    };
    switch (edit.kind) {
      case "replace-spans":
        if (edit.message !== null) learn(edit.message, placesOfSpans(edit.spans, knownOf));
        break;
      case "replace-history": {
        // A message that nobody appended has the place of the one before it.
        let places: LogPlaces = { first: 0, last: 0 };
        for (const [order, { id, parts }] of edit.messages.entries()) {
          const logged = knownOf(id);
          places = logged?.places ?? places;
          const at = { entryIndex: entryCount, written: writtenBefore + order, partCount: parts.length, places };
          // If parts were taken out, the handles of the others count those that are left.
          if (logged?.partCount !== parts.length) byId.set(id, at);
        }
        break;
      }
      case "replace-part":
        break;
      default:
        edit satisfies never;
    }
  };
  const messageAt = async ({ entryIndex, written }: Pick<Known, "entryIndex" | "written">): Promise<Message | undefined> =>
    messagesOf(await entryAt(entryIndex))[written];
  return {
    has: (messageId) => typeof byId.get(messageId) === "number",
    add: (entry) => {
      if (entry.type === "message") {
        const { id, parts } = entry.message;
        if (!byId.has(id)) byId.set(id, appended.length);
        appended.push(entryCount);
        partCounts.push(parts.length);
      }
      if (entry.type === "compaction") {
        let writtenCount = 0;
        for (const edit of entry.edits) {
          learnEdit(edit, writtenCount);
          writtenCount += messagesWrittenBy(edit).length;
        }
      }
      entryCount += 1;
    },
    at: async (place) => {
      const entryIndex = appended[place];
      return entryIndex === undefined ? undefined : await messageAt({ entryIndex, written: 0 });
    },
    find: async (messageId) => {
      const at = knownOf(messageId);
      return at === undefined ? undefined : await messageAt(at);
    },
    meant: (handle) => {
      const { partIndex } = parseHandle(handle);
      for (const id of byId.keys()) if (isHandleMeant(partHandle(id, partIndex), handle)) return id;
      return undefined;
    },
    placesOf: (messageId) => knownOf(messageId)?.places,
  };
}

/** The message that was appended, or those that a compaction wrote. */
function messagesOf(entry: SessionEntry | undefined): readonly Message[] {
  if (entry?.type === "message") return [entry.message];
  return entry?.type === "compaction" ? entry.edits.flatMap(messagesWrittenBy) : [];
}

/** All that the spans cover. An end may stand for more than the other: a summary that stepped over a message is shown before it. */
function placesOfSpans(
  spans: readonly { readonly from: string; readonly through: string }[],
  knownOf: (id: string) => Pick<Known, "places"> | undefined,
): LogPlaces {
  const ends = spans.flatMap(({ from, through }) => [from, through].flatMap((id) => knownOf(id)?.places ?? []));
  if (ends.length === 0) return { first: 0, last: 0 };
  return { first: Math.min(...ends.map(({ first }) => first)), last: Math.max(...ends.map(({ last }) => last)) };
}
