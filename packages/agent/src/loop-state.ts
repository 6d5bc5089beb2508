import type { AssistantMessage, ModelLimits, ToolCallPart, ToolResultMessage, Usage, UsageEntry } from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/extend";
import { type CompactRequest, DEFAULT_MAX_STEPS, DEFAULT_MODE, type RunOutcome, type StartedOptions } from "./agent.ts";
import type { EndReason, UntoldEvent } from "./events.ts";

/** All that an agent knows in addition to its log, as plain data. {@link transition} is the one that makes a new one. */
export interface LoopState {
  readonly setup: LoopSetup;
  /** The model in force. */
  readonly model: { readonly modelId: string; readonly limits: ModelLimits };
  readonly mode: string;
  /** Human messages of this process so far. */
  readonly turn: number;
  /** Model calls of the current run, or of the last one. */
  readonly step: number;
  /** Messages that wait for the next step. */
  readonly waiting: readonly MessageDraft[];
  /** Requests that came during a run; it serves them before its next step. */
  readonly asked: readonly Ask[];
  /** Replies in a row whose prompts were reported larger than the window. */
  readonly overReports: number;
  readonly activity: Activity;
}

/** The parts of the state that stay the same while an agent lives. */
interface LoopSetup {
  readonly sessionId: string;
  readonly maxSteps: number;
  readonly toolNames: readonly string[];
  /** Names of the tools of each mode; a mode without an entry has all. */
  readonly modes: { readonly [mode: string]: readonly string[] };
  /** The decider about a call before it runs. */
  readonly decides: "authorize" | "nobody";
  readonly compaction: "on" | "off";
}

/** The activity of an agent at a moment. `work` is a request without a run. */
export type Activity =
  | { readonly kind: "idle" | "closed" }
  | { readonly kind: "work"; readonly ask: Ask }
  | { readonly kind: "run"; readonly run: Run };

/** A run, from a submitted message to its end. */
export interface Run {
  readonly phase: RunPhase;
  /** Model calls of the turn. */
  readonly turnSteps: number;
  /** The model's newest words. */
  readonly lastText: string;
  /** True if the provider cut the newest prompt without a word: the context shrinks before the next request. */
  readonly isPromptCut: boolean;
  readonly isCancelled: boolean;
  /** Set once subscribers heard of the end: the rest is requests made meanwhile. */
  readonly end: RunEnd | null;
}

/** How a run ends for its caller: with an outcome, or with an error that is none of the model's. */
type RunEnd = { readonly kind: "outcome"; readonly outcome: RunOutcome } | { readonly kind: "broken"; readonly error: unknown };

/** The phase of a run: it says which event the run waits for. */
export type RunPhase =
  | { readonly kind: "replacing"; readonly draft: MessageDraft }
  | { readonly kind: "entering"; readonly gate: "before-submit" | "before-step"; readonly count: number }
  | { readonly kind: "compacting"; readonly ask: Ask }
  | { readonly kind: "asking"; readonly recovery: number }
  | { readonly kind: "appending"; readonly entry: UsageEntry | null; readonly reason: EndReason }
  | { readonly kind: "answered"; readonly calls: readonly ToolCallPart[]; readonly reason: EndReason }
  | { readonly kind: "deciding"; readonly calls: readonly ToolCallPart[]; readonly decisions: readonly CallDecision[] }
  | { readonly kind: "running"; readonly results: readonly RunningCall[] }
  | { readonly kind: "recording" }
  /** `reason` is how the run ends after it; `null` if another step follows. */
  | { readonly kind: "fitting"; readonly reason: EndReason | null }
  | { readonly kind: "ending" };

/** A call that runs, and its result once it is there. */
interface RunningCall {
  readonly callId: string;
  readonly result: ToolResultMessage | null;
}

/** The decision about a call. The model reads `text` in place of a result. */
export type CallDecision = { readonly kind: "run" } | { readonly kind: "refused"; readonly text: string };

/** A request to an agent, done between steps or without a run. Its caller waits for it under its `id`. */
export type Ask =
  | ({ readonly kind: "compact"; readonly id: number } & Required<CompactRequest>)
  | ({ readonly kind: "switch-model"; readonly id: number } & LoopState["model"])
  | { readonly kind: "undo"; readonly id: number };

/** An event of an agent: it comes from outside, or ends an effect. */
export type LoopEvent =
  | { readonly type: "submit"; readonly draft: MessageDraft; readonly history: readonly MessageDraft[] | null }
  | { readonly type: "steer"; readonly draft: MessageDraft }
  | { readonly type: "ask"; readonly ask: Ask }
  | { readonly type: "set-mode"; readonly mode: string }
  | { readonly type: "cancel"; readonly why: string }
  | { readonly type: "close" }
  | EffectResult;

/** The result of an effect; `done` if there is no more to say. */
export type EffectResult =
  | { readonly type: "done" }
  /** The log knows the model that was asked for. */
  | { readonly type: "switched" }
  /** The model in force has other limits than was thought. */
  | { readonly type: "limited"; readonly limits: ModelLimits }
  | {
      readonly type: "rejected";
      readonly limitTokens: number | null;
      readonly requestedTokens: number | null;
      readonly recovery: number;
    }
  | {
      readonly type: "replied";
      readonly draft: Omit<AssistantMessage, "id">;
      readonly usage: Usage;
      readonly entry: UsageEntry | null;
    }
  | { readonly type: "appended"; readonly message: AssistantMessage | null }
  | { readonly type: "decided"; readonly decision: CallDecision }
  | { readonly type: "settled"; readonly message: ToolResultMessage; readonly handle: string | null }
  | { readonly type: "failed"; readonly error: unknown };

/** An effect for the loop to perform. The first five are done at once; each of the others comes to an event, to `done` if nothing else is said. */
export type LoopEffect =
  /** A signal of its own for the next activity. */
  | { readonly type: "begin" }
  | { readonly type: "abort"; readonly why: string }
  | { readonly type: "tell"; readonly event: UntoldEvent }
  | { readonly type: "end-run"; readonly end: RunEnd }
  | { readonly type: "work"; readonly ask: Ask }
  /** Nothing: the subscribers' reactions to the events before it come first. */
  | { readonly type: "next" }
  | { readonly type: "replace-history"; readonly history: readonly MessageDraft[] }
  /** Shows the gate messages, then appends them. */
  | { readonly type: "enter"; readonly drafts: readonly MessageDraft[]; readonly gate: "before-submit" | "before-step" }
  /** Asks the model, with every recovery that the policy allows: `rejected` for each rejection, then `replied`. */
  | { readonly type: "request" }
  /** Comes to `appended`. */
  | { readonly type: "append-reply"; readonly draft: Omit<AssistantMessage, "id"> }
  /** Comes to `decided`. */
  | { readonly type: "decide"; readonly call: ToolCallPart }
  /** Comes to `settled`. */
  | { readonly type: "run-call"; readonly call: ToolCallPart; readonly decision: CallDecision }
  | { readonly type: "append-results"; readonly results: readonly ToolResultMessage[] }
  | { readonly type: "fit"; readonly gate: "after-tool-batch" | "on-overflow" };

/** A state, and the effects to perform now, in order. */
export interface Transition {
  readonly state: LoopState;
  readonly effects: readonly LoopEffect[];
}

/** The state of an agent that was just started. */
export function idleLoop(options: StartedOptions): LoopState {
  const { model, policy, tools, modes = {}, mode = DEFAULT_MODE, authorize, maxSteps = DEFAULT_MAX_STEPS } = options;
  return {
    setup: {
      sessionId: options.session.sessionId,
      maxSteps,
      toolNames: tools.map(({ spec }) => spec.name),
      modes,
      decides: authorize === undefined ? "nobody" : "authorize",
      compaction: policy.enabled ? "on" : "off",
    },
    model: { modelId: model.modelId, limits: model.limits },
    mode,
    turn: 0,
    step: 0,
    waiting: [],
    asked: [],
    overReports: 0,
    activity: { kind: "idle" },
  };
}
