import type { AppliedEdit, SessionEntry } from "../entry.ts";
import type { Message } from "../message/message.ts";

/** Where appended messages stand in the log, both ends included, counted from 0 over messages alone. */
export interface LogPlaces {
  readonly first: number;
  readonly last: number;
}

/** Every message of a log: those that were appended, and those that compactions wrote. What a handle is looked up in. */
export interface LoggedMessages {
  /** The appended message at a place. */
  at(place: number): Message | undefined;
  /** The message of that id, whether it was appended or written by a compaction. */
  find(messageId: string): Message | undefined;
  /** The appended messages that a message stands for: itself, or what the compaction that wrote it put it in the place of. */
  placesOf(messageId: string): LogPlaces | undefined;
}

/** {@link LoggedMessages} that grows with the log. */
export interface MessageIndex extends LoggedMessages {
  /** Takes in one more entry. Where two messages share an id, the first keeps it. */
  add(entry: SessionEntry): void;
}

/** An index of an empty log. A compaction that is undone stays in it: its handles may have been read. */
export function createMessageIndex(): MessageIndex {
  const appended: Message[] = [];
  const known = new Map<string, { readonly message: Message; readonly places: LogPlaces }>();
  const learn = (message: Message, places: LogPlaces) => {
    if (!known.has(message.id)) known.set(message.id, { message, places });
  };
  const learnEdit = (edit: AppliedEdit) => {
    switch (edit.kind) {
      case "summarize":
        learn(edit.message, placesOfSpans(edit.spans, known));
        break;
      case "drop":
        if (edit.notice !== null) learn(edit.notice, placesOfSpans([edit], known));
        break;
      case "replace-history": {
        // A message that no one appended stands where the one before it does.
        let places: LogPlaces = { first: 0, last: 0 };
        for (const message of edit.messages) {
          const logged = known.get(message.id);
          places = logged?.places ?? places;
          // Where parts were taken out, the handles of the others count those that are left.
          if (logged?.message.parts.length !== message.parts.length) known.set(message.id, { message, places });
        }
        break;
      }
      case "replace-part":
        break;
      default:
        edit satisfies never;
    }
  };
  return {
    add: (entry) => {
      if (entry.type === "compaction") for (const edit of entry.edits) learnEdit(edit);
      if (entry.type !== "message") return;
      learn(entry.message, { first: appended.length, last: appended.length });
      appended.push(entry.message);
    },
    at: (place) => appended[place],
    find: (messageId) => known.get(messageId)?.message,
    placesOf: (messageId) => known.get(messageId)?.places,
  };
}

function placesOfSpans(
  spans: readonly { readonly from: string; readonly through: string }[],
  known: ReadonlyMap<string, { readonly places: LogPlaces }>,
): LogPlaces {
  const first = spans[0] === undefined ? undefined : known.get(spans[0].from)?.places.first;
  const last = known.get(spans.at(-1)?.through ?? "")?.places.last;
  return { first: first ?? 0, last: last ?? first ?? 0 };
}
