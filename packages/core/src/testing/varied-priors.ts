import type { ModelPriors } from "../tokens/model-prior.ts";
import { POOLED_PRIOR } from "../tokens/model-prior.ts";

/** Slopes over the pooled one, as far apart as those of the recorded models are. */
const SLOPE_RATIOS = [1, 1.4, 0.8, 1.2, 0.9];

/** Priors of models whose text costs more or less by the number that their id ends with; ids without one have the pooled prior. */
export const variedPriors: ModelPriors = (modelId) => {
  const index = Number(modelId.slice(modelId.lastIndexOf("-") + 1));
  const slopeRatio = SLOPE_RATIOS[index % SLOPE_RATIOS.length] ?? 1;
  return { ...POOLED_PRIOR, slopeRatio, messageTokens: POOLED_PRIOR.messageTokens * slopeRatio };
};
