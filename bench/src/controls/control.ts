import type { Message } from "@plimsoll/core";
import type { ContextChanges } from "../grounding/context-changes.ts";
import type { HeldNeeds } from "../grounding/held-needs.ts";
import { createHeldContext, createNeedCounts } from "../grounding/held-needs.ts";
import type { Needs } from "../grounding/needs.ts";
import type { NeedKind } from "../grounding/wanted.ts";

/** One call of a policy's replay, as far as its controls follow it. */
export interface FollowedCall {
  /** Place of the call among the session's calls, and of its reply among the recorded messages. */
  readonly call: number;
  readonly ordinal: number;
  readonly promptTokens: number;
  /** Of them, tokens in addition to the messages. */
  readonly nonMessageTokens: number;
  /** Compactions that were made since the call before. */
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

/** The quotations of a control, by needle, with their size. */
export interface Quoted {
  readonly needles: () => ReadonlySet<number>;
  readonly tokens: number;
}

/** A control over the calls that a policy's replay made, with so many tokens to keep at each cut. */
export interface Control {
  /** Tokens of all its prompts: most amounts are tried for their size alone. */
  totalTokens(amountTokens: number): number;
  /** Returns the contexts that it sends, one for each call. */
  contexts(amountTokens: number): readonly ControlContext[];
}

/** Needs that a control held at the size of the policy that it follows. */
export interface ControlResult {
  /** Tokens that it keeps at each cut; `null` if it never cuts, as the policy does not. */
  readonly amountTokens: number | null;
  readonly meanPromptTokens: number;
  /** The policy's own mean prompt. */
  readonly policyPromptTokens: number;
  result(kind: NeedKind): HeldNeeds;
}

/** Halvings of the amount: enough for one part in a million of the largest. */
const HALVINGS = 20;

/** The session that a control is measured over. */
interface ControlSession {
  readonly needs: Needs;
  /** The recorded history. */
  readonly messages: readonly Message[];
  readonly largestTokens: number;
}

/** A control at the policy's size, and what it held. */
export function controlOfSize(
  calls: readonly FollowedCall[],
  control: Control,
  { needs, messages, largestTokens }: ControlSession,
): ControlResult {
  const { amountTokens, contexts, meanPromptTokens } = contextsOfSize(calls, control, largestTokens);
  const counts = createNeedCounts(needs);
  const shown = createHeldContext(needs.index, needs.needleCount);
  let before: KeptPlaces = { human: null, from: 0, through: 0 };
  let quotes: Quoted | null = null;
  let needles: ReadonlySet<number> = new Set();
  const holds = (needle: number) => needles.has(needle) || shown.holds(needle);
  let place = 0;
  for (const { ordinal } of calls) {
    const context = contexts[place++];
    if (context === undefined) continue;
    const { kept, quoted } = context;
    shown.follow(changesBetween(messages, before, kept));
    before = kept;
    if (quotes !== quoted) needles = quoted.needles();
    quotes = quoted;
    counts.add(ordinal, holds);
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
export function contextsOfSize(calls: readonly FollowedCall[], control: Control, largestTokens: number): SizedContexts {
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

/** The mean of the calls' prompts; 0 without calls. */
export function meanPromptOf(calls: readonly { readonly promptTokens: number }[]): number {
  return calls.reduce((sum, { promptTokens }) => sum + promptTokens, 0) / Math.max(1, calls.length);
}
