import { isHuman, type Message } from "@plimsoll/core";
import { safeCutAtOrBefore, safeCuts } from "@plimsoll/core/extend";
import type { Needs } from "./needs.ts";
import type { MessageSizesAtCall, SizedHistory } from "./recorded-references.ts";

/** One call of a policy's replay, as far as its controls follow it. */
export interface FollowedCall {
  /** Place of the call among the session's calls, and of its reply among the recorded messages. */
  readonly call: number;
  readonly ordinal: number;
  readonly promptTokens: number;
  readonly nonMessageTokens: number;
  readonly compactions: number;
}

/** The places of a history that a control keeps at a call: the messages from one place up to another, which is not among them, and one before them. */
export interface KeptPlaces {
  readonly human: number | null;
  readonly from: number;
  readonly through: number;
}

/** The context that a control sends at a call. */
export interface ControlContext {
  readonly kept: KeptPlaces;
  /** Texts that it holds in addition to them; one value from one cut to the next. */
  readonly quoted: Quoted;
  readonly promptTokens: number;
}

interface Quoted {
  holds(needle: number): boolean;
  readonly tokens: number;
}

/** A control over the calls that a policy's replay made, with so many tokens to keep at each cut. */
export interface Control {
  /** Tokens of all its prompts: most amounts are tried only for their size. */
  totalTokens(amountTokens: number): number;
  /** Returns the contexts that it sends, one for each call. */
  contexts(amountTokens: number): readonly ControlContext[];
}

/**
 * The plain tail: whenever the policy cuts, the newest messages of so many tokens stay, and nothing older. Batches of tool calls stay whole; the last
 * human message stays if it lies before the cut.
 */
export function tailControl(calls: readonly FollowedCall[], history: SizedHistory, cuts: Cuts): Control {
  return cuttingControl({ calls, history, cuts }, (amountTokens) => ({ from }, { ordinal, sizes }) => ({
    from: Math.max(from, cuts.keeping(ordinal, amountTokens, sizes)),
    quoted: NOTHING_QUOTED,
  }));
}

/** The last cut of a control: it keeps the messages from a place on, and quotations of those before. */
interface Cut {
  readonly from: number;
  readonly quoted: Quoted;
}

/** A call at which a control cuts: its place among those that it follows, and of its reply among the recorded messages. */
interface CutMoment {
  readonly place: number;
  readonly ordinal: number;
  readonly sizes: MessageSizesAtCall;
}

const NOTHING_QUOTED: Quoted = { holds: () => false, tokens: 0 };
const NOTHING_CUT: Cut = { from: 0, quoted: NOTHING_QUOTED };

/** A control that cuts when the policy cuts: the last cut holds until the next. It always keeps the last human message. */
function cuttingControl(followed: Followed, cutAt: (amountTokens: number) => (before: Cut, moment: CutMoment) => Cut): Control {
  return {
    totalTokens: (amountTokens) => totalTokens(followed, cutAt(amountTokens), null),
    contexts: (amountTokens) => {
      const contexts: ControlContext[] = [];
      totalTokens(followed, cutAt(amountTokens), contexts);
      return contexts;
    },
  };
}

interface Followed {
  readonly calls: readonly FollowedCall[];
  readonly history: SizedHistory;
  readonly cuts: Cuts;
}

/** Tokens of all prompts; the contexts are put into the list if there is one. */
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

/** The cuts of a history, each asked for in time logarithmic in it. */
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
      const after = safe.indexOf(true, lowest);
      return after === -1 ? open : Math.min(after, open);
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

interface OracleSources {
  readonly needs: Needs;
  readonly history: SizedHistory;
  readonly cuts: Cuts;
  readonly needleTokens: (needle: number) => number;
}

/**
 * The oracle: whenever the policy cuts, it keeps the open step and the last human message, and quotes the needs of later calls from all that is
 * older, the soonest need first, up to so many tokens. No policy can know that: it is a limit at the policy's size.
 */
export function oracleControl(calls: readonly FollowedCall[], { history, cuts, needleTokens, needs }: OracleSources): Control {
  let from = 0;
  const instructions = new Map<number, number>();
  let next = 0;
  // The place of the cut, and the order of quotations, do not depend on the amount.
  const cut = calls.map(({ ordinal, compactions }, place) => {
    if (compactions === 0) return { from, wanted: [] };
    from = Math.max(from, cuts.openStepAt(ordinal));
    for (; next <= ordinal; next++) for (const { needle, statedAt } of needs.standing(next)) instructions.set(needle, statedAt);
    const needles = new Set([...instructions].flatMap(([needle, statedAt]) => (statedAt < from ? [needle] : [])));
    for (const later of calls.slice(place))
      for (const { needle, statedAt } of needs.isCounted(later.ordinal) ? needs.at(later.ordinal) : [])
        if (statedAt < from) needles.add(needle);
    return { from, wanted: [...needles].map((needle) => ({ needle, tokens: needleTokens(needle) })) };
  });
  return cuttingControl({ calls, history, cuts }, (amountTokens) => (_, { place }) => {
    const { from: cutFrom = 0, wanted = [] } = cut[place] ?? {};
    return { from: cutFrom, quoted: quotedOf(wanted, amountTokens) };
  });
}

/** The wanted quotations, the soonest first, as far as the amount goes: one that does not fit any more is passed over. */
function quotedOf(wanted: readonly { readonly needle: number; readonly tokens: number }[], amountTokens: number): Quoted {
  const taken: number[] = [];
  let sum = 0;
  for (const { needle, tokens } of wanted) {
    if (sum + tokens > amountTokens) continue;
    taken.push(needle);
    sum += tokens;
  }
  // Most amounts are tried only for their size.
  let needles: ReadonlySet<number> | null = null;
  const holds = (needle: number) => {
    needles ??= new Set(taken);
    return needles.has(needle);
  };
  return { tokens: sum, holds };
}
