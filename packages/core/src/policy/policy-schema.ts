import { z } from "zod";
import { amountSchema, type Trigger } from "../budget.ts";
import { keepRuleSchema } from "../keep/built-in-keep-rules.ts";
import type { TranscriptLabels } from "../message/transcript-text.ts";
import { estimatorSchema } from "../tokens/built-in-estimators.ts";
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
      .describe("Another model of the same provider writes the summary."),
  }),
]);

/** The schema of {@link Policy}, made from the kinds that are there: strict, so that an unknown key is an error and not a silent default. */
export function policySchema(kinds: Kinds): z.ZodType<Policy> {
  const estimator = estimatorSchema(kinds.estimators);
  const keep = z.array(keepRuleSchema(kinds.keepRules)).readonly();
  const strategies = z.array(strategySchema(kinds.strategies)).readonly();
  return z.strictObject({
    name: z.string().min(1).describe("The name in tables and records."),
    enabled: z.boolean().describe("Whether the policy acts at all; false never edits anything."),
    estimator: estimator.describe("The estimator that counts the context's tokens, by kind."),
    cutEstimator: estimator.nullable().describe("Another estimator for finding the cut; null uses the first."),
    gates: z
      .strictObject({
        at: z.array(gateSchema).readonly().describe("The places in the agent's loop where it checks."),
        countPending: z.boolean().describe("Whether the message about to be sent counts."),
      })
      .describe("When the policy checks the context's size."),
    trigger: triggerSchema.describe("The size at which it compacts; the knob actAt sets it."),
    afterPause: z
      .strictObject({
        pauseMs: z.int().positive().describe("The shortest pause, in milliseconds."),
        atLeast: amountSchema.describe("The size at which it then compacts."),
      })
      .nullable()
      .describe("A lower size to compact at after a pause, when the prompt cache has expired; null ignores pauses."),
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
      .strictObject({ atLeast: amountSchema.describe("That size.") })
      .nullable()
      .describe("Above this size only strategies without a model run; null has no such size."),
    keep: keep.describe(
      "Rules for messages that stay word for word, most valuable first: if room is short, the last rule gives way first. The knob keep changes single rules.",
    ),
    manualKeep: keep.nullable().describe("Keep rules when the person asks for a compaction; null uses `keep`."),
    strategies: strategies.describe("The steps, in order: the next runs if one fails or frees too little."),
    fallback: z
      .strictObject({
        actAtBudget: z.boolean().describe("Compact when the room for a request is full, whatever the trigger."),
        minimumNewRatio: z.number().min(0).max(1).describe("This share of the room must be new before it compacts again."),
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
      .describe("What to do after a provider rejected a request as too long."),
    unknownWindow: z
      .union([z.literal("off"), z.strictObject({ tokens: z.int().positive().describe("The window to assume.") })])
      .describe("What to do if the window is unknown: no compaction, or assume a size."),
    subAgents: z.enum(["own", "off"]).describe("Whether the session of a sub-agent compacts itself."),
    summary: z
      .strictObject({
        role: z.enum(["user", "assistant"]).describe("The role of the summary's message."),
        sections: z.array(z.string().min(1)).readonly().describe("The titles of its sections."),
        maxTokens: z.int().positive().describe("The longest summary."),
        turnPrefixMaxTokens: z.int().positive().describe("The longest text about the older part of a split turn."),
        request: requestFormSchema.describe(
          "How to ask for it: as fenced text, at the conversation's end so that the cache is read, or from another model (the knob model).",
        ),
        resultCapChars: z
          .int()
          .positive()
          .nullable()
          .describe("The longest tool result in the request, in characters; null for no cap."),
        labels: labelsSchema.describe(
          "Texts `before` and `after` each piece of the history in the request: human, command, injected, summary, assistant, call, result, failedResult, reasoning (left out without it).",
        ),
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
            steps: z.int().nonnegative().describe("Leave room for so many steps at the growth so far."),
          })
          .nullable()
          .describe("The size to reach; null accepts what the first strategy leaves."),
        minimumNewTokens: z.number().nonnegative().describe("New tokens before it compacts again."),
        minimumSteps: z
          .int()
          .positive()
          .optional()
          .describe("Steps' worth of new tokens before it compacts again, unless a request would not fit. Left out, none."),
        maximumFailures: z.int().positive().describe("After so many failures in a row it waits until the conversation grows."),
      })
      .describe("Limits that stop compactions from repeating."),
    facts: z
      .strictObject({
        maxTokens: z.int().nonnegative().describe("The most tokens of facts; 0 leaves them out."),
        files: z
          .enum(["by-touch", "by-name", "covered"])
          .optional()
          .describe("Which files: all by the order of touch, all by name, or those of what was summarised, by name."),
      })
      .describe("Facts from the log that stand with every summary and notice."),
  });
}

/** The zod schema that checks a {@link Trigger}. */
export const triggerSchema: z.ZodType<Trigger> = z.union([
  z.strictObject({ atLeast: amountSchema.describe("Compacts at this size and above.") }),
  z.strictObject({ above: amountSchema.describe("Compacts above this size.") }),
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
