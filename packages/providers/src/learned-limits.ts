import { type learnedInLog, NOTHING_LEARNED } from "@plimsoll/core/extend";

type LearnedLimit = ReturnType<typeof learnedInLog>;

/** A table of learned limits by conversation and model. Those of a conversation are dropped with its object. */
export interface LearnedLimits {
  of(conversation: WeakKey, modelId: string | undefined): LearnedLimit;
  /** Limits of a model that were learned up to this time (milliseconds since 1970) are ignored, in logs too; `null` or left out for none. */
  forgottenMs?(modelId: string | undefined): number | null;
  learn(conversation: WeakKey, modelId: string | undefined, next: (learned: LearnedLimit) => LearnedLimit): void;
}

/** Makes an empty table, in memory, of limits learned from refusals, by conversation and model. */
export function createLearnedLimits(): LearnedLimits {
  const known = new WeakMap<WeakKey, Map<string, LearnedLimit>>();
  const of: LearnedLimits["of"] = (conversation, modelId = "") => known.get(conversation)?.get(modelId) ?? NOTHING_LEARNED;
  return {
    of,
    learn: (conversation, modelId = "", next) => {
      const byModel = known.get(conversation) ?? new Map<string, LearnedLimit>();
      known.set(conversation, byModel.set(modelId, next(of(conversation, modelId))));
    },
  };
}
