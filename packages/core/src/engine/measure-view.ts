import type { Message } from "../message/message.ts";
import { isHuman } from "../message/message.ts";
import type { FitInput, FitState, SizedPart } from "./fit-input.ts";

/** Expected tokens of messages by the policy's estimator, rounded down once for all of them as its prediction does. */
export function expectedTokensOf(messages: readonly Message[], state: FitState): number {
  let tokens = 0;
  for (const message of messages) tokens += state.estimator.messageTokens(message, state.ledger);
  return Math.floor(tokens);
}

/** What a context that cannot be made to fit is made of. */
export function sizedParts(messages: readonly Message[], state: FitState, input: FitInput): readonly SizedPart[] {
  const { overheadTokens } = state.estimator.predict(state.ledger, state.overhead);
  const human = messages.findLast(isHuman);
  const humanTokens = human === undefined ? 0 : expectedTokensOf([human], state);
  const viewTokens = expectedTokensOf(messages, state);
  return [
    { what: "overhead", tokens: overheadTokens },
    { what: "last-human-message", tokens: humanTokens },
    { what: "pending", tokens: expectedTokensOf(input.pending, state) },
    { what: "rest", tokens: viewTokens - humanTokens },
  ];
}
