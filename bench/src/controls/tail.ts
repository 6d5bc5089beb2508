import { isHuman, type Message } from "@plimsoll/core";
import { safeCutAtOrAfter, safeCutAtOrBefore, safeCuts } from "@plimsoll/core/build";
import type { MessageSizesAtCall, SizedHistory } from "../replay/sized-history.ts";
import type { Control, ControlContext, FollowedCall, Quoted } from "./control.ts";

/**
 * The plain tail: whenever the policy cuts, the newest messages of so many tokens stay, and nothing of what is older. Batches of tool calls stay
 * whole; the last human message stays if it lies before the cut.
 */
export function tailControl(calls: readonly FollowedCall[], history: SizedHistory): Control {
  const cuts = cutsOf(history.messages);
  return cuttingControl({ calls, history, cuts }, (amountTokens) => ({ from }, { ordinal, sizes }) => ({
    from: Math.max(from, cuts.keeping(ordinal, amountTokens, sizes)),
    quoted: NOTHING_QUOTED,
  }));
}

/** The last cut of a control: it keeps the messages from a place on, and quotations of those before. */
export interface Cut {
  readonly from: number;
  readonly quoted: Quoted;
}

/** A call at which a control cuts: its place among those that it follows, and of its reply among the recorded messages. */
interface CutMoment {
  readonly place: number;
  readonly ordinal: number;
  readonly sizes: MessageSizesAtCall;
}

const NOTHING_NEEDED: ReadonlySet<number> = new Set();
const NOTHING_QUOTED: Quoted = { needles: () => NOTHING_NEEDED, tokens: 0 };
const NOTHING_CUT: Cut = { from: 0, quoted: NOTHING_QUOTED };

/** A control that cuts when the policy cuts: the last cut holds until the next. It always keeps the last human message. */
export function cuttingControl(
  followed: Followed,
  cutAt: (amountTokens: number) => (before: Cut, moment: CutMoment) => Cut,
): Control {
  return {
    totalTokens: (amountTokens) => totalTokens(followed, cutAt(amountTokens), null),
    contexts: (amountTokens) => {
      const contexts: ControlContext[] = [];
      totalTokens(followed, cutAt(amountTokens), contexts);
      return contexts;
    },
  };
}

/** The replay that a control follows. */
interface Followed {
  readonly calls: readonly FollowedCall[];
  readonly history: SizedHistory;
  readonly cuts: Cuts;
}

/** Tokens of all prompts; the contexts are put into the list if there is one. A function of the module: what is compiled of a closure is lost with its replay. */
function totalTokens(
  { calls, history, cuts }: Followed,
  next: (before: Cut, moment: CutMoment) => Cut,
  contexts: ControlContext[] | null,
): number {
  const sizes = history.sizes();
  let cut = NOTHING_CUT;
  let total = 0;
  let place = 0;
  for (const { call, ordinal, compactions, nonMessageTokens } of calls) {
    sizes.reach(call);
    if (compactions > 0) cut = next(cut, { place, ordinal, sizes });
    place += 1;
    const { from, quoted } = cut;
    const last = cuts.lastHumanBefore(ordinal);
    const human = last === null || last >= from ? null : last;
    const humanTokens = human === null ? 0 : sizes.between(human, human + 1);
    const promptTokens = nonMessageTokens + quoted.tokens + sizes.between(from, ordinal) + humanTokens;
    total += promptTokens;
    contexts?.push({ kept: { human, from, through: ordinal }, quoted, promptTokens });
  }
  return total;
}

/** Where a history may be cut. */
export interface Cuts {
  /** The first message of the newest so many tokens before a place, at a place where no call loses its result. */
  keeping(ordinal: number, amountTokens: number, sizes: MessageSizesAtCall): number;
  /** Where the step begins whose results the model has not answered yet: no cut falls into it. */
  openStepAt(ordinal: number): number;
  lastHumanBefore(ordinal: number): number | null;
}

/** The cuts of a history; made once for all that follow it, each asked for in time logarithmic in it. */
export function cutsOf(messages: readonly Message[]): Cuts {
  const known = cutsKnown.get(messages) ?? cutsFound(messages);
  cutsKnown.set(messages, known);
  return known;
}

const cutsKnown = new WeakMap<readonly Message[], Cuts>();

function cutsFound(messages: readonly Message[]): Cuts {
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
