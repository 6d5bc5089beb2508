import { z } from "zod";
import type { Amount } from "../budget.ts";
import { amountSchema } from "../budget.ts";
import type { TranscriptLabels } from "../message/transcript-text.ts";
import type { StrategySpec } from "../strategy/strategy.ts";
import type { Trigger } from "../trigger.ts";

const tokens = z.number().nonnegative();

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
