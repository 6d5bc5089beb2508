import { isHuman, type Message } from "@plimsoll/core";
import { safeCutAtOrAfter, safeCutAtOrBefore, safeCuts } from "@plimsoll/core/build";
import type { MessageSizesAtCall, SizedHistory } from "../replay/sized-history.ts";
import type { Control, ControlContext, FollowedCall, KeptPlaces } from "./control.ts";

const NOTHING_QUOTED: ReadonlySet<number> = new Set();

/**
 * The plain tail: whenever the policy cuts, the newest messages of so many tokens stay, and nothing of what is older. Batches of tool calls stay
 * whole; the last human message stays if it lies before the cut.
 */
export function tailControl(calls: readonly FollowedCall[], history: SizedHistory): Control {
  const cuts = cutsOf(history.messages);
  return (amountTokens) => {
    const sizes = history.sizes();
    let from = 0;
    return calls.map(({ call, ordinal, compactions, nonMessageTokens }): ControlContext => {
      sizes.reach(call);
      if (compactions > 0) from = Math.max(from, cuts.keeping(ordinal, amountTokens, sizes));
      const { kept, tokens } = keptFrom({ from, ordinal, cuts, sizes });
      return { kept, quoted: () => NOTHING_QUOTED, promptTokens: nonMessageTokens + tokens };
    });
  };
}

interface Kept {
  readonly from: number;
  readonly ordinal: number;
  readonly cuts: Cuts;
  readonly sizes: MessageSizesAtCall;
}

/** The messages from a place up to a reply, and the last human message before them. */
export function keptFrom({ from, ordinal, cuts, sizes }: Kept): {
  readonly kept: KeptPlaces;
  readonly tokens: number;
} {
  const last = cuts.lastHumanBefore(ordinal);
  const human = last === null || last >= from ? null : last;
  const tokens = sizes.between(from, ordinal);
  const kept = { human, from, through: ordinal };
  return human === null ? { kept, tokens } : { kept, tokens: tokens + sizes.between(human, human + 1) };
}

/** Where a history may be cut. */
export interface Cuts {
  /** The first message of the newest so many tokens before a place, at a place where no call loses its result. */
  keeping(ordinal: number, amountTokens: number, sizes: MessageSizesAtCall): number;
  /** Where the step begins whose results the model has not answered yet: no cut falls into it. */
  openStepAt(ordinal: number): number;
  lastHumanBefore(ordinal: number): number | null;
}

/** The cuts of a history; made once, each asked for in time logarithmic in it. */
export function cutsOf(messages: readonly Message[]): Cuts {
  const safe = safeCuts(messages);
  const humansBefore = lastHumans(messages);
  const openStepAt = (ordinal: number) =>
    messages[ordinal - 1]?.role === "tool-result" ? safeCutAtOrBefore(safe, ordinal - 1) : ordinal;
  return {
    keeping(ordinal, amountTokens, sizes) {
      let [lowest, highest] = [0, ordinal];
      while (lowest < highest) {
        const middle = Math.floor((lowest + highest) / 2);
        if (sizes.between(middle, ordinal) <= amountTokens) highest = middle;
        else lowest = middle + 1;
      }
      const open = openStepAt(ordinal);
      return Math.min(safeCutAtOrAfter(safe, lowest) ?? open, open);
    },
    openStepAt,
    lastHumanBefore: (ordinal) => humansBefore[ordinal] ?? null,
  };
}

/** For each place, and for the end, where the last human message before it is. */
function lastHumans(messages: readonly Message[]): readonly (number | null)[] {
  let last: number | null = null;
  const before: (number | null)[] = [null];
  for (const [place, message] of messages.entries()) {
    if (isHuman(message)) last = place;
    before.push(last);
  }
  return before;
}
