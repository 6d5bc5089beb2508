import { messagesWrittenBy, type SessionEntry } from "../entry.ts";
import { canonicalJson } from "../json.ts";
import { boundReasoningIn, type RemovedReasoning, withoutReasoning } from "../message/bound-reasoning.ts";
import { type Message, wellFormedMessage } from "../message/message.ts";
import { type CoverageCount, coverageOf, partChars } from "../message/size.ts";
import type { Session } from "../session/session.ts";
import { EMPTY_VIEW, foldEntry, type SessionView } from "../session/view.ts";
import type { Report } from "./session-scenario.ts";

/** Both sessions must have the same context, message for message, the same hash and the same next prediction. */
export function checkSameSession(one: Session, other: Session, report: Report): void {
  const [a, b] = [one.view(), other.view()];
  if (!isSame(a.messages.slice(), b.messages.slice()))
    report("the fold of the log is the live view", `${a.messages.size} and ${b.messages.size} messages`);
  if (a.viewHash !== b.viewHash) report("the fold of the log is the live view", "another hash");
  const [tokens, again] = [one.predict(), other.predict()];
  if (tokens.expectedTokens !== again.expectedTokens || tokens.upperTokens !== again.upperTokens)
    report("the fold of the log is the live ledger", `${tokens.expectedTokens} and ${again.expectedTokens} tokens`);
}

/** The same messages, by identity or, if one of them was read again, by content. */
export function isSame(one: readonly Message[], other: readonly Message[]): boolean {
  const isEqual = (a: Message, b: Message | undefined) => a === b || (b !== undefined && canonicalJson(a) === canonicalJson(b));
  return one.length === other.length && one.every((message, index) => isEqual(message, other[index]));
}

/**
 * Everything that was ever appended or written is in the view or counted as covered or removed: messages, parts and characters add up
 * over the whole log. Sessions whose history a repair replaced have no such sum.
 */
export function checkAccount(manager: Session, report: Report): void {
  const view = manager.entries().reduce(foldEntry, EMPTY_VIEW);
  const edits = view.activeCompactions.flatMap((entry) => entry.edits);
  if (edits.some((edit) => edit.kind === "replace-history")) return;
  const logged = manager.entries().flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const written = edits.flatMap(messagesWrittenBy);
  const covered = edits.map((edit) => ("covered" in edit ? edit.covered : { messages: 0, parts: 0, chars: edit.removedChars }));
  const undone = new Set<SessionEntry>(manager.entries().filter(({ type }) => type === "compaction"));
  for (const entry of view.activeCompactions) undone.delete(entry);
  const removed = manager
    .entries()
    .flatMap((entry) => ("removedReasoning" in entry && !undone.has(entry) ? (entry.removedReasoning ?? []) : []));
  const left = [...covered, ...removedCoverage(logged, removed)].reduce(minus, coverageOf([...logged, ...written]));
  const shown = coverageOf(view.messages.slice());
  if (left.messages !== shown.messages || left.parts !== shown.parts || left.chars !== shown.chars)
    report("nothing is lost silently", `${JSON.stringify(left)} should be in the view, ${JSON.stringify(shown)} is`);
}

/** Counts the coverage that left with reasoning: its parts, and messages that had nothing else. */
function removedCoverage(logged: readonly Message[], removed: readonly RemovedReasoning[]): readonly CoverageCount[] {
  return logged.flatMap((message) => {
    const indexes = new Set(removed.flatMap(({ messageId, partIndexes }) => (messageId === message.id ? partIndexes : [])));
    const parts = message.parts.filter((_, index) => indexes.has(index));
    const messages = parts.length > 0 && parts.length === message.parts.length ? 1 : 0;
    return [{ messages, parts: parts.length, chars: parts.reduce((sum, part) => sum + partChars(part), 0) }];
  });
}

/** The messages without any reasoning. */
function readable(messages: readonly Message[]): readonly Message[] {
  return withoutReasoning(
    messages,
    boundReasoningIn(messages, () => true),
  );
}

function minus(a: CoverageCount, b: CoverageCount): CoverageCount {
  return { messages: a.messages - b.messages, parts: a.parts - b.parts, chars: a.chars - b.chars };
}

/** Remembers the view before each compaction, to compare it with the view after its undo. */
export interface UndoCheck {
  /** Called before a fit. */
  readonly before: (manager: Session) => void;
  /** Called when that fit has compacted. */
  readonly remember: (compactionId: string) => void;
  /** Called after an undo: the earlier context is back, with the messages since. */
  readonly check: (compactionId: string, manager: Session) => void;
}

interface Snapshot {
  readonly messages: readonly Message[];
  /** Length of the log. */
  readonly entries: number;
}

/** An undo check that has seen nothing yet. */
export function createUndoCheck(report: Report): UndoCheck {
  const made = new Map<string, Snapshot>();
  let latest: Snapshot = { messages: [], entries: 0 };
  return {
    before: (manager) => {
      latest = { messages: manager.view().messages.slice(), entries: manager.entries().length };
    },
    remember: (compactionId) => {
      made.set(compactionId, latest);
    },
    check: (compactionId, manager) => {
      const snapshot = made.get(compactionId);
      if (snapshot === undefined) return;
      const since = manager
        .entries()
        .slice(snapshot.entries)
        .flatMap((entry) => (entry.type === "message" ? [wellFormedMessage(entry.message)] : []));
      // Reasoning that left stays out.
      const expected = readable([...snapshot.messages, ...since]);
      const shown = readable(manager.view().messages.slice());
      if (!isSame(expected, shown))
        report("undo gives the exact context from before", `${shown.length} messages, not ${expected.length}`);
    },
  };
}

/** Remembers the messages before each reply, and checks that reasoning keeps its prefix. */
export interface BindingCheck {
  /** Called before the request of the reply with this id. */
  readonly sent: (messageId: string, manager: Session) => void;
  readonly check: (manager: Session) => void;
}

/** A binding check that has seen no reply yet. */
export function createBindingCheck(report: Report): BindingCheck {
  const beginnings = new Map<string, string>();
  const beginningOf = ({ system, messages }: SessionView, end: number) =>
    canonicalJson({ system, messages: messages.slice(0, end) });
  return {
    sent: (messageId, manager) => beginnings.set(messageId, beginningOf(manager.view(), manager.view().messages.size)),
    check: (manager) => {
      const view = manager.view();
      for (const [index, { id, parts }] of view.messages.slice().entries()) {
        const known = beginnings.get(id);
        if (known === undefined || !parts.some(({ type }) => type === "reasoning")) continue;
        if (known !== beginningOf(view, index)) report("bound reasoning stands behind what it was made behind", id);
      }
    },
  };
}
