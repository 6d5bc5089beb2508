import type { Message, SessionEntry, ToolCallPart } from "@plimsoll/core";
import { textOf, toolCallsOf } from "@plimsoll/core";
import { messageTexts } from "./message-texts.ts";

/** From the message at `ordinal` on this error is the newest that stands, by number; with `null` none does. */
interface ErrorEvent {
  readonly ordinal: number;
  readonly error: number | null;
}

/** The errors of a session's calls. */
export interface LastErrors {
  /** In the order of the messages that they come from. */
  readonly events: readonly ErrorEvent[];
  /** The errors, by number. */
  readonly errors: readonly string[];
  /** Whether an error can be read in a message. Each message is read once for each error that is asked about, for all replays. */
  isIn(error: number, message: Message): boolean;
}

/** Of an error its end says what failed (chosen). */
const ERROR_CHARS = 160;

/** Finds them in one pass over the entries. `ordinalOf` tells the recorded messages' places. */
export function prepareLastErrors(
  entries: readonly SessionEntry[],
  ordinalOf: (message: Message) => number | null,
): LastErrors {
  const numbers = new Map<string, number>();
  const read = createReader();
  const events = entries.flatMap((entry): readonly ErrorEvent[] => {
    const ordinal = entry.type === "message" ? ordinalOf(entry.message) : null;
    if (entry.type !== "message" || ordinal === null) return [];
    const change = read(entry.message);
    if (change === null) return [];
    const { error } = change;
    if (error === null || error.trim() === "") return [{ ordinal, error: null }];
    const number = numbers.get(error) ?? numbers.size;
    numbers.set(error, number);
    return [{ ordinal, error: number }];
  });
  return lastErrorsOf({ events, errors: [...numbers.keys()] });
}

/** The errors of a session in which they were found before. */
export function lastErrorsOf({ events, errors }: Pick<LastErrors, "events" | "errors">): LastErrors {
  const known = new WeakMap<Message, Map<number, boolean>>();
  return {
    events,
    errors,
    isIn: (error, message) => {
      const answers = known.get(message) ?? new Map<number, boolean>();
      known.set(message, answers);
      const before = answers.get(error);
      if (before !== undefined) return before;
      const wanted = errors[error];
      const isThere = wanted !== undefined && messageTexts(message).some((text) => text.includes(wanted));
      answers.set(error, isThere);
      return isThere;
    },
  };
}

/** Reads messages in their order: a call that failed is due until it succeeds or another one fails. `null` if a message changes nothing. */
function createReader(): (message: Message) => { readonly error: string | null } | null {
  let openCalls = new Map<string, ToolCallPart>();
  let failed: string | null = null;
  return (message) => {
    if (message.role === "assistant") openCalls = new Map(toolCallsOf(message).map((call) => [call.callId, call]));
    if (message.role !== "tool-result") return null;
    const call = openCalls.get(message.callId);
    const key = call === undefined ? message.callId : `${call.toolName} ${call.argumentsJson}`;
    if (message.isError) {
      failed = key;
      return { error: textOf(message).trimEnd().slice(-ERROR_CHARS) };
    }
    if (key !== failed) return null;
    failed = null;
    return { error: null };
  };
}
