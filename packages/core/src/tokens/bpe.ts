import { z } from "zod";
import { partTexts, sentParts } from "../message/message.ts";
import { toolTexts } from "../tool.ts";
import { defineMeasure, type EstimatorKind, type EstimatorSources } from "./estimator.ts";
import { type CountTokens, imageTokensOf, type MessageMeasure, POOLED_PRIOR } from "./measure.ts";

/** Tokens by a byte-pair encoding: exact for the text of the models that have it, an estimate for all others. */
export interface BpeSpec {
  readonly kind: "bpe";
  /** The encoding's name, as `o200k_base`; the caller that runs the policy gives its tokenizer. */
  readonly encoding: string;
  /** Added to each message, for the wire's framing. */
  readonly perMessageTokens: number;
}

const bpeSchema: z.ZodType<BpeSpec> = z.strictObject({
  kind: z.literal("bpe"),
  encoding: z.string().min(1).describe("The byte-pair encoding, by its name."),
  perMessageTokens: z.number().nonnegative().describe("Added to each message."),
});

/** The kind of {@link BpeSpec}. */
export const BPE: EstimatorKind = defineMeasure({ kind: "bpe", schema: bpeSchema, measure: bpe });

/**
 * A {@link MessageMeasure} by a tokenizer. Linear in the text. Reasoning counts as the text that it is; images and documents
 * count by the pooled rule, never by their bytes.
 *
 * @throws PlimsollError `bad-policy` if the tokenizer was not given.
 */
function bpe({ encoding, perMessageTokens }: BpeSpec, { work, tokenizerOf }: EstimatorSources): MessageMeasure {
  const count = tokenizerOf(encoding);
  const textTokens: CountTokens = (text) => {
    work.scanned(text.length);
    work.tokenized(1);
    return count(text);
  };
  return {
    name: `bpe(${encoding})`,
    messageTokens: (message) => {
      work.visited(1);
      const images = sentParts(message).filter((part) => part.type === "image");
      const texts = sentParts(message).flatMap(partTexts);
      return texts.reduce((sum, text) => sum + textTokens(text), perMessageTokens + imageTokensOf(images, POOLED_PRIOR.image));
    },
    textTokens,
    toolsTokens: (tools) => tools.flatMap(toolTexts).reduce((sum, text) => sum + textTokens(text), 0),
  };
}
