import type { ModelRequest } from "@plimsoll/core";
import { createEstimator, createWorkCounter, EMPTY_LEDGER } from "@plimsoll/core/build";
import { outputUsd, promptUsd } from "@plimsoll/core/internal";
import { type ModelCatalog, modelPriors } from "@plimsoll/providers";
import type { RecordedUsage } from "./cassette.ts";

/** What dollars are made from. */
export type PriceSource = Pick<ModelCatalog, "pricesOf" | "cacheRulesOf">;

/** Tokens of a request's prompt, as an estimator of its model sees it before anything was reported. */
export function estimatedPromptTokens({ context, modelId }: ModelRequest): number {
  const estimator = createEstimator({ kind: "ledger" }, createWorkCounter(), { priors: modelPriors });
  const ledger = estimator.changeModel(EMPTY_LEDGER, modelId);
  const { system, tools, dynamicContext, messages } = context;
  const { overheadTokens } = estimator.predict(ledger, { system, tools, dynamicContext, hiddenTokens: 0 });
  return Math.round(messages.reduce((sum, message) => sum + estimator.messageTokens(message, ledger), overheadTokens));
}

/** Dollars of a request by its usage; what was not reported counts as nothing. `null` if the model has no price. */
export function usageUsd(modelId: string, usage: RecordedUsage, catalog: PriceSource): number | null {
  const prices = catalog.pricesOf(modelId);
  if (prices === null) return null;
  const promptTokens = usage.inputTokens ?? 0;
  const readTokens = usage.cacheReadTokens ?? 0;
  const writeTokens = usage.cacheWriteTokens ?? 0;
  const use = { readTokens, writeTokens, uncachedTokens: Math.max(0, promptTokens - readTokens - writeTokens) };
  const promptCost = promptUsd({ ...use, state: "first" }, prices, catalog.cacheRulesOf(modelId));
  return promptCost + outputUsd(usage.outputTokens ?? 0, promptTokens, prices);
}
