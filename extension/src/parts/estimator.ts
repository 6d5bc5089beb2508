import { defineMeasure, type EstimatorKind, type KindSpec } from "@plimsoll/core/build";
import { z } from "zod";

/** How much a character weighs. */
export interface PlainSpec extends KindSpec {
  readonly kind: "plain";
  readonly tokensPerChar: number;
}

/** Weighs the JSON of everything by its length. */
export const PLAIN: EstimatorKind = defineMeasure<PlainSpec>({
  kind: "plain",
  schema: z.strictObject({ kind: z.literal("plain"), tokensPerChar: z.number().positive() }),
  measure: ({ tokensPerChar }, { work }) => {
    const weigh = (value: unknown) => {
      const { length } = JSON.stringify(value) ?? "";
      work.scanned(length);
      return Math.ceil(tokensPerChar * length);
    };
    return {
      name: `plain(${tokensPerChar})`,
      messageTokens: ({ parts }) => weigh(parts),
      textTokens: weigh,
      toolsTokens: weigh,
    };
  },
});
