import { z } from "zod";
import type {
  BeforeCompaction,
  FitInput,
  FitOutcome,
  FitSetup,
  Missed,
  PreparedSummary,
  PreparedSummaryPort,
} from "../engine/fit-input.ts";
import type { ModelCosts } from "../engine/worth-cutting.ts";
import type { ContextCallEntry, ModelLimits, RevertEntry, SessionEntry, UsageEntry } from "../entry.ts";
import type { PlimsollError } from "../error.ts";
import { keepRulesOf } from "../keep/built-in-keep-rules.ts";
import type { Memory } from "../memory.ts";
import type { IsBoundReasoning } from "../message/bound-reasoning.ts";
import type { Context, Message, MessageDraft } from "../message/message.ts";
import type { RequestSizes, RequestUnit } from "../message/size.ts";
import * as option from "../option.ts";
import { BUILT_IN_KINDS, bindingOnce, type Kinds } from "../policy/kinds.ts";
import { checkPolicy, type EnginePolicy, gateSchema } from "../policy/policy.ts";
import { policyOf } from "../policy/written-policy.ts";
import { deadlineOf } from "../port-door.ts";
import type { FileTracker, ModelClient, SessionWriter, StateProvider, Summarizer, Wait } from "../ports.ts";
import { strategyOf } from "../strategy/built-in-strategies.ts";
import { createEstimator, type EstimatorSpec, type Measures, type Tokenizers } from "../tokens/built-in-estimators.ts";
import type { Prediction } from "../tokens/estimator.ts";
import { createWorkCounter, type ModelPriors, pooledPriors, type WorkCounter } from "../tokens/measure.ts";
import type { ContextCall } from "./context-tools.ts";
import type { ContextEvent, ContextListener } from "./events.ts";
import type { LimitEvent, Refusals } from "./learned-limit.ts";
import type { Recalled, RecallRange } from "./recall.ts";
import type { RefusedReasoning } from "./recovery.ts";
import type { Redact, Redaction } from "./redaction.ts";
import type { SessionState, StateFold, UsageTotals } from "./session-state.ts";
import type { ModelSwitch, SessionView } from "./view.ts";

/** The input of a session's `fit`. `model` are limits, or the id of a model whose limits `limitsOf` knows. The session has a clock: pass `nowMs` only if you have a better one. */
export type SessionInput = Omit<FitInput, "nowMs" | "model"> &
  Partial<Pick<FitInput, "nowMs">> & { readonly model: ModelLimits | string };

/** A provider's report of one request. */
export interface ReportedUsage extends Pick<UsageEntry, "requestId" | "modelId" | "usage"> {
  /** When it was answered, if that was not now. */
  readonly atMs?: number;
}

/**
 * A session that stays inside its model's window: the log goes in, the context to send comes out. It has one log and its copy in the store, one queue of work,
 * one clock, and the summaries that are prepared. When a promise resolves, its effect is in the store; `switchModel` and a try of `leaveReasoning` leave theirs to
 * the next flush.
 */
export interface Session {
  /**
   * Appends an entry; it is written with the next flush.
   *
   * @throws PlimsollError `bad-input` for a message id that the log has already, and for impossible token counts; `session-limit` for an entry that the
   * store would refuse.
   */
  append(entry: SessionEntry): void;
  /** Appends a message, under an id derived from the earlier ones, and writes it. */
  say(draft: MessageDraft): Promise<Message>;
  /** Logs the reported usage of a request that sent `sent`. Impossible counts are logged as not reported. `null`, and no log entry, if messages came or changed since: report before you append the reply. */
  report(sent: SessionView, reported: ReportedUsage): Promise<UsageEntry | null>;
  /** Writes all appended entries that are not written yet. After a failed write the next one adds the missing entries: the log never has a gap. */
  flush(): Promise<void>;
  /** Compacts if the policy asks for it at this gate, and logs the compaction. Entries appended meanwhile stay after it. */
  fit(input: SessionInput, signal: AbortSignal): Promise<FitOutcome>;
  /**
   * Writes the summary that a compaction would ask for now, and appends nothing; `null` if there is none. To use it in a later `fit`, return it
   * from the option `prepared`. Rejects only when the signal aborts.
   */
  prepare(input: SessionInput, signal: AbortSignal): Promise<PreparedSummary | null>;
  /**
   * Undoes the newest active compaction, and logs that: the earlier context is back, with the messages since. If the model set a pin after it, only that pin is removed.
   * An event gives the `refusal` for which the compaction was made in vain, if there is one.
   *
   * @throws PlimsollError `bad-input` if there is neither, or if undoing the compaction would make the session unsendable.
   */
  undo(refusal?: FitOutcome["refusal"]): Promise<RevertEntry | ContextCallEntry>;
  /** Undoes the newest compaction and compacts again, with another policy or focus. Sizes stay by the session's own estimator. */
  redo(input: SessionInput & { readonly policy?: EnginePolicy }, signal: AbortSignal): Promise<FitOutcome>;
  /**
   * Appends a switch of the model; written with the next flush. If the new window is smaller than the log's, first compacts for it, with the old model's summariser.
   */
  switchModel(to: ModelSwitch, input: SessionInput, signal: AbortSignal): Promise<FitOutcome>;
  /**
   * Removes reasoning from the context, and logs that; false if there is none. Without an argument it removes all bound reasoning, or all if none is known to be bound.
   * If the model refused it by name, all goes; if a reply was overtaken by an undo, only that newest one's. After an unclear refusal it tries sealed reasoning: first the newest reply's, then the rest; if neither helps, all of it
   * returns, and nothing more leaves before an answer. Such a try is written with the next entry.
   */
  leaveReasoning(refused?: RefusedReasoning | "overtaken"): Promise<boolean>;
  /** Counts a refusal without a known reason: of a request, or of the `same` one with less of its media. The log does not record the count. */
  refused(request: "new" | "same"): Refusals;
  /** Redacts as the session does, for texts that are stored beside the log or compared with it. */
  readonly redaction: Redaction;
  /** Resolves when no summary is being prepared. */
  prepared(): Promise<void>;
  /** Returns the context to send now. */
  context(dynamicContext?: string | null): Context;
  /** Predicts the size of the next request, without pending messages. */
  predict(dynamicContext?: string | null): Prediction;
  /**
   * Makes the `context-overflow` error that names the parts that the newest fit could not make fit, since the remaining words are too large by the policy's own count;
   * `null` for any other context, and while compaction is off. `cause` is a provider's refusal.
   */
  overflow(cause?: unknown): PlimsollError | null;
  /** Reads a piece of the original text that a handle names, at most {@link MAXIMUM_RECALL_CHARS} code units; `null` for an unknown handle. */
  recall(handle: string, range: RecallRange): Promise<Recalled | null>;
  /** Answers a call of a context tool, and logs it. `contextTools` makes the calls. */
  contextCall(call: ContextCall): Promise<string>;
  /** The unit of media of which the context holds more than any answered request did, if some can be removed; `null` for none. */
  mostMedia(): RequestUnit | null;
  /** Returns the log's facts about the session up to now. */
  state(): SessionState;
  view(): SessionView;
  /** Returns the entries of the log; for a log opened from a store, only those that the store lacks. */
  entries(): readonly SessionEntry[];
  /** Ids of the appended messages, in order. */
  messageIds(): readonly string[];
  hasCall(callId: string): boolean;
  totals(): UsageTotals;
  /** Returns the log's facts about models' windows. */
  limitEvents(): readonly LimitEvent[];
  /** Characters of all appended messages, with the bytes of their images. */
  sizeChars(): number;
  /** Runs work once all earlier work has ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Counts the unfinished work of `inTurn`. */
  pendingCount(): number;
  /**
   * Writes all entries that the store lacks, then releases the log for other writers, after the current work. `last` are messages to append first: a person's words that
   * no request has sent. Later requests reject or throw `closed`. If the store fails, it rejects and keeps all; call it again.
   */
  close(last?: readonly MessageDraft[]): Promise<void>;
  /** Releases the log without writing the entries that the store lacks: for a log to be opened again, or one that failed to open. */
  abandon(): Promise<void>;
}

/** Options of a session. */
export interface SessionOptions {
  /** A policy, or the name of a preset. */
  readonly policy: EnginePolicy | string;
  /** Kinds that the policy may name in addition to those of this package; made by `withKinds`. */
  readonly kinds?: Kinds;
  readonly summarizer: Summarizer;
  /** Has the vendor write the summaries that the policy leaves to it; the digest writes them by default. */
  readonly compact?: ModelClient["compact"];
  /** Hides texts at the session's borders: what is logged is redacted before it gets its id, so that an undo or `recall` gives the redacted text. None if left out. */
  readonly redact?: Redact;
  /** A log to continue. If a crash left it unsendable, the session appends and announces a repair. */
  readonly entries?: Iterable<SessionEntry>;
  /** Whether that repair is made: "append" by default; "none" for a caller that passes the whole history again. */
  readonly repairs?: "append" | "none";
  /** The log's writer, which has `entries` already; without one the log is only in memory. */
  readonly writer?: SessionWriter | null;
  /** The clock, in milliseconds since 1970; `null`, the default, while the time is unknown. */
  readonly nowMs?: () => number | null;
  readonly onEvent?: ContextListener;
  /** Asked before each compaction for tokens; may cancel it or supply the summary. */
  readonly beforeCompaction?: BeforeCompaction;
  /** Returns the prepared summary, if there is one; called when the engine acts by itself, and passed over if it fails. With it the session prepares none. */
  readonly prepared?: PreparedSummaryPort;
  /** Milliseconds after which an unanswered summary request fails and an unanswered hook is ignored; 300,000 by default. */
  readonly answerDeadlineMs?: number;
  /** The timer of that deadline; the platform's by default. */
  readonly wait?: Wait;
  /**
   * Texts that each summary and notice repeats word for word: project rules, constraints. A third of the room for messages is theirs; whole texts have it in their
   * order, and the event and the record of a compaction count those that did not fit. Not a keep rule.
   */
  readonly pinned?: readonly string[];
  /** The live state of todo lists and sub-agents, asked for at each compaction. */
  readonly stateProviders?: readonly StateProvider[];
  /** Files that the agent tracks in addition to its calls, asked for at each compaction. */
  readonly fileTracker?: FileTracker;
  /** Tokens of each request that are not in the log; a replay of another agent's session knows them. */
  readonly hiddenOverheadTokens?: number;
  /** Estimates of each model's tokens until its provider reports usage; one fitted over all models by default. */
  readonly modelPriors?: ModelPriors;
  /** Prices of models, by which a cut is judged; their usual ratio by default. */
  readonly modelCosts?: ModelCosts;
  /** Finds the limits of a model that `fit` names by its id; `null` for an unknown one. */
  readonly limitsOf?: (modelId: string) => ModelLimits | null;
  /** Says which reasoning is removed once messages before it change; none by default. */
  readonly isBoundReasoning?: IsBoundReasoning;
  /** Tokenizers by encoding, for a policy whose estimator is `bpe`. */
  readonly tokenizers?: Tokenizers;
  /** Counts the text and messages that all estimators read, for bounds that tests assert; a new counter by default. */
  readonly work?: WorkCounter;
}

/** The setup by which a session is measured and made to fit; it stays the same while the session is open. */
export interface SessionSetup extends StateFold, FitSetup {
  readonly policy: EnginePolicy;
  /** True if a rule of the policy recalls earlier parts of the log. */
  readonly recalls: boolean;
  readonly modelCosts: ModelCosts;
  readonly ports: Pick<
    SessionOptions,
    "summarizer" | "compact" | "beforeCompaction" | "pinned" | "stateProviders" | "fileTracker"
  >;
}

const { fn, object, list, count, text, limits } = option;

const SESSION_OPTIONS = option.schema<SessionOptions>({
  policy: option.policy,
  summarizer: fn,
  entries: z.union([list, object]).optional(),
  repairs: z.enum(["append", "none"]).optional(),
  writer: option.having("append", "entryAt", "close").nullable().optional(),
  pinned: z.array(text).readonly().optional(),
  stateProviders: z.array(fn).readonly().optional(),
  ...option.optional(object, "tokenizers", "work"),
  ...option.optional(option.kinds, "kinds"),
  ...option.optional(fn, "compact", "redact", "nowMs", "onEvent", "beforeCompaction", "prepared", "wait", "fileTracker"),
  ...option.optional(fn, "modelPriors", "modelCosts", "limitsOf", "isBoundReasoning"),
  ...option.optional(count, "answerDeadlineMs", "hiddenOverheadTokens"),
});

const AMOUNT = count.nullable().optional();

/** Checks the input of a fit. */
export const SESSION_INPUT: z.ZodType<SessionInput> = option.schema<SessionInput>({
  gate: gateSchema,
  pending: list,
  model: z.union([limits, text]),
  nowMs: z.number().nullable().optional(),
  now: option
    .schema<NonNullable<FitInput["now"]>>({ reason: z.enum(["manual", "hand-off", "downshift"]), keep: object.nullable() })
    .optional(),
  ...option.optional(object, "refused", "refusal"),
  refusedTokens: z
    .union([count, z.literal(Number.POSITIVE_INFINITY)])
    .nullable()
    .optional(),
  ...option.optional(text.nullable(), "dynamicContext", "focus"),
  ...option.optional(count, "step", "recovery"),
  ...option.optional(AMOUNT, "observedLimitTokens", "observedPromptTokens", "observedRequestTokens"),
});

/**
 * The setup that options ask for.
 *
 * @throws PlimsollError `bad-input` for a key that is missing or unknown, or has a value of another kind; `bad-policy` if the policy has a removed part, or counts by an encoding without a given tokenizer.
 */
export function sessionSetup(options: SessionOptions): SessionSetup {
  option.check("a session", SESSION_OPTIONS, options);
  const { kinds = BUILT_IN_KINDS, modelPriors: priors = pooledPriors, tokenizers = {} } = options;
  const policy = policyOf(options.policy);
  checkPolicy(policy, kinds);
  const work = options.work ?? createWorkCounter();
  const estimatorOf = (spec: EstimatorSpec, shared: Measures) =>
    createEstimator(spec, work, { kinds: kinds.estimators, priors, tokenizers, measures: shared });
  const measures: Measures = new Map();
  const estimator = estimatorOf(policy.estimator, measures);
  const cutEstimator = () => (policy.cutEstimator === null ? estimator : estimatorOf(policy.cutEstimator, new Map(measures)));
  const strategies = policy.strategies.map((spec) => strategyOf(spec, kinds.strategies));
  const rules = [...policy.keep, ...(policy.manualKeep ?? []), ...policy.overflow.keep];
  // Unusable kinds and tokenizers are refused here.
  cutEstimator();
  return {
    policy,
    kinds: bindingOnce(kinds),
    recalls: keepRulesOf(rules, kinds.keepRules).some(({ keeps }) => keeps === "units"),
    estimator,
    cutEstimator,
    hiddenTokens: options.hiddenOverheadTokens ?? 0,
    deadline: deadlineOf(options),
    ports: options,
    work,
    asking: [
      "summarize",
      ...strategies.filter(({ needsModel, name }) => needsModel && name !== "vendor").map(({ name }) => name),
    ],
    isBoundReasoning: options.isBoundReasoning ?? null,
    modelCosts: options.modelCosts ?? (() => null),
  };
}

/** The parts of an open session that its fits, and the summaries that are prepared for them, work on. */
export interface FittedSession {
  readonly setup: SessionSetup;
  readonly memory: Memory;
  /** Another value after each entry. */
  readonly state: SessionState;
  /** Takes an entry that is new, with the reasoning that it makes invalid. Gives it as it is in the log. */
  append<Entry extends SessionEntry>(entry: Entry): Entry;
  /** Sends an event to the subscriber, except for a repetition of one that is sent once. */
  tell(event: ContextEvent | null): void;
  predict(dynamicContext?: string | null): Prediction;
  /** The parts that the newest fit could not make fit, as long as only replies and results follow; `null` for none. */
  readonly missed: Missed | null;
  /** The price, budget and pending tokens of a cut that was found not to pay, until the next entry: it is not planned again. `null` for none. */
  unpaid: string | null;
  /** The sizes of the view, and of answered requests, in other units than tokens. */
  readonly sizes: RequestSizes;
}
