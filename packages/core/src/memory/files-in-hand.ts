import { defineAmountRule, type KeepRuleKind, type KeepView, type MessageRange } from "../keep/keep-rule.ts";
import { toolCallsOf } from "../message/message.ts";

/**
 * Keeps files in their present state, the one touched last first: of each the newest call that touched it, the newest that read it, and the changes
 * since. A file's text before its newest reading is of no use to the next change. A file that nothing points to any more has no share.
 */
export const FILES_IN_HAND: KeepRuleKind = defineAmountRule(
  "files-in-hand",
  (atMost) => ({ keeps: "messages", atMost, choose: filesAsTheyAre }),
  "The most that stays. It counts towards the limit of `recall`.",
);

/** A file that was not touched in so many tokens has no share: less than one in four is changed before the next cut, on the side `fit` of docs/evidence.md. */
const POINTED_AT_TOKENS = 40_000;

interface Touches {
  readonly newest: number;
  /** Tokens of the view from its newest call on. */
  readonly backTokens: number;
  readonly changes: number[];
  read: number | null;
}

function* filesAsTheyAre(view: KeepView): Iterable<MessageRange> {
  // The files come in the order of their newest touch: the later that is, the likelier is a change.
  for (const { newest, read, changes, backTokens } of touchesOf(view).values()) {
    if (backTokens > POINTED_AT_TOKENS) continue;
    const since = read === null ? [] : [read, ...changes.filter((change) => change > read)];
    for (const at of new Set([newest, ...since])) yield { from: at, through: at };
  }
}

function touchesOf({ messages, messageTokens }: KeepView): ReadonlyMap<string, Touches> {
  const files = new Map<string, Touches>();
  let backTokens = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) continue;
    backTokens += messageTokens(message);
    for (const { paths } of toolCallsOf(message))
      for (const { path, access } of paths) {
        const touches = files.get(path) ?? { newest: index, backTokens, changes: [], read: null };
        files.set(path, touches);
        if (access === "modify") touches.changes.push(index);
        else touches.read ??= index;
      }
  }
  return files;
}
