import { type Fields, recordAt, recordsAt, stringAt } from "../fields.ts";

/** A chat put together from its records. */
export interface Conversation {
  readonly metadata: Fields;
  readonly messages: readonly Fields[];
}

/**
 * The chat that records give: the first has the metadata (in a document, the messages too). A record with a known id is a later
 * state of that message and takes its place. Messages that a rewind or a checkpoint took back stay: calls were made with them.
 */
export function conversationOf(records: readonly Fields[]): Conversation {
  const [metadata = {}, ...rest] = records;
  const messages = new Map<string, Fields>();
  const put = (message: Fields) => {
    const id = stringAt(message, "id") ?? String(messages.size);
    if (stringAt(message, "type") !== null) messages.set(id, message);
  };
  for (const message of recordsAt(metadata, "messages")) put(message);
  for (const record of rest) {
    const update = recordAt(record, "$set");
    if (update === null) put(record);
    for (const message of recordsAt(update, "messages")) put(message);
  }
  return { metadata, messages: [...messages.values()] };
}
