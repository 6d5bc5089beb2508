import type { Message } from "@plimsoll/core";
import { type Sequence, sequenceOf, sharedPrefixCount } from "@plimsoll/core/internal";

/** What left and what entered a context from one call to the next. */
export interface ContextChanges {
  readonly removed: readonly Message[];
  readonly added: readonly Message[];
}

/** Compares each context with the one before. Where one goes on from it, the work follows what is new; else what lies behind their common beginning. */
export function createContextChanges(): (context: Sequence<Message>) => ContextChanges {
  let shown = sequenceOf<Message>();
  return (context) => {
    const prefix = context.goesOnFrom(shown) ? shown.size : sharedPrefixCount(shown.slice(), context.slice());
    const before = new Set(shown.slice(prefix));
    const after = new Set(context.slice(prefix));
    shown = context;
    return {
      removed: [...before].filter((message) => !after.has(message)),
      added: [...after].filter((message) => !before.has(message)),
    };
  };
}
