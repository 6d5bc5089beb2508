import { defineMeasure, type EstimatorKind, messageChars } from "@plimsoll/core/extend";
import { z } from "zod";

/** How much a character weighs. */
export interface PlainSpec {
  readonly kind: "plain";
  readonly tokensPerChar: number;
}

/** Weighs everything by the length of its text. */
export const PLAIN: EstimatorKind = defineMeasure<PlainSpec>({
  kind: "plain",
  schema: z.strictObject({ kind: z.literal("plain"), tokensPerChar: z.number().positive() }),
  measure: ({ tokensPerChar }, { work }) => {
    const weigh = (chars: number) => {
      work.scanned(chars);
      return Math.ceil(tokensPerChar * chars);
    };
    return {
      name: `plain(${tokensPerChar})`,
      messageTokens: (message) => {
        work.visited(1);
        return weigh(messageChars(message));
      },
      textTokens: ({ length }) => weigh(length),
      toolsTokens: (tools) =>
        tools.reduce(
          (sum, { name, description, parametersJson }) => sum + weigh(`${name}${description}${parametersJson}`.length),
          0,
        ),
    };
  },
});
