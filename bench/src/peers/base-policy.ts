import { PI_POLICY, type Policy } from "@plimsoll/core";

/** The base of peers that are written as one summary by a model: pi's design, without its lists of files. */
export const BASE_POLICY: Policy = { ...PI_POLICY, facts: { maxTokens: 0 } };

/** One summary of all that goes, by a model. */
export const ONE_SUMMARY: Extract<Policy["strategies"][number], { readonly kind: "summarize" }> = {
  kind: "summarize",
  writer: "model",
  boundary: "any-safe",
  promptId: "checkpoint",
  turnPrefixPromptId: null,
};

/** The common estimate by length: four characters a token. */
export const LENGTH_ESTIMATE: Extract<Policy["estimator"], { readonly kind: "chars-per-token" }> = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf16-units",
  rounding: "floor",
  perMessageTokens: 0,
  minimumMessageTokens: 0,
  imageTokens: 0,
};
