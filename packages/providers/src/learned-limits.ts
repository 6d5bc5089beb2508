import type { ModelLimits } from "@plimsoll/core";
import { type learnedInLog, learnedWindowTokens, NOTHING_LEARNED } from "@plimsoll/core/extend";

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

/**
 * The window that refusals taught, in tokens, with the longest reply: the provider `named` it, or refused a `size`, also in `unknown-words`, twice. An answer above it
 * refutes it; after a day it falls, one from unknown words after 20 answers or more.
 */
export interface LearnedWindow {
  readonly tokens: number;
  readonly from: "named" | "size" | "unknown-words";
}

/** The window that was learned, if it is smaller than the model's; `null` for none. */
export function learnedWindow(learned: LearnedLimit, model: ModelLimits): LearnedWindow | null {
  const tokens = learnedWindowTokens(learned, model.maxOutputTokens ?? 0);
  if (tokens === null || tokens >= (model.contextWindowTokens ?? Number.POSITIVE_INFINITY)) return null;
  return { tokens, from: tokens === learned.statedTokens ? "named" : learned.doubt === undefined ? "size" : "unknown-words" };
}
