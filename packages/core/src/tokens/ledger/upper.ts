import type { Account } from "./account.ts";
import type { Model } from "./model-fit.ts";
import type { NextPrompt } from "./next-prompt.ts";

/** A size that the next request is not expected to exceed. */
export function upperTokensOf(_account: Account, _model: Model, prompt: NextPrompt): number {
  return prompt.expectedTokens * 1.01;
}
