import type { Cassette } from "../summaries/cassette.ts";
import type { PriceSource } from "../summaries/request-price.ts";
import { likelyUsd } from "./ask-model.ts";
import { ASKED_CONTEXTS, type AskedContext } from "./ask-report.ts";
import type { PlannedRequest } from "./ask-request.ts";
import type { AskPlan } from "./plan-ask.ts";

/** Requests, tokens and dollars that asking a model for next actions is likely to take, by context. Answers that the cassette has are counted apart. */
export interface AskPrice {
  readonly contexts: readonly (AskSize & { readonly context: AskedContext })[];
  readonly total: AskSize;
  /** Requests that the cassette answers. */
  readonly fromCassette: number;
}

/** Number of requests to send, and the tokens and US dollars that they are likely to take. */
export interface AskSize {
  readonly requests: number;
  readonly promptTokens: number;
  readonly replyTokens: number;
  /** US dollars; `null` if the model has no price. */
  readonly usd: number | null;
}

const NOTHING: AskSize = { requests: 0, promptTokens: 0, replyTokens: 0, usd: 0 };

/** Estimates the price of a plan. A request that several policies ask with the same context counts once, under the first context that needs it. */
export async function askPrice(
  { model, calls }: Pick<AskPlan, "model" | "calls">,
  { cassette, catalog }: { readonly cassette: Pick<Cassette, "read">; readonly catalog: PriceSource },
): Promise<AskPrice> {
  const seen = new Set<string>();
  const contexts: (AskSize & { readonly context: AskedContext })[] = [];
  let fromCassette = 0;
  for (const context of ASKED_CONTEXTS) {
    let size = NOTHING;
    for (const { requests } of calls) {
      const planned = requests[context];
      if (seen.has(planned.key)) continue;
      seen.add(planned.key);
      if ((await cassette.read(planned.key)) === null) size = added(size, sizeOf(planned));
      else fromCassette += 1;
    }
    contexts.push({ context, ...size });
  }
  return { contexts, total: contexts.reduce(added, NOTHING), fromCassette };

  function sizeOf({ promptTokens, replyTokens }: PlannedRequest): AskSize {
    return { requests: 1, promptTokens, replyTokens, usd: likelyUsd({ promptTokens, replyTokens }, model, catalog) };
  }
}

function added(one: AskSize, other: AskSize): AskSize {
  return {
    requests: one.requests + other.requests,
    promptTokens: one.promptTokens + other.promptTokens,
    replyTokens: one.replyTokens + other.replyTokens,
    usd: one.usd === null || other.usd === null ? null : one.usd + other.usd,
  };
}
