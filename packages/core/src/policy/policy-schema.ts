import { z } from "zod";
import { amountSchema } from "../budget.ts";
import { keepRuleSchema } from "../keep/built-in-keep-rules.ts";
import type { TranscriptLabels } from "../message/transcript-text.ts";
import { estimatorSchema } from "../tokens/built-in-estimators.ts";
import type { Trigger } from "../trigger.ts";
import { type Kinds, strategySchema } from "./kinds.ts";
import type { Policy, SummaryRequestForm } from "./policy.ts";

const gateSchema = z.enum(["before-submit", "before-step", "after-tool-batch", "on-overflow"]);

const requestFormSchema: z.ZodType<SummaryRequestForm> = z.union([
  z.enum(["serialised", "prefix"]),
  z.strictObject({
    cheaper: z
      .strictObject({
        modelId: z.string().min(1).describe("The model, by its id."),
        contextWindowTokens: z.int().positive().describe("Its window."),
      })
      .describe("Another model of the same provider writes."),
  }),
]);

/** The schema of {@link Policy}, made from the kinds that are there: strict, so that an unknown key is an error and not a silent default. */
export function policySchema(kinds: Kinds): z.ZodType<Policy> {
  const estimator = estimatorSchema(kinds.estimators);
  const keep = z.array(keepRuleSchema(kinds.keepRules)).readonly();
  const strategies = z.array(strategySchema(kinds.strategies)).readonly();
  return z.strictObject({
    name: z.string().min(1).describe("The name in tables and records."),
    enabled: z.boolean().describe("False never edits anything."),
    estimator: estimator.describe("How the context is measured, by kind."),
    cutEstimator: estimator.nullable().describe("A second measure for finding the cut; null takes the first."),
    gates: z
      .strictObject({
        at: z.array(gateSchema).readonly().describe("Where the line is looked at."),
        countPending: z.boolean().describe("Whether the message that is about to be sent counts."),
      })
      .describe("When it is looked whether to act."),
    trigger: triggerSchema.describe("The line from which it acts; the knob actAt sets it."),
    afterPause: z
      .strictObject({
        pauseMs: z.int().positive().describe("How long the pause is, in milliseconds."),
        atLeast: amountSchema.describe("The line then."),
      })
      .nullable()
      .describe("A lower line after a pause, when the prompt cache has expired; null knows no pauses."),
    prepare: z
      .strictObject({ atLeast: amountSchema.describe("The size from which it is prepared.") })
      .optional()
      .describe(
        "The model's summary is written while the conversation goes on, and tried first when the policy acts; the knob prepareAt sets it. Left out, none is.",
      ),
    idle: z
      .strictObject({
        afterMs: z
          .int()
          .positive()
          .describe("How long it has waited, in milliseconds: less than the provider keeps its cache."),
        atLeast: amountSchema.describe("The size from which it is compacted."),
      })
      .optional()
      .describe(
        "A session that waits for a person is compacted before its prompt cache expires; the knob idleAfter sets it. Left out, it is not.",
      ),
    emergency: z
      .strictObject({ atLeast: amountSchema.describe("The line.") })
      .nullable()
      .describe("From here on only strategies that need no model run; null has no such line."),
    keep: keep.describe(
      "Rules for messages that stay word for word, in an order of worth: under pressure the last gives way first. The knob keep turns single rules.",
    ),
    manualKeep: keep.nullable().describe("Keep rules of a compaction that the person asks for; null keeps the same."),
    strategies: strategies.describe("The steps, in order: the next one runs if one fails or is not enough."),
    fallback: z
      .strictObject({
        actAtBudget: z.boolean().describe("Act at the room for a request, whatever the line."),
        minimumNewRatio: z.number().min(0).max(1).describe("This share of the room must be new before the line counts again."),
        strategies: strategies.describe("Steps that run after the policy's own, while the context does not fit."),
        forced: strategies.describe("Steps that run at the last recovery."),
      })
      .describe("Steps that make sure that a request fits. All presets have the same."),
    truncation: z
      .strictObject({
        capTokens: z.int().nonnegative().describe("The cap."),
        keeps: z
          .literal("diagnoses")
          .optional()
          .describe("Lines that tell of an error, an exit status or a place in a source stay as well."),
      })
      .nullable()
      .describe("The longest tool result that enters the history whole; null cuts nothing. The knob cap sets it."),
    overflow: z
      .strictObject({
        keep: keep.describe("Keep rules of that compaction."),
        maxRecoveries: z.int().min(0).max(10).describe("How often a step may recover."),
      })
      .describe("After a provider rejected a request as too long."),
    unknownWindow: z
      .union([z.literal("off"), z.strictObject({ tokens: z.int().positive().describe("The window that is taken.") })])
      .describe("The treatment of an unknown window: no compaction, or a size."),
    subAgents: z.enum(["own", "off"]).describe("Whether the session of a sub-agent compacts itself."),
    summary: z
      .strictObject({
        role: z.enum(["user", "assistant"]).describe("Whose message the summary is."),
        sections: z.array(z.string().min(1)).readonly().describe("The titles of its sections."),
        maxTokens: z.int().positive().describe("The longest summary."),
        turnPrefixMaxTokens: z.int().positive().describe("The longest text about the older part of a split turn."),
        request: requestFormSchema.describe(
          "How it is asked for: as fenced text, behind the conversation so that the cache is read, or of another model (the knob model).",
        ),
        resultCapChars: z
          .int()
          .positive()
          .nullable()
          .describe("The longest tool result in the request, in characters; null for no cap."),
        labels: labelsSchema.describe("Texts before and after each piece of the history in the request."),
        calls: z
          .enum(["one-by-one", "joined"])
          .optional()
          .describe(
            "Calls as pieces of their own with their arguments as JSON, or those of a reply in one piece as name=value.",
          ),
        textless: z
          .enum(["named", "left-out"])
          .optional()
          .describe("Pieces without text, an empty result or an image: named, or left out."),
        joints: z
          .enum(["lines", "none"])
          .optional()
          .describe("The joint between text parts of a user's message or of a result: a new line, or nothing."),
      })
      .describe("The shape of a summary."),
    progress: z
      .strictObject({
        target: z
          .strictObject({
            atMost: amountSchema.describe("At most this much."),
            steps: z.int().nonnegative().describe("Room for so many steps at the growth so far."),
          })
          .nullable()
          .describe("Where a compaction should end; null takes what the first strategy gives."),
        minimumNewTokens: z.number().nonnegative().describe("New tokens before the line counts again."),
        minimumSteps: z
          .int()
          .positive()
          .optional()
          .describe("Steps' worth of new tokens before the line counts again, unless a request would not fit. Left out, none."),
        maximumFailures: z
          .int()
          .positive()
          .describe("Failures in a row after which nothing is tried until something new comes."),
      })
      .describe("Limits that end loops of compactions."),
    facts: z
      .strictObject({
        maxTokens: z.int().nonnegative().describe("The most of them; 0 leaves them out."),
        files: z
          .enum(["by-touch", "by-name", "covered"])
          .optional()
          .describe("Which files: all by the order of touch, all by name, or those of what was summarised, by name."),
      })
      .describe("Facts that survive with every summary and notice."),
  });
}

/** Schema of {@link Trigger}. */
export const triggerSchema: z.ZodType<Trigger> = z.union([
  z.strictObject({ atLeast: amountSchema.describe("At this size and above.") }),
  z.strictObject({ above: amountSchema.describe("Above this size.") }),
]);

const label = z.strictObject({ before: z.string().describe("Before it."), after: z.string().describe("After it.") });

/** Schema of {@link TranscriptLabels}. */
const labelsSchema: z.ZodType<TranscriptLabels> = z.strictObject({
  human: label.describe("A message of the person."),
  command: label.describe("A command that the person ran."),
  injected: label.describe("A text that the agent put in."),
  summary: label.describe("An earlier summary."),
  assistant: label.describe("A message of the model."),
  call: label.describe("A call."),
  result: label.describe("A result."),
  failedResult: label.describe("A result that is an error."),
  reasoning: label.optional().describe("The model's reasoning, which is left out without this."),
});
