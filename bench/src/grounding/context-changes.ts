import type { Message } from "@plimsoll/core";
import { type Sequence, sequenceOf, sharedPrefixCount } from "@plimsoll/core/internal";

/** Messages that left and entered a context from one call to the next. */
export interface ContextChanges {
  readonly removed: readonly Message[];
  readonly added: readonly Message[];
}

/** Compares each context with the one before. Where one goes on from it, the work follows what is new; else what lies behind their common beginning. */
export function createContextChanges(): (context: Sequence<Message>) => ContextChanges {
  let shown = sequenceOf<Message>();
  return (messages) => {
    const goesOn = messages.goesOnFrom(shown);
    const prefix = goesOn ? shown.size : sharedPrefixCount(shown.slice(), messages.slice());
    const before = new Set(goesOn ? [] : shown.slice(prefix));
    const after = new Set(messages.slice(prefix));
    shown = messages;
    return {
      removed: [...before].filter((message) => !after.has(message)),
      added: [...after].filter((message) => !before.has(message)),
    };
  };
}
