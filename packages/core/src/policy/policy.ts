import { z } from "zod";
import type { Amount } from "../budget.ts";
import { amountSchema } from "../budget.ts";
import type { Gate } from "../entry.ts";
import type { TranscriptLabels } from "../message/transcript-text.ts";
import type { StrategySpec } from "../strategy/strategy.ts";
import type { EstimatorSpec } from "../tokens/built-in-estimators.ts";
import { BUILT_IN_ESTIMATORS, estimatorSchema } from "../tokens/built-in-estimators.ts";
import type { Trigger } from "../trigger.ts";
import { keepSchema, labelsSchema, strategySchema, triggerSchema } from "./schema-parts.ts";

/** How much of the newest history stays verbatim: a number of messages, or an amount of tokens. */
export type Keep = { readonly messages: number } | Amount;

/** Everything about compaction, as plain data: presets, YAML files, sweeps and reports hold nothing else. */
export interface Policy {
  readonly name: string;
  /** With `false` nothing is ever edited; what would overflow is counted, and the provider's error reaches the caller. */
  readonly enabled: boolean;
  readonly estimator: EstimatorSpec;
  /** A second measure for finding the cut, where a system has one; `null` uses `estimator`. */
  readonly cutEstimator: EstimatorSpec | null;
  readonly gates: GatePolicy;
  readonly trigger: Trigger;
  /** A lower line for requests that come after a pause: the prompt cache has expired, so a cut costs no rewrite. `null` knows no pauses. */
  readonly afterPause: { readonly pauseMs: number; readonly atLeast: Amount } | null;
  /** From here on only strategies that need no model run; `null` for policies without that case. */
  readonly emergency: { readonly atLeast: Amount } | null;
  readonly keep: Keep;
  /** What a compaction that the person asks for keeps; `null` keeps what any other does. */
  readonly manualKeep: Keep | null;
  /** Tried in order, the next one when one fails or is not enough. The engine appends rungs that need no model. */
  readonly strategies: readonly StrategySpec[];
  /** Cap of one tool result before it enters history, by this policy's uncalibrated measure; `null` lets all in. */
  readonly truncation: { readonly capTokens: number } | null;
  readonly overflow: OverflowPolicy;
  /** What an unknown context window means: no compaction, or a stated size. */
  readonly unknownWindow: "off" | { readonly tokens: number };
  /** Whether a sub-agent's session compacts itself. */
  readonly subAgents: "own" | "off";
  readonly summary: SummaryPolicy;
  readonly progress: ProgressPolicy;
  /** Room for the facts that survive beside every summary and notice; 0 leaves them out. */
  readonly facts: { readonly maxTokens: number };
  /** Room for lines of what was removed that stay word for word beside every summary and notice; `null` keeps none. */
  readonly excerpts: { readonly atMost: Amount } | null;
}

/** Where the trigger is checked, and whether the message that is about to be sent counts. */
export interface GatePolicy {
  readonly at: readonly Gate[];
  readonly countPending: boolean;
}

/** After a request was rejected as too long: what is kept at the first recovery, and how many recoveries a step may have. */
export interface OverflowPolicy {
  readonly keep: Keep;
  readonly maxRecoveries: number;
}

/** The shape of summaries. Sections are data; prompts are named by id. */
export interface SummaryPolicy {
  readonly role: "user" | "assistant";
  readonly sections: readonly string[];
  readonly maxTokens: number;
  /** Most tokens of the text about the older part of a split turn, where that is written apart. */
  readonly turnPrefixMaxTokens: number;
  readonly request: SummaryRequestForm;
  /** Each tool result in a serialised request is cut to this many characters; `null` for no cap. */
  readonly resultCapChars: number | null;
  /** What stands before and after each piece of a serialised history. */
  readonly labels: TranscriptLabels;
}

/**
 * How a summary is asked for.
 *
 * - `serialised`: the history as fenced text in a request of its own
 * - `prefix`: the conversation itself, with the instruction behind it, so that the provider's prompt cache is read; as fenced text where
 *   that does not fit
 * - `cheaper`: as fenced text, of another model of the same provider, in requests that fit its window
 */
export type SummaryRequestForm =
  | "serialised"
  | "prefix"
  | { readonly cheaper: { readonly modelId: string; readonly contextWindowTokens: number } };

/** What ends compaction loops. */
export interface ProgressPolicy {
  /**
   * After a compaction the context should be this small, so that the trigger does not fire again at once; the next strategies run
   * until it is. `null` takes whatever the first strategy that works gives.
   */
  readonly target: TargetPolicy | null;
  /** New tokens that must have arrived since the last compaction before a threshold may fire again. */
  readonly minimumNewTokens: number;
  /** Failed attempts in a row after which the breaker opens until something new arrives. */
  readonly maximumFailures: number;
}

/** Where a compaction should end: at most an amount, and low enough for a number of steps at the growth measured so far. */
export interface TargetPolicy {
  readonly atMost: Amount;
  readonly steps: number;
}

const gateSchema = z.enum(["before-submit", "before-step", "after-tool-batch", "on-overflow"]);

const requestFormSchema: z.ZodType<SummaryRequestForm> = z.union([
  z.enum(["serialised", "prefix"]),
  z.strictObject({ cheaper: z.strictObject({ modelId: z.string().min(1), contextWindowTokens: z.int().positive() }) }),
]);

/** The schema of {@link Policy}: strict, so that an unknown key is an error and not a silent default. */
export const policySchema: z.ZodType<Policy> = z.strictObject({
  name: z.string().min(1),
  enabled: z.boolean(),
  estimator: estimatorSchema(BUILT_IN_ESTIMATORS),
  cutEstimator: estimatorSchema(BUILT_IN_ESTIMATORS).nullable(),
  gates: z.strictObject({ at: z.array(gateSchema).readonly(), countPending: z.boolean() }),
  trigger: triggerSchema,
  afterPause: z.strictObject({ pauseMs: z.int().positive(), atLeast: amountSchema }).nullable(),
  emergency: z.strictObject({ atLeast: amountSchema }).nullable(),
  keep: keepSchema,
  manualKeep: keepSchema.nullable(),
  strategies: z.array(strategySchema).readonly(),
  truncation: z.strictObject({ capTokens: z.int().nonnegative() }).nullable(),
  overflow: z.strictObject({ keep: keepSchema, maxRecoveries: z.int().min(0).max(10) }),
  unknownWindow: z.union([z.literal("off"), z.strictObject({ tokens: z.int().positive() })]),
  subAgents: z.enum(["own", "off"]),
  summary: z.strictObject({
    role: z.enum(["user", "assistant"]),
    sections: z.array(z.string().min(1)).readonly(),
    maxTokens: z.int().positive(),
    turnPrefixMaxTokens: z.int().positive(),
    request: requestFormSchema,
    resultCapChars: z.int().positive().nullable(),
    labels: labelsSchema,
  }),
  progress: z.strictObject({
    target: z.strictObject({ atMost: amountSchema, steps: z.int().nonnegative() }).nullable(),
    minimumNewTokens: z.number().nonnegative(),
    maximumFailures: z.int().positive(),
  }),
  facts: z.strictObject({ maxTokens: z.int().nonnegative() }),
  excerpts: z.strictObject({ atMost: amountSchema }).nullable(),
});
