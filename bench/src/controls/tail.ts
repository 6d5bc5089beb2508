import { isHuman } from "@plimsoll/core";
import { safeCutAtOrAfter, safeCutAtOrBefore, safeCuts } from "@plimsoll/core/build";
import type { Control, ControlContext, FollowedCall, SizedHistory } from "./control.ts";
import { tokensBetween } from "./control.ts";

/** What every request of a session takes in addition to its messages, at a call. */
export type OverheadAt = (call: number) => number;

const NOTHING_QUOTED: ReadonlySet<number> = new Set();

/**
 * The plain tail: whenever the policy cuts, the newest messages of so many tokens stay, and nothing of what is older. Batches of tool calls stay
 * whole; the last human message stays if it lies before the cut.
 */
export function tailControl(calls: readonly FollowedCall[], history: SizedHistory, overheadAt: OverheadAt): Control {
  const cuts = cutsOf(history);
  return (amountTokens) => {
    let from = 0;
    return calls.map(({ call, ordinal, compactions }): ControlContext => {
      if (compactions > 0) from = Math.max(from, cuts.keeping(ordinal, amountTokens));
      const human = cuts.lastHumanBefore(ordinal);
      const literal = human !== null && human < from ? history.messages.slice(human, human + 1) : [];
      const literalTokens = human !== null && human < from ? tokensBetween(history, human, human + 1) : 0;
      return {
        messages: [...literal, ...history.messages.slice(from, ordinal)],
        quoted: NOTHING_QUOTED,
        promptTokens: overheadAt(call) + literalTokens + tokensBetween(history, from, ordinal),
      };
    });
  };
}

/** Where a history may be cut. */
export interface Cuts {
  /** The first message of the newest so many tokens before a place, at a place where no call loses its result. */
  keeping(ordinal: number, amountTokens: number): number;
  lastHumanBefore(ordinal: number): number | null;
}

/** The cuts of a history; made once, each asked for in time logarithmic in it. */
export function cutsOf(history: SizedHistory): Cuts {
  const safe = safeCuts(history.messages);
  const humans = history.messages.flatMap((message, place) => (isHuman(message) ? [place] : []));
  return {
    keeping(ordinal, amountTokens) {
      let [lowest, highest] = [0, ordinal];
      while (lowest < highest) {
        const middle = Math.floor((lowest + highest) / 2);
        if (tokensBetween(history, middle, ordinal) <= amountTokens) highest = middle;
        else lowest = middle + 1;
      }
      const open = openStepAt(history, safe, ordinal);
      return Math.min(safeCutAtOrAfter(safe, lowest) ?? open, open);
    },
    lastHumanBefore: (ordinal) => humans.findLast((place) => place < ordinal) ?? null,
  };
}

/** Where the step begins whose results the model has not answered yet: no cut falls into it. */
function openStepAt({ messages }: SizedHistory, safe: readonly boolean[], ordinal: number): number {
  return messages[ordinal - 1]?.role === "tool-result" ? safeCutAtOrBefore(safe, ordinal - 1) : ordinal;
}
