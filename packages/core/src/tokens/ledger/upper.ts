import type { Account } from "./account.ts";
import { weighCounts } from "./load.ts";
import type { Model } from "./model-fit.ts";
import type { NextPrompt } from "./next-prompt.ts";
import { regimeOf } from "./regime.ts";
import { deviationOf } from "./regression.ts";

/** Added to every bound: what client and server add to a prompt unasked (0.3 % holds for 98 % of the recorded calls by itself). */
const FLOOR_RATIO = 0.003;

/** Deviations of the unmeasured part's weight, and multiples of the regime's late peak, that the bound leaves room for; chosen. */
const DEVIATIONS = 2;
const PEAK_FACTOR = 1.2;

/** Share of a reply that the text rules may miss where output counts cannot be trusted. */
const UNTRUSTED_RATIO = 0.5;

/** A size that the next request is not expected to exceed: by the regime's own errors and by how sure the new part's weight is. */
export function upperTokensOf(account: Account, model: Model, prompt: NextPrompt): number {
  const { fit, prior } = model;
  const regime = regimeOf(account, account.nextModelId);
  const load = account.base.kind === "nothing" ? account.view : account.pending;
  const deviation = deviationOf(fit.regression, weighCounts(load.counts, prior.weights), load.messages);
  const ratio = FLOOR_RATIO + PEAK_FACTOR * account.residuals[regime];
  const untrustedTokens = UNTRUSTED_RATIO * fit.untrustedRatio * prompt.returnedTokens;
  return prompt.expectedTokens * (1 + ratio) + DEVIATIONS * deviation + untrustedTokens;
}
