import { z } from "zod";
import type { Amount } from "../budget.ts";
import type { TranscriptLabels } from "../message/transcript-text.ts";
import type { StrategySpec } from "../strategy/strategy.ts";
import type { CharsPerTokenSpec } from "../tokens/chars-per-token.ts";
import type { EstimatorSpec } from "../tokens/estimator.ts";
import type { MeasureSpec } from "../tokens/measure-spec.ts";
import type { Trigger } from "../trigger.ts";

const tokens = z.number().nonnegative();

/** Schema of {@link Amount}. */
export const amountSchema: z.ZodType<Amount> = z.lazy(() =>
  z.union([
    z.strictObject({ tokens }),
    z.strictObject({ ratio: z.number().min(0).max(1), of: z.enum(["window", "input-budget"]) }),
    z.strictObject({ min: z.array(amountSchema).min(1).readonly() }),
    z.strictObject({ max: z.array(amountSchema).min(1).readonly() }),
    z.strictObject({ minus: z.array(amountSchema).min(1).readonly() }),
    z.strictObject({ windowAbove: tokens, above: amountSchema, upTo: amountSchema }),
  ]),
);

/** Schema of a policy's `keep`. */
export const keepSchema: z.ZodType<{ readonly messages: number } | Amount> = z.union([
  z.strictObject({ messages: z.int().nonnegative() }),
  amountSchema,
]);

/** Schema of {@link Trigger}. */
export const triggerSchema: z.ZodType<Trigger> = z.union([
  z.strictObject({ atLeast: amountSchema }),
  z.strictObject({ above: amountSchema }),
]);

const charsPerTokenSchema: z.ZodType<CharsPerTokenSpec> = z.strictObject({
  kind: z.literal("chars-per-token"),
  charsPerToken: z.number().positive(),
  unit: z.enum(["utf8-bytes", "utf16-units", "code-points"]),
  rounding: z.enum(["floor", "ceil"]),
  perMessageTokens: tokens,
  minimumMessageTokens: tokens,
  imageTokens: tokens,
});

const measureSchema: z.ZodType<MeasureSpec> = z.union([
  charsPerTokenSchema,
  z.strictObject({ kind: z.literal("char-class") }),
  z.strictObject({ kind: z.literal("bpe"), encoding: z.string().min(1), perMessageTokens: tokens }),
]);

/** Schema of {@link EstimatorSpec}. */
export const estimatorSchema: z.ZodType<EstimatorSpec> = z.union([
  measureSchema,
  z.strictObject({ kind: z.literal("ledger") }),
  z.strictObject({
    kind: z.literal("calibrated-ema"),
    of: measureSchema,
    alphaRatio: z.number().min(0).max(1),
    minimumFactor: z.number().positive(),
    maximumFactor: z.number().positive(),
  }),
  z.strictObject({
    kind: z.literal("usage-anchored"),
    of: measureSchema,
    anchor: z.enum(["prompt", "prompt-and-reply"]),
  }),
]);

/** Schema of {@link StrategySpec}. */
export const strategySchema: z.ZodType<StrategySpec> = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("summarize"),
    writer: z.enum(["model", "digest"]),
    boundary: z.enum(["any-safe", "next-safe", "not-in-tool-batch", "turn"]),
    promptId: z.string().min(1),
    turnPrefixPromptId: z.string().min(1).nullable(),
    turnPrefixFromMessages: z.int().positive().optional(),
    keepNothingUpToMessages: z.int().nonnegative().optional(),
    forcedKeepMessages: z.int().nonnegative().optional(),
  }),
  z.strictObject({
    kind: z.literal("clear-tool-results"),
    keepResults: z.int().nonnegative(),
    clearAtLeastTokens: tokens,
  }),
  z.strictObject({
    kind: z.literal("drop-oldest"),
    amount: z.enum(["all-but-keep", "until-it-fits"]),
    notice: z.enum(["count", "roles", "none"]),
  }),
  z.strictObject({ kind: z.literal("cut-oversized"), to: z.enum(["fit", "stubs"]) }),
  z.strictObject({ kind: z.literal("drop-notices") }),
]);

const label = z.strictObject({ before: z.string(), after: z.string() });

/** Schema of {@link TranscriptLabels}. */
export const labelsSchema: z.ZodType<TranscriptLabels> = z.strictObject({
  human: label,
  command: label,
  injected: label,
  summary: label,
  assistant: label,
  call: label,
  result: label,
  failedResult: label,
});
