import type { Message } from "@plimsoll/core";
import { type ContextChanges, createHeldContext, createNeedCounts, type HeldNeeds, type NeedKind } from "./needles.ts";
import type { Need, Needs } from "./needs.ts";
import type { SizedHistory } from "./recorded-references.ts";
import type { Control, ControlContext, FollowedCall, KeptPlaces } from "./tail-and-oracle.ts";
import { cutsOf, oracleControl, tailControl } from "./tail-and-oracle.ts";

interface ControlResult {
  /** Tokens that it keeps at each cut; `null` if it never cuts, as the policy does not. */
  readonly amountTokens: number | null;
  readonly meanPromptTokens: number;
  readonly policyPromptTokens: number;
  result(kind: NeedKind): HeldNeeds;
}

/** Halvings of the amount: enough for one part in a million of the largest. */
const HALVINGS = 20;

function controlOfSize(
  calls: readonly FollowedCall[],
  control: Control,
  {
    needs,
    messages,
    largestTokens,
  }: { readonly needs: Needs; readonly messages: readonly Message[]; readonly largestTokens: number },
): ControlResult {
  const { amountTokens, contexts, meanPromptTokens } = contextsOfSize(calls, control, largestTokens);
  const counts = createNeedCounts(needs);
  const shown = createHeldContext(needs.index, needs.needles.length);
  let before: KeptPlaces = { human: null, from: 0, through: 0 };
  let quotedBefore: ControlContext["quoted"] | null = null;
  for (const [place, { ordinal }] of calls.entries()) {
    const context = contexts[place];
    if (context === undefined) continue;
    const { kept, quoted } = context;
    shown.follow(changesBetween(messages, before, kept));
    before = kept;
    const changed = shown.changed();
    counts.add(ordinal, (needle) => quoted.holds(needle) || shown.holds(needle), quoted === quotedBefore ? changed : undefined);
    quotedBefore = quoted;
  }
  return { amountTokens, meanPromptTokens, policyPromptTokens: meanPromptOf(calls), result: counts.result };
}

/** The messages that a control keeps. */
export function messagesAt(messages: readonly Message[], { human, from, through }: KeptPlaces): readonly Message[] {
  return [...(human === null ? [] : messages.slice(human, human + 1)), ...messages.slice(from, through)];
}

/** Finds the changes from the messages that were kept to those that are kept next. A control goes on: where it has left a place it does not come back. */
export function changesBetween(messages: readonly Message[], before: KeptPlaces, now: KeptPlaces): ContextChanges {
  const goesOn = before.from <= now.from && now.from <= before.through && before.through <= now.through;
  if (!goesOn) return { removed: messagesAt(messages, before), added: messagesAt(messages, now) };
  const human = before.human === now.human ? { before: null, now: null } : { before: before.human, now: now.human };
  return {
    removed: messagesAt(messages, { human: human.before, from: before.from, through: now.from }),
    added: messagesAt(messages, { human: human.now, from: before.through, through: now.through }),
  };
}

/** The contexts that a control sends at the calls that it follows, at one amount. */
interface SizedContexts {
  readonly amountTokens: number;
  readonly contexts: readonly ControlContext[];
  readonly meanPromptTokens: number;
}

/**
 * A control's contexts at the policy's size: the amount is found by halving, as the mean prompt grows with it; of the amounts that were tried it is the
 * one that comes nearest, for messages are whole. The size is that of the size model, so no replay is needed.
 */
function contextsOfSize(calls: readonly FollowedCall[], control: Control, largestTokens: number): SizedContexts {
  const goalTokens = meanPromptOf(calls);
  const tried = (amountTokens: number) => {
    const meanPromptTokens = control.totalTokens(amountTokens) / Math.max(1, calls.length);
    return { amountTokens, meanPromptTokens, offTokens: Math.abs(meanPromptTokens - goalTokens) };
  };
  let [lowest, highest] = [0, largestTokens];
  let nearest = tried(lowest);
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = tried(Math.round((lowest + highest) / 2));
    if (middle.offTokens < nearest.offTokens) nearest = middle;
    if (middle.meanPromptTokens > goalTokens) highest = middle.amountTokens;
    else lowest = middle.amountTokens;
  }
  const { amountTokens, meanPromptTokens } = nearest;
  return { amountTokens, contexts: control.contexts(amountTokens), meanPromptTokens };
}

function meanPromptOf(calls: readonly { readonly promptTokens: number }[]): number {
  return calls.reduce((sum, { promptTokens }) => sum + promptTokens, 0) / Math.max(1, calls.length);
}

/** The controls of a policy: its size without any choice, and with perfect foresight. */
export interface Controls {
  readonly tail: ControlResult;
  readonly oracle: ControlResult;
}

/** Both controls of a session's replay under a policy (docs/evidence.md). */
export function controlsOf(needs: Needs, history: SizedHistory, calls: readonly FollowedCall[]): Controls {
  const { messages, totalTokens: largestTokens } = history;
  const tokensPerChar = largestTokens / Math.max(1, needs.recordedChars);
  const needleTokens = (needle: number) => Math.ceil((needs.needles[needle]?.text.length ?? 0) * tokensPerChar);
  const cuts = cutsOf(messages);
  const oracle = oracleControl(calls, { needs, history, cuts, needleTokens });
  return {
    tail: controlOfSize(calls, tailControl(calls, history, cuts), { needs, messages, largestTokens }),
    oracle: controlOfSize(calls, oracle, { needs, messages, largestTokens }),
  };
}

/** The needs that the contexts of one replay held, and those that controls of the same size hold. */
export interface HeldReplay {
  add(sent: SentCall, reply: { readonly ordinal: number; readonly shown: ContextChanges | null }): void;
  result(kind: NeedKind): HeldNeeds;
  /** Lists the needs of these kinds at the call that was added last that its context lacks. */
  missing(kinds: readonly Exclude<NeedKind, "instructions">[]): readonly Need[];
  /** The call before which a needle left the context last; -1 if it never did. */
  leftAt(needle: number): number;
  /** Made when they are asked for first, from the calls so far. */
  controls(): Controls;
}

interface SentCall extends Pick<FollowedCall, "call" | "promptTokens" | "nonMessageTokens"> {
  readonly reply: Message | null;
  readonly compactions: readonly unknown[];
}

/** Follows one replay of a session. */
export function createHeldReplay(session: { needs(): Needs; history(): SizedHistory }): HeldReplay {
  const needs = session.needs();
  const counts = createNeedCounts(needs);
  const context = createHeldContext(needs.index, needs.needles.length);
  const followed: FollowedCall[] = [];
  let latest: { readonly ordinal: number; readonly lost: boolean } | null = null;
  let controls: Controls | null = null;
  return {
    add({ call, reply, promptTokens, nonMessageTokens, compactions }, { ordinal, shown }) {
      const lost = shown === null;
      latest = reply === null ? null : { ordinal, lost };
      if (reply === null) return;
      if (!lost) context.follow(shown, call);
      counts.add(ordinal, lost ? null : context.holds, lost ? [] : context.changed());
      followed.push({ call, ordinal, promptTokens, nonMessageTokens, compactions: compactions.length });
    },
    result: counts.result,
    missing(kinds) {
      if (latest === null) return [];
      const { ordinal, lost } = latest;
      if (!needs.isCounted(ordinal)) return [];
      return needs
        .at(ordinal)
        .filter(({ kind, needle }) => (lost || !context.holds(needle)) && kinds.some((each) => each === kind));
    },
    leftAt: context.leftAt,
    controls: () => {
      controls ??= followed.every(({ compactions }) => compactions === 0)
        ? sameAs(counts.result, followed)
        : controlsOf(needs, session.history(), followed);
      return controls;
    },
  };
}

/** If the policy never cut, its controls do not either. */
function sameAs(result: ControlResult["result"], calls: readonly FollowedCall[]): Controls {
  const meanPromptTokens = meanPromptOf(calls);
  const same = { amountTokens: null, meanPromptTokens, policyPromptTokens: meanPromptTokens, result };
  return { tail: same, oracle: same };
}
