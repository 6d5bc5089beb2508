import type {
  ContextEvent,
  Message,
  ModelLimits,
  PlimsollError,
  Policy,
  Session,
  ToolResultMessage,
  UsageEntry,
} from "@plimsoll/core";
import { budgetOf, option, triggerTokens } from "@plimsoll/core/extend";

/**
 * Events that an agent sends to its subscribers, in order. `sessionId` names an event's log: the parent's subscribers also get a sub-agent's events, under its own id.
 * Token figures are by the named estimator.
 *
 * A run is one submit: it begins with `agent-start`, holds one turn or more (steering begins a new one), and ends with `agent-end`.
 */
export type AgentEvent = AgentEventBody & { readonly sessionId: string };

/** An event without its session. */
export type AgentEventBody = RunEvent | ModelEventBody | ToolEvent | ContextEvent;

/** Why a turn or a run ended. `length`: the model's reply hit its output limit without a call; `refusal`: it refused. */
export type EndReason = "done" | "length" | "refusal" | "max-steps" | "cancelled" | "failed" | "steered";

/** How a run goes. `turn` counts the session's human messages in this process from 1, `step` the model calls of the run from 1. */
type RunEvent =
  | { readonly type: "agent-start"; readonly context: ContextUsage }
  | { readonly type: "step-start"; readonly turn: number; readonly step: number; readonly context: ContextUsage }
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "message-queued"; readonly waiting: number }
  | {
      readonly type: "turn-end";
      readonly turn: number;
      readonly steps: number;
      readonly reason: EndReason;
      readonly context: ContextUsage;
    }
  | {
      readonly type: "agent-end";
      readonly reason: EndReason;
      readonly steps: number;
      readonly error: PlimsollError | null;
      /** Holds the context window, too. */
      readonly context: ContextUsage;
      readonly totals: ReturnType<Session["totals"]>;
    };

/** Events of a model while it is asked. After a `request-retry` the deltas since the step's start are void. */
type ModelEventBody =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "request-retry"; readonly attempt: number; readonly class: string; readonly waitMs: number }
  | {
      readonly type: "usage-update";
      readonly entry: UsageEntry;
      readonly context: ContextUsage;
      readonly totals: ReturnType<Session["totals"]>;
    }
  | {
      /** The provider rejected the request as too long; numbers are its own, `null` if it names none. */
      readonly type: "overflow-detected";
      readonly limitTokens: number | null;
      readonly requestedTokens: number | null;
      /** Which recovery of this step follows, from 1; 0 if none is left. */
      readonly recovery: number;
    }
  /** The prompt fits, but not next to the reply that was asked for: from now on a shorter one is. Nothing was compacted. */
  | { readonly type: "output-lowered"; readonly limitTokens: number | null; readonly maxOutputTokens: number };

/** Calls of tools. Starts come in call order, ends as they happen; results enter the log in call order. */
type ToolEvent =
  | { readonly type: "tool-start"; readonly callId: string; readonly toolName: string; readonly argumentsJson: string }
  | {
      readonly type: "tool-end";
      readonly callId: string;
      readonly toolName: string;
      readonly isError: boolean;
      /** As it enters history: cut to the policy's cap. */
      readonly message: ToolResultMessage;
      /** Names the whole output if it was cut. */
      readonly handle: string | null;
    };

/** Receives events. Its errors stay with it: neither the agent nor other subscribers notice. */
export type AgentListener = (event: AgentEvent) => void;

/** An event of a run as the transition function says it: how full the context is, and totals, are added when it is sent. */
export type UntoldEvent = Untold<RunEvent | ModelEventBody | ToolEvent>;

type Untold<Event> = Event extends unknown ? Omit<Event, "context" | "totals"> : never;

/** Hands events to any number of subscribers. */
export interface EventHub {
  emit(event: AgentEvent): void;
  /** Answers with the function that ends the subscription. */
  subscribe(listener: AgentListener): () => void;
}

/** A hub without subscribers. Each is called in the order of subscription. */
export function createEventHub(): EventHub {
  const listeners = new Set<{ readonly listener: AgentListener }>();
  return {
    emit: (event) => {
      for (const { listener } of [...listeners]) {
        try {
          option.heard(listener(event));
        } catch {
          // A display that fails must not end the session, nor keep the others from hearing.
        }
      }
    },
    subscribe: (listener) => {
      const subscription = { listener };
      listeners.add(subscription);
      return () => void listeners.delete(subscription);
    },
  };
}

/** Context used. Token figures are by the estimator that `estimator` names; `null` if the window is not known. */
export interface ContextUsage {
  readonly estimator: string;
  /** Expected tokens of the next request. */
  readonly usedTokens: number;
  /** The part of `usedTokens` that the provider reported with its last usage; 0 before the first report and after a compaction. */
  readonly usageTokens: number;
  /** The estimated part: messages since that report. */
  readonly trailingTokens: number;
  /** The upper bound of the expected size. */
  readonly upperTokens: number;
  /** The part of `usedTokens` that is system, tools and dynamic context. */
  readonly overheadTokens: number;
  readonly windowTokens: number | null;
  readonly inputBudgetTokens: number | null;
  /** Input budget less the used tokens; below zero if the context is over it. */
  readonly headroomTokens: number | null;
  /** Tokens at which the policy compacts; `null` also if the policy is off. */
  readonly triggerTokens: number | null;
  readonly messages: number;
}

/** The state that a usage is read off. */
export interface ContextUsageInput {
  readonly prediction: ReturnType<Session["predict"]>;
  readonly limits: ModelLimits;
  readonly policy: Policy;
  readonly messages: number;
}

/** The usage of a context as the engine sees it: an unknown window counts as the policy says. */
export function contextUsage({ prediction, limits, policy, messages }: ContextUsageInput): ContextUsage {
  const assumedTokens = policy.unknownWindow === "off" ? null : policy.unknownWindow.tokens;
  const budget = budgetOf({ ...limits, contextWindowTokens: limits.contextWindowTokens ?? assumedTokens });
  const usedTokens = prediction.expectedTokens;
  return {
    estimator: prediction.basis,
    usedTokens,
    usageTokens: prediction.reportedTokens,
    trailingTokens: prediction.estimatedTokens,
    upperTokens: prediction.upperTokens,
    overheadTokens: prediction.overheadTokens,
    windowTokens: budget?.windowTokens ?? null,
    inputBudgetTokens: budget?.inputBudgetTokens ?? null,
    headroomTokens: budget === null ? null : budget.inputBudgetTokens - usedTokens,
    triggerTokens: budget === null || !policy.enabled ? null : triggerTokens(policy.trigger, budget),
    messages,
  };
}
