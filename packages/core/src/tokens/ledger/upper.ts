import type { Account } from "./account.ts";
import { weighCounts } from "./load.ts";
import type { Model } from "./model-fit.ts";
import type { NextPrompt } from "./next-prompt.ts";
import { regimeOf } from "./regime.ts";
import { deviationOf } from "./regression.ts";
import type { Regime } from "./residuals.ts";

/** Added to every bound: what client and server add to a prompt unasked (0.3 % holds for 98 % of the recorded calls by itself). */
const FLOOR_RATIO = 0.003;

/** Deviations of the unmeasured part's weight, and multiples of the regime's late peak, that the bound leaves room for; chosen. */
const DEVIATIONS = 2;
const PEAK_FACTOR = 1.2;

/** Share of a reply that the text rules may miss where output counts cannot be trusted. */
const UNTRUSTED_RATIO = 0.5;

/**
 * A size that the next request is not expected to exceed: by the regime's own errors, how sure the weight of what came since the last report
 * is, and what untrusted counts may hide.
 */
export function upperTokensOf(account: Account, model: Model, prompt: NextPrompt): number {
  const { fit, prior } = model;
  const { counts, messages } = account.pending;
  const isAllEstimated = account.base.kind === "nothing" || messages === 0;
  const deviation = isAllEstimated ? 0 : deviationOf(fit.regression, weighCounts(counts, prior.weights), messages);
  const untrustedTokens = UNTRUSTED_RATIO * fit.untrustedRatio * prompt.returnedTokens;
  const ratio = upperRatioIn(account, regimeOf(account, account.nextModelId));
  return prompt.expectedTokens * ratio + DEVIATIONS * deviation + untrustedTokens + prompt.thrownAwayTokens;
}

/** What a view is bounded by right after a cut, as a multiple of what is expected of it: what a cut must leave room for. */
export function upperRatioAfterCut(account: Account): number {
  const regime = regimeOf(account, account.nextModelId);
  return upperRatioIn(account, regime === "anchored" ? "after-cut" : regime);
}

function upperRatioIn({ residuals }: Account, regime: Regime): number {
  return 1 + FLOOR_RATIO + PEAK_FACTOR * residuals[regime];
}
