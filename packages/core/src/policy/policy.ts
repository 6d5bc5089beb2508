import { z } from "zod";
import { type Amount, amountSchema, type Trigger } from "../budget.ts";
import type { Gate } from "../entry.ts";
import { failureText, PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";
import { type KeepRuleSpec, keepRulesOf } from "../keep/built-in-keep-rules.ts";
import type { KindSpec } from "../kind.ts";
import type { FileOrder } from "../memory.ts";
import type { TranscriptLabels } from "../message/transcript-text.ts";
import type { SummaryRequest } from "../ports.ts";
import { schemaProblems, suggestion } from "../schema-problems.ts";
import type { StrategySpec } from "../strategy/built-in-strategies.ts";
import { type EstimatorSpec, encodingsUsed } from "../tokens/built-in-estimators.ts";
import type { TruncationPolicy } from "../truncation/span.ts";
import { BUILT_IN_KINDS, type Kinds, kindNames } from "./kinds.ts";
import { refuseRetired } from "./retired.ts";

/** All settings of compaction, as plain data: a preset or a policy file has nothing else. */
export interface Policy {
  readonly name: string;
  /** With `false` it compacts only on request; overflows are counted, and the provider's error reaches the caller. */
  readonly enabled: boolean;
  readonly estimator: EstimatorSpec;
  /** A second measure for finding the cut, if a system has one; `null` uses `estimator`. */
  readonly cutEstimator: EstimatorSpec | null;
  readonly gates: { readonly at: readonly Gate[]; readonly countPending: boolean };
  readonly trigger: Trigger;
  /** A lower threshold after a pause of so many milliseconds, or once the prompt cache has expired: then a cut costs no rewrite. `null` ignores pauses. */
  readonly afterPause: { readonly after: "cache-expiry" | number; readonly atLeast: Amount } | null;
  /** The least share of the rewritten tokens that a cut frees if cuts have to pay, unless nothing else fits; absent for none. */
  readonly minimumFreedRatio?: number | undefined;
  /**
   * From this size on the model prepares a summary while the conversation goes on. When the policy acts, it tries that first, if its covered messages are unchanged.
   * Absent for none; a policy that asks no model prepares nothing.
   */
  readonly prepare?: { readonly atLeast: Amount } | undefined;
  /** At this size and above only strategies that need no model run; `null` for none. */
  readonly emergency: { readonly atLeast: Amount } | null;
  /** Rules for messages that stay word for word, most valuable first: under pressure the fallback releases the last first. `recent` only says where a strategy cuts. */
  readonly keep: readonly KeepRuleSpec[];
  /** Keep rules of a compaction that the person asks for; `null` uses `keep`. */
  readonly manualKeep: readonly KeepRuleSpec[] | null;
  /** Tried in order; the next one runs if one fails or frees too little. */
  readonly strategies: readonly StrategySpec[];
  readonly fallback: FallbackPolicy;
  /** Cap of one tool result before it enters history, by this policy's uncalibrated measure; `null` cuts nothing. */
  readonly truncation: TruncationPolicy | null;
  readonly overflow: { readonly keep: readonly KeepRuleSpec[]; readonly maxRecoveries: number };
  /** The treatment of an unknown context window: no compaction, or a stated size. */
  readonly unknownWindow: "off" | { readonly tokens: number };
  /** Whether a sub-agent's session compacts itself. */
  readonly subAgents: "own" | "off";
  readonly summary: SummaryPolicy;
  readonly progress: ProgressPolicy;
  /**
   * Most tokens of the facts beside every summary and notice. With 0, only the lists that `files` names remain of the log's facts; lists of covered files have their own
   * limit.
   */
  readonly facts: { readonly maxTokens: number; readonly files?: FileOrder | undefined };
}

/**
 * A policy as the engine runs it. Without a fallback it may lose a call, as the program that it imitates does: only benchmarks run such a policy, and
 * {@link Policy} has none.
 */
export type EnginePolicy = Omit<Policy, "fallback"> & { readonly fallback: FallbackPolicy | null };

/** The steps that make sure that a request fits, even if the policy's own strategies fail. Presets have the same values. */
interface FallbackPolicy {
  /** Whether a request that exceeds the input budget is acted on although no trigger fires, at any gate. */
  readonly actAtBudget: boolean;
  /** A threshold may not fire again before this share of the input budget has arrived since the last compaction. */
  readonly minimumNewRatio: number;
  /** Run after the policy's own while the context does not fit, the first of them also if nothing has worked yet. None should need a model. */
  readonly strategies: readonly StrategySpec[];
  /** Replace the policy's own at the last recovery from a rejected request: they leave only uncuttable parts. */
  readonly forced: readonly StrategySpec[];
}

/** The shape of summaries. Sections are data; prompts are named by id. */
export interface SummaryPolicy extends Pick<SummaryRequest, "resultCapChars" | "labels" | "calls" | "textless" | "joints"> {
  readonly role: "user" | "assistant";
  readonly sections: readonly string[];
  readonly maxTokens: number;
  /** Most tokens of the text about the older part of a split turn, if that is written apart. */
  readonly turnPrefixMaxTokens: number;
  readonly request: SummaryRequestForm;
  /** The requested effort of a reasoning model for a summary; the caller's own comes first. Left out, the request has none. */
  readonly reasoning?: "low" | "medium" | "high" | undefined;
}

/**
 * How a summary is asked for.
 *
 * - `serialised`: the history as fenced text in a request of its own
 * - `prefix`: the conversation itself, with the instruction behind it, so that the provider's prompt cache is read; as fenced text if
 *   that does not fit
 * - `cheaper`: as fenced text, of another model of the same provider, in requests that fit its window
 */
export type SummaryRequestForm =
  | "serialised"
  | "prefix"
  | { readonly cheaper: { readonly modelId: string; readonly contextWindowTokens: number } };

/** The limits that end compaction loops. */
interface ProgressPolicy {
  /** New tokens that must have arrived since the last compaction before a threshold may fire again. */
  readonly minimumNewTokens: number;
  /**
   * Steps that a compaction has to buy: at the growth measured so far, as much must be new before the next one, unless a request would not fit. Absent
   * for none. Ours say ten: a rewritten token costs about as much as reading it from the cache in ten more requests.
   */
  readonly minimumSteps?: number | undefined;
  /** Summaries of a model that failed in a row after which none is asked for, until the person says something. */
  readonly maximumFailures: number;
}

/** The schema by kinds, and the policies that it found right: it takes a millisecond for one. */
const known = new WeakMap<Kinds, { readonly schema: z.ZodType<Policy>; readonly right: WeakSet<EnginePolicy> }>();

/** Takes the place of the fallback that a policy in a benchmark lacks. */
const NO_FALLBACK: FallbackPolicy = { actAtBudget: false, minimumNewRatio: 0, strategies: [], forced: [] };

/** Refuses a policy that is none. Throws PlimsollError `bad-policy` with the first mistake; its details have its `path`, and all as `problems`. */
export function checkPolicy(policy: EnginePolicy, kinds: Kinds): void {
  const { schema, right } = known.get(kinds) ?? { schema: policySchema(kinds), right: new WeakSet() };
  known.set(kinds, { schema, right });
  if (right.has(policy)) return;
  refuseRetired(policy, kindNames(kinds));
  const whole = policy.fallback === null ? { ...policy, fallback: NO_FALLBACK } : policy;
  const { error } = schema.safeParse(whole, { reportInput: true });
  const [first, ...others] = error === undefined ? [] : schemaProblems(error, schema);
  if (first === undefined) return void right.add(policy);
  const details = { path: first.path.map(String).join("."), problems: [first, ...others].map(({ text }) => text) };
  throw new PlimsollError("bad-policy", `the policy ${policy.name}: ${first.text}`, details);
}

/**
 * Lists the encodings that a policy counts by, each once. The caller that runs the policy has to give their tokenizers.
 *
 * @throws PlimsollError `bad-policy` for an unknown estimator.
 */
export function encodingsOf(
  { estimator, cutEstimator }: Pick<Policy, "estimator" | "cutEstimator">,
  { estimators }: Pick<Kinds, "estimators"> = BUILT_IN_KINDS,
): readonly string[] {
  return encodingsUsed(cutEstimator === null ? [estimator] : [estimator, cutEstimator], estimators);
}

/** Schema of {@link Gate}. */
export const gateSchema: z.ZodType<Gate> = z.enum(["before-submit", "before-step", "after-tool-batch", "on-overflow"]);

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

/** Says how to give a kind that is not known, or which one was meant. */
export function unknownKind(what: string, kind: string, names: readonly string[]): string {
  const give = `give its kinds (kinds: withKinds(…), or --with MODULE), or use one of ${names.join(", ")}`;
  return `unknown ${what} ${JSON.stringify(kind)}: ${suggestion(kind, names, give)}`;
}

/** The schema of one of these kinds. Of another one it says how to give it. */
function oneOf(what: string, kinds: readonly (KindSpec & { readonly schema: z.ZodType<KindSpec> })[]): z.ZodType<KindSpec> {
  const names = kinds.map(({ kind }) => kind);
  const error = ({ input }: { readonly input?: unknown }) =>
    isRecord(input) && typeof input.kind === "string" && !names.includes(input.kind)
      ? unknownKind(what, input.kind, names)
      : undefined;
  return z.union(
    kinds.map(({ schema }) => schema),
    { error },
  );
}

/** The schema of {@link Policy}, made from the given kinds: strict, so that an unknown key is an error and not a silent default. */
export function policySchema(kinds: Kinds): z.ZodType<Policy> {
  const measure = z.union(kinds.estimators.flatMap((kind) => (kind.measure === null ? [] : [kind.schema(z.never())])));
  const estimator = z.union(kinds.estimators.map((kind) => kind.schema(measure)));
  // A rule of the caller's own may refuse settings that its schema takes.
  const keepRule = oneOf("keep rule", kinds.keepRules).check(({ value, issues }) => {
    try {
      keepRulesOf([value], kinds.keepRules);
    } catch (refused) {
      issues.push({ code: "custom", message: refused instanceof Error ? refused.message : failureText(refused), input: value });
    }
  });
  const keep = z.array(keepRule).readonly();
  const strategies = z.array(oneOf("strategy", kinds.strategies)).readonly();
  return z.strictObject({
    name: z.string().min(1).describe("The name in tables and records."),
    enabled: z.boolean().describe("Whether the policy compacts at all; false edits nothing unless asked to."),
    estimator: estimator.describe("The estimator that counts the context's tokens, by kind."),
    cutEstimator: estimator.nullable().describe("Another estimator for finding the cut; null uses the first."),
    gates: section("When the policy checks the context's size.", {
      at: z.array(gateSchema).readonly().describe("The places in the agent's loop where it checks."),
      countPending: z.boolean().describe("Whether the message about to be sent counts."),
    }),
    trigger: triggerSchema.describe("The size at which it compacts; the knob actAt sets it."),
    afterPause: sectionOrNull(
      "A lower size to compact at after a pause, when the prompt cache has expired; null ignores pauses.",
      {
        after: z
          .union([z.literal("cache-expiry"), z.int().positive()])
          .describe("The shortest pause: in milliseconds, or until the session's prompt cache has expired."),
        atLeast: amountSchema.describe("The size at which it compacts after such a pause."),
      },
    ),
    minimumFreedRatio: maybe(
      z.number().min(0).max(1),
      "If cuts have to pay: a cut frees at least this share of the tokens that it rewrites, unless nothing else fits. If omitted, any.",
    ),
    prepare: maybe(
      z.strictObject({ atLeast: amountSchema.describe("The size from which it is prepared.") }),
      "Has a model write the summary in the background and tries it first at the next compaction; the knob prepareAt sets it. If omitted, nothing is prepared.",
    ),
    emergency: sectionOrNull("Above this size only strategies without a model run; null: no such size.", {
      atLeast: amountSchema.describe("The size above which no model is asked."),
    }),
    keep: keep.describe(
      "Rules for messages that stay word for word, most valuable first: if room is short, the last rule gives way first. The knob keep changes single rules.",
    ),
    manualKeep: keep.nullable().describe("Keep rules for a compaction that the person asks for; null: those of `keep`."),
    strategies: strategies.describe("The steps, in order: the next runs if one fails or frees too little."),
    fallback: section("Steps that make a request fit; all presets share them.", {
      actAtBudget: z.boolean().describe("Compact when the room for a request is full, whatever the trigger."),
      minimumNewRatio: z.number().min(0).max(1).describe("This share of the room must be new before it compacts again."),
      strategies: strategies.describe("Steps that run after the policy's own, while the context does not fit."),
      forced: strategies.describe("Steps that run at the last recovery."),
    }),
    truncation: sectionOrNull(
      "The longest tool result that enters the history whole; null cuts nothing. The knob cap sets it.",
      {
        capTokens: z.int().nonnegative().describe("The cap: four UTF-8 bytes a token."),
        keeps: maybe(
          z.literal("diagnoses"),
          "Also keeps lines of a cut result that report an error, an exit status or a source location.",
        ),
      },
    ),
    overflow: section("What to do after a provider rejected a request as too long.", {
      keep: keep.describe("Keep rules of that compaction."),
      maxRecoveries: z.int().min(0).max(10).describe("How often a step may recover; a fallback makes 1 or more at least 3."),
    }),
    unknownWindow: z
      .union([z.literal("off"), z.strictObject({ tokens: z.int().positive().describe("The window to assume.") })])
      .describe("What to do if the window is unknown: no compaction, or assume a size."),
    subAgents: z.enum(["own", "off"]).describe("Whether the sessions of sub-agents are compacted."),
    summary: section("The shape of a summary.", {
      role: z.enum(["user", "assistant"]).describe("The role of the summary's message."),
      sections: z.array(z.string().min(1)).readonly().describe("The titles of its sections."),
      maxTokens: z.int().positive().describe("The longest summary."),
      turnPrefixMaxTokens: z.int().positive().describe("The longest text about the older part of a split turn."),
      request: requestFormSchema.describe(
        "How to ask for it: as fenced text, at the conversation's end so that the cache is read, or from another model (the knob model).",
      ),
      reasoning: maybe(
        z.enum(["low", "medium", "high"]),
        "The reasoning effort for a summary; if omitted, the request names none.",
      ),
      resultCapChars: z
        .int()
        .positive()
        .nullable()
        .describe("The longest tool result in the request, in characters; null for no cap."),
      labels: labelsSchema.describe(
        "Texts `before` and `after` each piece of the history in the request: human, command, injected, summary, assistant, call, result, failedResult, reasoning (left out without it).",
      ),
      calls: maybe(
        z.enum(["one-by-one", "joined"]),
        "Calls as pieces of their own with their arguments as JSON, or those of a reply in one piece as name=value.",
      ),
      textless: maybe(z.enum(["named", "left-out"]), "Pieces without text, an empty result or an image: named, or left out."),
      joints: maybe(
        z.enum(["lines", "none"]),
        "The joint between text parts of a user's message or of a result: a new line, or nothing.",
      ),
    }),
    progress: section("Limits that stop compactions from repeating.", {
      minimumNewTokens: z.number().nonnegative().describe("New tokens before it compacts again."),
      minimumSteps: maybe(
        z.int().positive(),
        "It waits for the tokens of this many new steps before it compacts again, unless a request would not fit. If omitted, it does not wait.",
      ),
      maximumFailures: z
        .int()
        .positive()
        .describe("After this many failed summaries, it asks no model until the person's next message."),
    }),
    facts: section("Facts from the log, added to every summary and notice.", {
      maxTokens: z
        .int()
        .nonnegative()
        .describe("The most tokens of facts; 0 keeps only the caller's facts and the lists of `files`."),
      files: maybe(
        z.enum(["by-touch", "by-name", "covered"]),
        "The listed files: all in order of use, all by name, or those of the summarised messages by name.",
      ),
    }),
  });
}

/** Settings that may be left out, settings in a map, and a map that may be null, each with its meaning. */
const maybe = <Of extends z.ZodType>(of: Of, meaning: string) => of.optional().describe(meaning);
const section = <Shape extends z.ZodRawShape>(meaning: string, shape: Shape) => z.strictObject(shape).describe(meaning);
const sectionOrNull = <Shape extends z.ZodRawShape>(meaning: string, shape: Shape) =>
  z.strictObject(shape).nullable().describe(meaning);

const pays = maybe(
  z.number().positive(),
  "How many times a cut must save its own cost, at the model's prices, before the next one: in an empty window, falling to zero in a full one. If omitted, price is ignored.",
);

/** The zod schema that checks a {@link Trigger}. */
const triggerSchema: z.ZodType<Trigger> = z.union([
  z.strictObject({ atLeast: amountSchema.describe("Compacts at this size and above."), pays }),
  z.strictObject({ above: amountSchema.describe("Compacts above this size."), pays }),
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
  reasoning: label.optional().describe("The model's reasoning, omitted without this."),
});
