import type { CompactionEntry, Message, SessionEntry } from "@plimsoll/core";
import { createContextManager, createDigest, isHuman, textOf } from "@plimsoll/core";
import type { RefusedSession } from "./refused-session.ts";

/** The view that one cut left, beside the plain tail of the same true size. */
export interface HeldAfterCut {
  readonly reason: CompactionEntry["record"]["reason"];
  /** True tokens of the view's messages. */
  readonly viewTokens: number;
  /** Messages that each holds, by {@link heldCount}. */
  readonly view: number;
  readonly tail: number;
}

/** Characters that tell a message from others where it is quoted. */
const BEGINNING_CHARS = 40;

/**
 * Counts what a view holds of a session's own messages: one for each that is whole or whose beginning, if no other has the same, is quoted, and one more for each of the
 * person's that stands word for word. Texts that a cut wrote count for what they quote alone.
 */
function heldCount(said: readonly Message[], view: readonly Message[]): number {
  const whole = new Set(view.map(keyOf));
  const text = view.map(textOf).join("\n");
  const times = new Map<string, number>();
  for (const message of said) times.set(beginningOf(message), (times.get(beginningOf(message)) ?? 0) + 1);
  return said.reduce((count, message) => {
    const beginning = beginningOf(message);
    const isWhole = whole.has(keyOf(message));
    const isQuoted = beginning.trim() !== "" && times.get(beginning) === 1 && text.includes(beginning);
    const isWordForWord = isHuman(message) && (isWhole || (isQuoted && text.includes(textOf(message))));
    return count + (isWhole || isQuoted ? 1 : 0) + (isWordForWord ? 1 : 0);
  }, 0);
}

function beginningOf(message: Message): string {
  return textOf(message).slice(0, BEGINNING_CHARS);
}

/**
 * The views after all cuts of a played session that stand, each beside its plain tail: the newest messages of the log, whole, as many as fit the true size of the view's
 * messages, notices and summaries among them. A tail need not be sendable.
 */
export function heldAfterCuts(session: RefusedSession, entries: readonly SessionEntry[]): readonly HeldAfterCut[] {
  const undone = new Set(entries.flatMap((entry) => (entry.type === "revert" ? [entry.compactionId] : [])));
  return entries.flatMap((entry, at) => {
    if (entry.type !== "compaction" || undone.has(entry.id)) return [];
    const said = entries.slice(0, at).flatMap((each) => (each.type === "message" ? [each.message] : []));
    const view = viewOf(entries.slice(0, at + 1), session);
    const viewChars = view.reduce((sum, message) => sum + charsOf(message), 0);
    const viewTokens = Math.ceil(viewChars / session.charsPerToken);
    const tail = tailOf(said, viewChars);
    return [{ reason: entry.record.reason, viewTokens, view: heldCount(said, view), tail: heldCount(said, tail) }];
  });
}

function tailOf(said: readonly Message[], mostChars: number): readonly Message[] {
  let chars = 0;
  const first = said.findLastIndex((message) => {
    chars += charsOf(message);
    return chars > mostChars;
  });
  return said.slice(first + 1);
}

function viewOf(entries: readonly SessionEntry[], { policy }: RefusedSession): readonly Message[] {
  return createContextManager({ policy, entries, summarizer: createDigest(), repairs: "none" }).view().messages.slice();
}

function charsOf({ role, parts }: Message): number {
  return JSON.stringify({ role, parts }).length;
}

function keyOf({ id, parts }: Message): string {
  return `${id} ${JSON.stringify(parts)}`;
}
