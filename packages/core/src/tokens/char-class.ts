import { z } from "zod";
import type { Message } from "../message/message.ts";
import { countClasses, NO_COUNTS } from "./char-classes.ts";
import { defineMeasure, type EstimatorKind } from "./estimator.ts";
import { type ContentOf, contentReader, fixedTokensOf, type MessageContent, weighCounts } from "./ledger/content.ts";
import { type MessageMeasure, POOLED_PRIOR, type WorkCounter } from "./measure.ts";

/** Tokens by what a text is made of: a weight for each of some thirty character classes, fitted over all recorded models. */
export interface CharClassSpec {
  readonly kind: "char-class";
}

const charClassSchema: z.ZodType<CharClassSpec> = z.strictObject({ kind: z.literal("char-class") });

/** The kind of {@link CharClassSpec}. */
export const CHAR_CLASS: EstimatorKind = defineMeasure({
  kind: "char-class",
  schema: charClassSchema,
  measure: (_, { work }) => charClass(work),
});

/** Makes a {@link MessageMeasure} by character classes. It reads each message once, in one pass. */
export function charClass(work: WorkCounter, contentOf: ContentOf = contentReader(work)): MessageMeasure {
  const textTokens = (text: string) => {
    work.scanned(text.length);
    const counts = [...NO_COUNTS];
    countClasses(text, counts);
    return Math.ceil(weighCounts(counts, POOLED_PRIOR.weights));
  };
  return {
    name: "char-class",
    messageTokens: (message: Message) => pooledTokens(contentOf(message)),
    textTokens,
    toolsTokens: (tools) =>
      tools.reduce(
        (sum, tool) => sum + textTokens(tool.name) + textTokens(tool.description) + textTokens(tool.parametersJson),
        0,
      ),
  };
}

function pooledTokens(content: MessageContent): number {
  const { weights, messageTokens, image } = POOLED_PRIOR;
  const tokens = weighCounts(content.counts, weights) + weighCounts(content.reasoningCounts, weights) + messageTokens;
  return Math.ceil(tokens + fixedTokensOf(content, image));
}
