import type { Message } from "@plimsoll/core";
import { sharedPrefixCount } from "@plimsoll/core/internal";

/** What left and what entered a context from one call to the next. */
export interface ContextChanges {
  readonly removed: readonly Message[];
  readonly added: readonly Message[];
}

/** Compares each context with the one before; the work follows what lies behind their common beginning. */
export function createContextChanges(): (context: readonly Message[]) => ContextChanges {
  let shown: readonly Message[] = [];
  return (context) => {
    const prefix = sharedPrefixCount(shown, context);
    const before = new Set(shown.slice(prefix));
    const after = new Set(context.slice(prefix));
    shown = context;
    return {
      removed: [...before].filter((message) => !after.has(message)),
      added: [...after].filter((message) => !before.has(message)),
    };
  };
}
