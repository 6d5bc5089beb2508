import type { ClassCounts } from "./char-classes.ts";
import type { ImageRule } from "./image-rule.ts";
import { POOLED_WEIGHTS } from "./pooled-weights.ts";

/** The figures that estimate a model's tokens until its provider reports usage. Those of vendors are in `@plimsoll/providers`; core has one fitted over all models. */
export interface ModelPrior {
  /** Names it in records and tables. */
  readonly name: string;
  /** Tokens of one of each character class, in the order of `CHAR_CLASSES`. */
  readonly weights: ClassCounts;
  /** The factor by which the weighted sum is multiplied. */
  readonly slopeRatio: number;
  /** The factor from the pooled weights' sum to this one: for texts that are measured without a model. */
  readonly pooledRatio: number;
  /** Tokens that the wire adds to a message. */
  readonly messageTokens: number;
  /** The weight of tool schemas on this model's wire, in addition to their text: templates print them with names and indents. */
  readonly toolsRatio: number;
  /** Whether the reasoning of a turn is still in the prompt after the next human message. */
  readonly reasoningAtTurn: "stays" | "goes";
  readonly image: ImageRule;
}

/** Returns the figures that estimate a model's tokens, by the model's id. */
export type ModelPriors = (modelId: string) => ModelPrior;

/**
 * The pooled prior of all recorded models (docs/evidence.md): slopes lie between 0.8 and 1.4 of it. Images by the common
 * width × height / 750 up to 1,600 tokens; schemas at 1.2 (chosen); a page of a document counts 2,000 (vendors state 1,500 to 3,000).
 */
export const POOLED_PRIOR: ModelPrior = {
  name: "pooled",
  weights: POOLED_WEIGHTS,
  slopeRatio: 1,
  pooledRatio: 1,
  messageTokens: 10,
  toolsRatio: 1.2,
  reasoningAtTurn: "stays",
  image: { kind: "area", pixelsPerToken: 750, maximumTokens: 1600, unknownTokens: 1500, pageTokens: 2000 },
};

/** Returns the same figures for every model: those fitted over all recorded models. */
export const pooledPriors: ModelPriors = () => POOLED_PRIOR;
