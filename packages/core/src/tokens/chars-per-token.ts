import { z } from "zod";
import { type Message, partTexts, sentParts } from "../message/message.ts";
import { codePointCount, utf8Bytes } from "../text.ts";
import { toolTexts } from "../tool.ts";
import { defineMeasure, type EstimatorKind } from "./estimator.ts";
import { imageTokensOf, type MessageMeasure, POOLED_PRIOR, type WorkCounter } from "./measure.ts";

/** The field's common heuristic: length divided by a constant. Systems differ in their counted parts and their rounding. */
export interface CharsPerTokenSpec {
  readonly kind: "chars-per-token";
  readonly charsPerToken: number;
  readonly unit: "utf8-bytes" | "utf16-units" | "code-points";
  readonly rounding: "floor" | "ceil";
  /** Added to each message, for the wire's framing. */
  readonly perMessageTokens: number;
  /** The least that a message counts. */
  readonly minimumMessageTokens: number;
  readonly imageTokens: number;
  /** Whether system text and tools are counted. Some systems count only their messages. Counted if left out. */
  readonly overhead?: "counted" | "left-out" | undefined;
}

const tokens = z.number().nonnegative();

const charsPerTokenSchema: z.ZodType<CharsPerTokenSpec> = z.strictObject({
  kind: z.literal("chars-per-token"),
  charsPerToken: z.number().positive().describe("Characters per token."),
  unit: z.enum(["utf8-bytes", "utf16-units", "code-points"]).describe("The unit of a character."),
  rounding: z.enum(["floor", "ceil"]).describe("How a message is rounded to whole tokens."),
  perMessageTokens: tokens.describe("Added to each message."),
  minimumMessageTokens: tokens.describe("The fewest tokens of a message."),
  imageTokens: tokens.describe("Tokens of an image."),
  overhead: z.enum(["counted", "left-out"]).optional().describe("Whether system text and tools are counted."),
});

/** The kind of {@link CharsPerTokenSpec}. */
export const CHARS_PER_TOKEN: EstimatorKind = defineMeasure({
  kind: "chars-per-token",
  schema: charsPerTokenSchema,
  measure: (spec, { work }) => charsPerToken(spec, work),
});

const LENGTHS = {
  "utf8-bytes": utf8Bytes,
  "utf16-units": (text: string) => text.length,
  "code-points": codePointCount,
} as const;

/** Makes a {@link MessageMeasure} that divides the length of texts by a constant. */
export function charsPerToken(spec: CharsPerTokenSpec, work: WorkCounter): MessageMeasure {
  const lengthOf = (...texts: readonly string[]) => {
    for (const text of texts) work.scanned(text.length);
    return texts.reduce((sum, text) => sum + LENGTHS[spec.unit](text), 0);
  };
  const tokensFor = (length: number) => Math[spec.rounding](length / spec.charsPerToken);
  const priced = (message: Message) => {
    work.visited(1);
    let length = 0;
    let mediaTokens = 0;
    for (const part of sentParts(message)) {
      length += lengthOf(...partTexts(part));
      if (part.type !== "image") continue;
      // The systems that count so know only images; audio and video have the pooled figures.
      const isTimed = part.mediaType.startsWith("audio/") || part.mediaType.startsWith("video/");
      mediaTokens += isTimed ? imageTokensOf([part], POOLED_PRIOR.image) : spec.imageTokens;
    }
    return Math.max(spec.minimumMessageTokens, tokensFor(length) + mediaTokens) + spec.perMessageTokens;
  };
  return {
    name: `chars-per-token(${spec.charsPerToken}, ${spec.unit})`,
    overhead: spec.overhead,
    messageTokens: priced,
    textTokens: (text) => tokensFor(lengthOf(text)),
    toolsTokens: (tools) => tools.reduce((sum, tool) => sum + tokensFor(lengthOf(...toolTexts(tool))), 0),
  };
}
