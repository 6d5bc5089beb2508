import type { Sequence } from "../../sequence.ts";
import type { Ledger, MeasuredMessage } from "../ledger.ts";
import { weighCounts } from "./content.ts";
import { expectedOf, type Model } from "./model-fit.ts";
import type { Returned } from "./reply-return.ts";

/** A difference outside these multiples of what its messages weigh is not theirs alone: they keep their weight. Chosen. */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 2;

/**
 * Writes the sizes of unreported messages back to them: the reply has what came back of it, the others share what is left of the difference
 * in proportion to their weights. If `arrivedTokens` is `null`, no report measured them, and they keep their weights.
 */
export function writeBack(
  ledger: Ledger,
  { fit, prior }: Model,
  { modelId, returned, arrivedTokens }: { modelId: string; returned: Returned; arrivedTokens: number | null },
): Sequence<MeasuredMessage> {
  let { measured } = ledger;
  const { reply, unreportedMessages } = ledger;
  if (reply !== null && reply.messageId !== null && reply.content !== null) {
    const { tokens, reasoningTokens } = returned;
    measured = measured.append({ id: reply.messageId, content: reply.content, modelId, tokens, reasoningTokens });
  }
  const arrived = unreportedMessages.slice();
  const weights: number[] = [];
  let weighedTokens = 0;
  for (const { content, fixedTokens } of arrived) {
    const tokens = expectedOf(fit.regression, weighCounts(content.counts, prior.weights), 1) + fixedTokens;
    weighedTokens += tokens;
    weights.push(tokens);
  }
  const ratio = (arrivedTokens ?? weighedTokens) / weighedTokens;
  const share = ratio >= LEAST_RATIO && ratio <= MOST_RATIO ? ratio : 1;
  for (const [at, { id, content }] of arrived.entries())
    measured = measured.append({ id, content, modelId, tokens: (weights[at] ?? 0) * share, reasoningTokens: 0 });
  return measured;
}
