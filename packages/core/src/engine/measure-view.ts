import { isDeclared, isHuman, type Message } from "../message/message.ts";
import type { Estimator, Ledger, Overhead } from "../tokens/estimator.ts";
import type { FitInput, FitState, SizedPart } from "./fit-input.ts";
import { expectedTokensOf } from "./why-act.ts";

/** How a compaction measures candidates: by the prediction that the gate saw, divided over the view that it is of. */
export interface ViewMeasure {
  /** Expected tokens at the gate, without pending messages. */
  readonly expectedTokens: number;
  readonly overheadTokens: number;
  /** The part of what is expected that belongs to the view's messages. */
  readonly viewTokens: number;
  readonly scaleRatio: number;
  readonly messageTokens: (message: Message) => number;
  readonly tokensOf: (messages: readonly Message[]) => number;
}

/**
 * The measure of a compaction over a view. If a report has more than its estimator knows a place for (an unexplained rise, a wrong report), each message
 * is priced with its share of it: a candidate that does not shrink that, too, is no candidate.
 */
export function viewMeasure(
  messages: readonly Message[],
  state: { readonly estimator: Estimator; readonly ledger: Ledger; readonly overhead: Overhead },
): ViewMeasure {
  const { estimator, ledger } = state;
  const knownTokens = expectedTokensOf(messages, state);
  const { expectedTokens, overheadTokens } = estimator.predict(ledger, state.overhead);
  const viewTokens = Math.max(knownTokens, expectedTokens - overheadTokens);
  const shareRatio = knownTokens > 0 ? viewTokens / knownTokens : 1;
  return {
    expectedTokens,
    overheadTokens,
    viewTokens,
    scaleRatio: estimator.scaleRatio(ledger) * shareRatio,
    messageTokens: (message) => estimator.messageTokens(message, ledger) * shareRatio,
    tokensOf: (some) => (some === messages ? viewTokens : sharedTokens(expectedTokensOf(some, state), viewTokens, knownTokens)),
  };
}

/** The share of what is expected. Multiplied first: what measures as much as the view then counts as much, and not a rounding less. */
function sharedTokens(tokens: number, viewTokens: number, knownTokens: number): number {
  return knownTokens > 0 ? Math.floor((tokens * viewTokens) / knownTokens) : tokens;
}

/** Lists the parts of a context that cannot be made to fit, with their sizes. */
export function sizedParts(
  messages: readonly Message[],
  {
    measure,
    state,
    input,
  }: {
    readonly measure: ViewMeasure;
    readonly state: Pick<FitState, "estimator" | "ledger">;
    readonly input: Pick<FitInput, "pending">;
  },
): readonly SizedPart[] {
  const human = messages.findLast(isHuman);
  const humanTokens = human === undefined ? 0 : measure.tokensOf([human]);
  const declaredTokens = measure.tokensOf(messages.filter(isDeclared));
  return [
    { what: "overhead", tokens: measure.overheadTokens },
    ...(declaredTokens === 0 ? [] : [{ what: "declared", tokens: declaredTokens } as const]),
    { what: "last-human-message", tokens: humanTokens },
    { what: "pending", tokens: expectedTokensOf(input.pending, state) },
    { what: "rest", tokens: measure.tokensOf(messages) - humanTokens - declaredTokens },
  ];
}
