import type { Sequence } from "../../sequence.ts";
import type { Account, MeasuredMessage } from "./account.ts";
import { weighCounts } from "./load.ts";
import type { Model } from "./model-fit.ts";
import { expectedOf } from "./regression.ts";
import type { Returned } from "./reply-return.ts";

/** A difference outside these multiples of what its messages weigh is not theirs alone: they keep their weight. Chosen. */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 2;

/**
 * Writes the sizes of what was pending back to its messages: the reply has what came back of it, the others share what is left of the
 * difference in proportion to their weights. `arrivedTokens` of `null` means that no report says it: they keep their weights.
 */
export function settle(
  account: Account,
  model: Model,
  { modelId, returned, arrivedTokens }: { modelId: string; returned: Returned; arrivedTokens: number | null },
): Sequence<MeasuredMessage> {
  const { regression } = model.fit;
  let measured = account.measured;
  const { messageId = null, content = null } = account.reply ?? {};
  if (messageId !== null && content !== null) measured = measured.append({ id: messageId, content, modelId, ...returned });
  let weighedTokens = 0;
  const pending = account.pendingMessages.slice().map(({ id, content, fixedTokens }) => {
    const tokens = expectedOf(regression, weighCounts(content.counts, model.prior.weights), 1) + fixedTokens;
    weighedTokens += tokens;
    return { id, content, tokens };
  });
  const ratio = arrivedTokens === null || weighedTokens <= 0 ? 1 : arrivedTokens / weighedTokens;
  const share = ratio >= LEAST_RATIO && ratio <= MOST_RATIO ? ratio : 1;
  for (const { id, content, tokens } of pending)
    measured = measured.append({ id, content, modelId, tokens: tokens * share, reasoningTokens: 0 });
  return measured;
}

/** The newest size of each message. */
export function sizesById(measured: Sequence<MeasuredMessage>): ReadonlyMap<string, MeasuredMessage> {
  return new Map([...measured].map((message) => [message.id, message]));
}
