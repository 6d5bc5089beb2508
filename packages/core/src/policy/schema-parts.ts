import { z } from "zod";
import { amountSchema } from "../budget.ts";
import type { TranscriptLabels } from "../message/transcript-text.ts";
import type { Trigger } from "../trigger.ts";

/** Schema of {@link Trigger}. */
export const triggerSchema: z.ZodType<Trigger> = z.union([
  z.strictObject({ atLeast: amountSchema }),
  z.strictObject({ above: amountSchema }),
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
