import { type ModelRequest, usageOf } from "@plimsoll/core";
import { createEstimator, createWorkCounter, EMPTY_LEDGER } from "@plimsoll/core/extend";
import { type ModelCatalog, modelPriors, usageUsd } from "@plimsoll/providers";
import type { RecordedUsage } from "./cassette.ts";

/** The sources of dollars. */
export type PriceSource = Pick<ModelCatalog, "pricesOf" | "cacheRulesOf">;

/** Tokens of a request's prompt, as an estimator of its model sees it before anything was reported. */
export function estimatedPromptTokens({ context, modelId }: ModelRequest): number {
  const estimator = createEstimator({ kind: "ledger" }, createWorkCounter(), { priors: modelPriors });
  const ledger = estimator.changeModel(EMPTY_LEDGER, modelId);
  const { system, tools, dynamicContext, messages } = context;
  const { overheadTokens } = estimator.predict(ledger, { system, tools, dynamicContext, hiddenTokens: 0 });
  return Math.round(messages.reduce((sum, message) => sum + estimator.messageTokens(message, ledger), overheadTokens));
}

/** Dollars of a request by its usage; unreported tokens count as none. `null` if the model has no price. */
export function requestUsd(modelId: string, usage: RecordedUsage, catalog: PriceSource): number | null {
  const prices = catalog.pricesOf(modelId);
  if (prices === null) return null;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const reported = usageOf({ totalInputTokens: inputTokens ?? 0, cacheReadTokens, cacheWriteTokens, outputTokens });
  const dollars = usageUsd(reported, prices);
  return dollars === null ? null : dollars.promptUsd + dollars.replyUsd;
}
