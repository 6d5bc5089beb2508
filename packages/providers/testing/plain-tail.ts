import type { CompactionEntry, Message, SessionEntry } from "@plimsoll/core";
import { isHuman, textOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
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

/** Characters that identify a quoted message. */
const BEGINNING_CHARS = 40;

/**
 * Counts a view's own messages of a session: one for each that is whole or whose beginning, if no other has the same, is quoted, and one more for each of the
 * person's in full. Texts that a cut wrote count only for their quotations.
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
 * The views after all cuts of a played session that hold, each beside its plain tail: the person's last message, which every request has, and the newest messages of
 * the log, whole, as many as fit the true size of the view: its messages, notices and summaries among them, and its documents. A tail may begin with a result.
 */
export function heldAfterCuts(session: RefusedSession, entries: readonly SessionEntry[]): readonly HeldAfterCut[] {
  const undone = new Set(entries.flatMap((entry) => (entry.type === "revert" ? [entry.compactionId] : [])));
  return entries.flatMap((entry, at) => {
    if (entry.type !== "compaction" || undone.has(entry.id)) return [];
    const said = entries.slice(0, at).flatMap((each) => (each.type === "message" ? [each.message] : []));
    const view = entries
      .slice(0, at + 1)
      .reduce(foldEntry, EMPTY_VIEW)
      .messages.slice();
    const viewTokens = view.reduce((sum, message) => sum + trueTokens(message, session), 0);
    return [
      {
        reason: entry.record.reason,
        viewTokens,
        view: heldCount(said, view),
        tail: heldCount(said, tailOf(said, viewTokens, session)),
      },
    ];
  });
}

function tailOf(said: readonly Message[], mostTokens: number, session: RefusedSession): readonly Message[] {
  const asked = said.findLast(isHuman);
  let tokens = asked === undefined ? 0 : trueTokens(asked, session);
  const first = said.findLastIndex((message) => {
    if (message !== asked) tokens += trueTokens(message, session);
    return tokens > mostTokens;
  });
  return said.filter((message, at) => at > first || message === asked);
}

function trueTokens(message: Message, { charsPerToken }: RefusedSession): number {
  const text = JSON.stringify(message.parts);
  const documents = [...text.matchAll(/doc-(\d+)\.pdf/g)].reduce((sum, [, tokens]) => sum + Number(tokens), 0);
  return charsOf(message) / charsPerToken + documents;
}

function charsOf({ role, parts }: Message): number {
  return JSON.stringify({ role, parts }).length;
}

/** A message with its content, for sets. */
export function keyOf({ id, parts }: Message): string {
  return `${id} ${JSON.stringify(parts)}`;
}
