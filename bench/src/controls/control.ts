import type { Message } from "@plimsoll/core";
import type { HeldNeeds } from "../grounding/held-needs.ts";
import { createHeldContext, createNeedCounts } from "../grounding/held-needs.ts";
import type { Needs } from "../grounding/needs.ts";
import type { NeedKind } from "../grounding/wanted.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";

/** One call of a policy's replay, as far as its controls follow it. */
export interface FollowedCall {
  /** Place of the call among the session's calls, and of its reply among the recorded messages. */
  readonly call: number;
  readonly ordinal: number;
  readonly promptTokens: number;
  /** Compactions that were made since the call before. */
  readonly compactions: number;
}

/** What a control sends at a call. */
export interface ControlContext {
  readonly messages: readonly Message[];
  /** What it holds in addition to them, by needle. */
  readonly quoted: ReadonlySet<number>;
  readonly promptTokens: number;
}

/** A control over the calls that a policy's replay made, with so many tokens to keep at each cut. */
export type Control = (amountTokens: number) => readonly ControlContext[];

/** What a control held at the size of the policy that it follows. */
export interface ControlResult {
  readonly amountTokens: number;
  readonly meanPromptTokens: number;
  result(kind: NeedKind): HeldNeeds;
}

/** Halvings of the amount: enough for one part in a million of the largest. */
const HALVINGS = 20;

/**
 * A control at the policy's size: the amount is found by halving, as the mean prompt grows with it. The size is that of the size model, so no
 * replay is needed.
 */
export function controlOfSize(
  calls: readonly FollowedCall[],
  control: Control,
  { needs, largestTokens }: { readonly needs: Needs; readonly largestTokens: number },
): ControlResult {
  const goalTokens = meanOf(calls.map(({ promptTokens }) => promptTokens));
  let [lowest, highest] = [0, largestTokens];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (lowest + highest) / 2;
    if (meanOf(control(middle).map(({ promptTokens }) => promptTokens)) > goalTokens) highest = middle;
    else lowest = middle;
  }
  const amountTokens = Math.floor(lowest);
  const contexts = control(amountTokens);
  const counts = createNeedCounts(needs);
  const shown = createHeldContext(needs.index, needs.needleCount);
  for (const [place, { ordinal, compactions }] of calls.entries()) {
    const context = contexts[place];
    if (context === undefined) continue;
    shown.show(context.messages);
    counts.add(ordinal, (needle) => context.quoted.has(needle) || shown.holds(needle), compactions);
  }
  const meanPromptTokens = meanOf(contexts.map(({ promptTokens }) => promptTokens));
  return { amountTokens, meanPromptTokens, result: counts.result };
}

/** The recorded messages of a session with what each takes when it arrives, by the size model. */
export interface SizedHistory {
  readonly messages: readonly Message[];
  /** Tokens of all messages before the one at each place; one more place than there are messages. */
  readonly tokensBefore: readonly number[];
}

/** A session's recorded messages, sized. Made once a session. */
export function sizedHistory({ entries, references, sizeModel }: PreparedSession): SizedHistory {
  const messages: Message[] = [];
  const tokensBefore = [0];
  let call = 0;
  for (const entry of entries) {
    if (entry.type === "usage") call += 1;
    if (entry.type !== "message" || references.ordinalOf(entry.message) !== messages.length) continue;
    messages.push(entry.message);
    tokensBefore.push((tokensBefore.at(-1) ?? 0) + sizeModel.messageTokens(entry.message, call));
  }
  return { messages, tokensBefore };
}

/** Tokens of the messages from one place up to another, which is not among them. */
export function tokensBetween({ tokensBefore }: SizedHistory, from: number, through: number): number {
  return (tokensBefore[through] ?? 0) - (tokensBefore[from] ?? 0);
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
