import type { ReplaceSpansEdit, WrittenSummary } from "../edit/apply-edits.ts";
import type { OverLimit } from "../edit/stub-media.ts";
import type { CompactionEntry, CompactionReason, Gate, ModelLimits, StepOutcome } from "../entry.ts";
import type { NewestAmount } from "../keep/keep-rule.ts";
import type { Remembered } from "../memory.ts";
import type { BoundReasoning, IsBoundReasoning } from "../message/bound-reasoning.ts";
import type { Context, Message } from "../message/message.ts";
import type { RequestUnit } from "../message/size.ts";
import type { Kinds } from "../policy/kinds.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Deadline } from "../port-door.ts";
import type { ModelClient, Summarizer } from "../ports.ts";
import type { Sequence } from "../sequence.ts";
import type { Estimator, Ledger, Overhead, Prediction } from "../tokens/estimator.ts";
import type { WorkCounter } from "../tokens/measure.ts";
import type { PromptCache } from "./worth-cutting.ts";

/** A request to make the context fit before it is sent. */
export interface FitInput {
  readonly gate: Gate;
  /** Messages about to be appended and sent; they are measured, never cut. */
  readonly pending: readonly Message[];
  readonly model: ModelLimits;
  readonly nowMs: number | null;
  /** The step of the turn before this gate: 0 before the submit, n after the n-th batch of tool results. Only for records. */
  readonly step?: number;
  readonly dynamicContext?: string | null;
  /** The subject that the person asked the summary to concentrate on. */
  readonly focus?: string | null;
  /**
   * Compacts now, regardless of the trigger: the person's `/compact`, a hand-off that the model asks for, or a switch of model. `keep` replaces the
   * newest history that the policy keeps.
   */
  readonly now?: { readonly reason: "manual" | "hand-off" | "downshift"; readonly keep: NewestAmount | null };
  /** At `on-overflow`: the limit that the provider named when it rejected the request, and its count of the prompt; `null` if it named none. */
  readonly observedLimitTokens?: number | null;
  readonly observedPromptTokens?: number | null;
  /** At `on-overflow`: its count of the prompt, with or without the longest reply; `null` if it named none. */
  readonly observedRequestTokens?: number | null;
  /** At `on-overflow` for a unit other than tokens: the exceeded unit, and the limit that the provider named, `null` for none. */
  readonly refused?: { readonly unit: RequestUnit; readonly limit: number | null } | undefined;
  /** At `on-overflow` without a known reason: expected tokens of the smallest request that failed, `Infinity` for none; `null` if the reason is known. */
  readonly refusedTokens?: number | null;
  /** Its words then. */
  readonly refusal?: UnknownRefusal | undefined;
  /** Number of earlier compactions of this request after a rejection, from 0. The last one that `recoveriesOf` allows cuts everything that may be cut. */
  readonly recovery?: number;
}

/** A refusal in words that say nothing known: the status, `null` for none, and the provider's first words, which are data. */
export interface UnknownRefusal {
  readonly status: number | null;
  readonly words: string;
}

/** The tools of an open session that measure, choose and summarise. */
export interface FitSetup {
  readonly kinds: Kinds;
  readonly estimator: Estimator;
  /**
   * Makes the estimator that prices a cut, for one compaction. Of the messages it remembers those that the estimator's own measure has priced, none
   * that another compaction has: a resumed session does the same work.
   */
  readonly cutEstimator: () => Estimator;
  /** Says which reasoning leaves if messages before it are edited; `null` if none does. */
  readonly isBoundReasoning: IsBoundReasoning | null;
  readonly ports: {
    readonly summarizer: Summarizer;
    readonly beforeCompaction?: BeforeCompaction;
    readonly compact?: ModelClient["compact"];
    /** Texts that the caller wants in every context. */
    readonly pinned?: readonly string[];
  };
  /** For each request for a summary, and for the hook's answer. */
  readonly deadline: Deadline;
  readonly work: WorkCounter;
}

/** The context of a session, as far as the engine reads it. */
export interface FitView extends Pick<Context, "system" | "tools"> {
  readonly modelId: string | null;
  readonly boundReasoning: BoundReasoning;
  /** The messages of the context, after all active compactions. */
  readonly messages: Sequence<Message>;
  /** The compactions that a revert can undo, oldest first. A session on a store leaves the edits of all but the newest two to the log, and shows none. */
  readonly activeCompactions: readonly CompactionEntry[];
  readonly lastEntryId: string | null;
}

/** The memory of attempts, so that failing strategies are not tried for ever. */
export interface Breaker {
  /** Summaries of a model that failed in a row; a human message begins the count again. */
  readonly failures: number;
  /** The ledger's estimate when an attempt last changed nothing; `null` after a success. */
  readonly estimatedAtLastAttemptTokens: number | null;
  /** True if the newest compaction missed its goal: a view that is believed not to fit was sent, and is cut again only when enough is new. */
  readonly isGoalMissed: boolean;
  /** True once the vendor wrote no summary, or refused one of its own: it is not asked again by this model's session. */
  readonly isVendorOut?: boolean;
}

/** The parts of a fit's state that messages are priced by. */
export interface Sized {
  readonly setup: Pick<FitSetup, "estimator">;
  readonly ledger: Ledger;
}

/** The context as the engine sees it: the session's setup and its folded state. */
export interface FitState {
  readonly policy: EnginePolicy;
  readonly setup: FitSetup;
  readonly view: FitView;
  /** The sums over the view, and the facts about its size: at a switch, as the new model counts. */
  readonly ledger: Ledger;
  readonly breaker: Breaker;
  /** Time of the newest report; `null` if none has one. */
  readonly reportedAtMs: number | null;
  readonly cache: () => PromptCache;
  readonly overhead: Overhead;
  /** The expected size of the next request. */
  readonly prediction: Prediction;
  /** The model that writes summaries, if it is not the one that measures: at a switch, the one before it. */
  readonly writer: SummaryWriter | null;
  readonly memory: Remembered;
  /** Ports that failed when they were asked for the present state: their answers are missing. */
  readonly failedPorts: readonly StepOutcome[];
}

/** The model that writes summaries: the window that its requests have to fit, and its count of tokens. */
export interface SummaryWriter {
  readonly limits: ModelLimits | null;
  readonly ledger: Ledger;
}

/** Asked when the engine acts by itself; the summary that was written beforehand, `null` for none. Rejects when the signal aborts. */
export type PreparedSummaryPort = (signal: AbortSignal) => Promise<PreparedSummary | null>;

/** A summary that was written beforehand, and the messages that it is about, in order. */
export interface PreparedSummary {
  readonly edit: ReplaceSpansEdit & { readonly written: WrittenSummary };
  readonly covered: readonly Message[];
}

/** The notice that a before-compaction hook is given. */
interface CompactionNotice {
  readonly reason: CompactionReason;
  readonly tokensBefore: number;
  readonly budgetTokens: number;
  readonly messages: readonly Message[];
}

/** The decision of a before-compaction hook: the compaction goes on, does not happen, or takes the hook's own summary. */
export type HookDecision =
  | { readonly kind: "go" }
  | { readonly kind: "cancel"; readonly why: string }
  | { readonly kind: "summary"; readonly text: string };

/**
 * A hook that the engine calls before each compaction for tokens (not for media over a limit of requests, nor for a repair). It lets the compaction go on, cancels it, or
 * supplies the summary's text for the first step that writes a summary, by a model or as a digest. If no step writes one, or the hook rejects or times out, the compaction
 * goes on and its record says so. A cancelled compaction is tried again after new input; if the next request is expected not to fit, at every gate.
 */
export type BeforeCompaction = (notice: CompactionNotice, signal: AbortSignal) => Promise<HookDecision>;

/** One part of a context that cannot be made to fit. */
export interface SizedPart {
  readonly what: "overhead" | "declared" | "last-human-message" | "pending" | "rest";
  readonly tokens: number;
  /** More than a request may hold of another unit than tokens; absent if that is not why. */
  readonly over?: OverLimit;
}

/** A budget that is believed to be out of reach, and the parts of the remaining view. */
export interface MissedGoal {
  readonly budgetTokens: number;
  readonly parts: readonly SizedPart[];
}

/** A context that no cut makes fit, and the tokens of its words that stay, only by the policy's count: reports and media may be believed wrongly. */
export interface Missed extends MissedGoal {
  readonly wordTokens: number;
}

/**
 * The outcome of `fit`. `entry` is its newest compaction: of tokens, else of media; `unusedFocus` says why a focus changed nothing. If the context stayed as it was, `off` says why
 * compaction is off; `null` if none was needed. `refusal` was in unknown words: it is why this cut was made, or, at any other gate than `on-overflow`, why the cut before is undone.
 */
export type FitOutcome = (
  | { readonly kind: "unchanged"; readonly off: "disabled" | "unknown-window" | null }
  | { readonly kind: "compacted"; readonly entry: CompactionEntry }
  /** The hook cancelled it, or the cut would not pay. The log records only attempts that a hook cancelled. */
  | { readonly kind: "cancelled"; readonly by: "hook" | "price"; readonly reason: CompactionReason; readonly why: string }
  /** No step of the compaction worked: it changed nothing. Under a policy with a fallback the expected size fits the budget. */
  | { readonly kind: "failed"; readonly reason: CompactionReason; readonly steps: readonly StepOutcome[] }
  /** The expected size exceeds the budget, or a provider rejected it, and no cut changes that. The best cut is made anyway: send it. */
  | (MissedGoal & {
      readonly kind: "irreducible";
      readonly reason: CompactionReason;
      readonly steps: readonly StepOutcome[];
    })
) & {
  readonly entry?: CompactionEntry;
  readonly unusedFocus?: string;
  readonly refusal?: UnknownRefusal | undefined;
};
