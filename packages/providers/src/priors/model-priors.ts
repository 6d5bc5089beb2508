import type { ModelPrior, ModelPriors } from "@plimsoll/core/build";
import { MODEL_FAMILIES, type ModelFamily, UNKNOWN_FAMILY } from "./families.ts";
import type { MeasuredFigures } from "./figures.ts";
import { MEASURED_FIGURES } from "./measured-figures.ts";

/** The family of a model, by its id. */
export function familyOf(modelId: string): ModelFamily {
  return MODEL_FAMILIES.find(({ pattern }) => pattern.test(modelId)) ?? UNKNOWN_FAMILY;
}

/** Priors from measured figures: those that the package comes with, or others, fitted without the sessions to be judged. */
export function priorsFrom({ weights, lines }: MeasuredFigures): ModelPriors {
  const known = new Map<string, ModelPrior>();
  // A ledger asks for one model many times in a row.
  let newest: { readonly modelId: string; readonly prior: ModelPrior } | null = null;
  const priorOf = (modelId: string): ModelPrior => {
    const family = familyOf(modelId);
    const seen = known.get(family.name);
    if (seen !== undefined) return seen;
    const { name, reasoningAtTurn, toolsRatio, image } = family;
    const line = lines[family.figures];
    const { values, pooledRatio } = weights[line.weights];
    const { slopeRatio, messageTokens } = line;
    const prior = { name, weights: values, pooledRatio, slopeRatio, messageTokens, toolsRatio, reasoningAtTurn, image };
    known.set(name, prior);
    return prior;
  };
  return (modelId) => {
    if (newest?.modelId !== modelId) newest = { modelId, prior: priorOf(modelId) };
    return newest.prior;
  };
}

/** Expectations for each model before its session has reported anything. */
export const modelPriors: ModelPriors = priorsFrom(MEASURED_FIGURES);
