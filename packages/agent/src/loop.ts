import { PlimsollError, type Session } from "@plimsoll/core";
import { type AgentTool, closedError } from "@plimsoll/core/extend";
import { DEFAULT_MODE, type RunOutcome, type SizedModel, type StartedOptions } from "./agent.ts";
import { type CallContext, carryOut, type LoopContext } from "./carry-out.ts";
import { type AgentEventBody, type ContextUsage, contextUsage, type UntoldEvent } from "./events.ts";
import {
  type Ask,
  type EffectResult,
  idleLoop,
  type LoopEffect,
  type LoopEvent,
  type LoopState,
  type Transition,
} from "./loop-state.ts";
import { goOn, startRun } from "./run-phases.ts";

/** Runs an agent: holds its state, performs effects, and feeds their results back. */
export interface Loop extends LoopContext {
  readonly usage: () => ContextUsage;
  /** Starts a run. Rejects with anything that is not an outcome. */
  run(event: Extract<LoopEvent, { readonly type: "submit" }>): Promise<RunOutcome>;
  /** Does work in its turn: now, or before the next step of the current run. Resolves once the state records it as done. */
  ask<T>(askOf: (id: number) => Ask, work: () => Promise<T>): Promise<T>;
  /** Switches to the requested model. */
  useModel(model: SizedModel): void;
  /** Cancels the activity, and resolves once it has ended. */
  stop(): Promise<void>;
}

/** The ports of a loop. */
export interface LoopPorts {
  readonly options: StartedOptions;
  readonly conversation: Session;
  readonly emit: (event: AgentEventBody) => void;
  /** Returns the session around a call. */
  readonly contextOf: (callId: string, signal: AbortSignal, loop: Loop) => CallContext;
}

/** The state that changes while a loop is open. */
interface LoopRecord {
  state: LoopState;
  model: SizedModel;
  signals: LoopSignals;
  caller: { readonly resolve: (outcome: RunOutcome) => void; readonly reject: (error: unknown) => void } | null;
}

/** A loop that does nothing yet. */
export function createLoop({ options, conversation, emit, contextOf }: LoopPorts): Loop {
  const tools: ReadonlyMap<string, AgentTool> = new Map(options.tools.map((tool) => [tool.spec.name, tool]));
  const now: LoopRecord = { state: idleLoop(options), model: options.model, signals: createSignals(), caller: null };
  const jobs = createJobs((event) => dispatch(event));
  const open = new Set<Promise<unknown>>();

  const dispatch = (event: LoopEvent): void => {
    const next = transition(now.state, event);
    now.state = next.state;
    if (event.type === "settled") now.signals.release(event.message.callId);
    for (const effect of next.effects) perform(effect, { now, jobs, loop });
  };
  const opened = <T>(work: Promise<T>): Promise<T> => {
    open.add(work);
    return work.finally(() => open.delete(work));
  };
  const loop: Loop = {
    options,
    conversation,
    tools,
    state: () => now.state,
    model: () => now.model,
    signal: () => now.signals.run,
    callContext: (callId) => contextOf(callId, now.signals.of(callId), loop),
    tell: emit,
    dispatch,
    usage: () => usageOf(conversation, now.model, options.policy),
    run: (event) =>
      opened(
        new Promise((resolve, reject) => {
          dispatch(event);
          now.caller = { resolve, reject };
        }),
      ),
    ask: (askOf, work) => opened(jobs.ask(askOf, work)),
    limit: (limits) => {
      now.model = { ...now.model, limits };
      dispatch({ type: "limited", limits });
    },
    useModel: (to) => {
      now.model = to;
      dispatch({ type: "switched" });
    },
    stop: async () => {
      dispatch({ type: "cancel", why: "closed" });
      await Promise.allSettled([...open]);
    },
  };
  return loop;
}

/** Performs the transition's effect: at once, or by work whose end is the next event. */
function perform(
  effect: LoopEffect,
  { now, jobs, loop }: { readonly now: LoopRecord; readonly jobs: Jobs; readonly loop: Loop },
): void {
  switch (effect.type) {
    case "begin":
      now.signals = createSignals();
      break;
    case "abort":
      now.signals.abort(new PlimsollError("aborted", effect.why));
      break;
    case "tell":
      loop.tell(told(effect.event, loop));
      break;
    case "work":
      jobs.start(effect.ask.id);
      break;
    case "end-run":
      if (effect.end.kind === "outcome") now.caller?.resolve(effect.end.outcome);
      else now.caller?.reject(effect.end.error);
      break;
    default:
      void carryOut(effect, loop)
        .catch((error: unknown): LoopEvent => ({ type: "failed", error }))
        .then(loop.dispatch)
        // A bug of ours: the run's caller hears of it.
        .catch((error: unknown) => now.caller?.reject(error));
  }
}

/** Requests by id, until their turn comes. */
interface Jobs extends Pick<Loop, "ask"> {
  start(id: number): void;
}

/** No jobs yet. The caller hears of the end after the state has it. */
function createJobs(dispatch: (event: LoopEvent) => void): Jobs {
  const jobs = new Map<number, () => void>();
  let count = 0;
  const ask: Loop["ask"] = (askOf, work) =>
    new Promise((resolve, reject) => {
      count += 1;
      const asked = askOf(count);
      jobs.set(asked.id, () => {
        jobs.delete(asked.id);
        void work().then(
          (value) => {
            dispatch(DONE);
            resolve(value);
          },
          (error: unknown) => {
            dispatch({ type: "failed", error });
            reject(error);
          },
        );
      });
      dispatch({ type: "ask", ask: asked });
    });
  return { ask, start: (id) => jobs.get(id)?.() };
}

const DONE: LoopEvent = { type: "done" };

/** The signal of the activity, and one of its own for each call of a batch: a platform warns of more than ten listeners on one. */
export interface LoopSignals {
  readonly run: AbortSignal;
  abort(reason: unknown): void;
  /** The signal of a call, the same until the call is released. */
  of(callId: string): AbortSignal;
  /** Releases a call: later aborts no longer reach it. */
  release(callId: string): void;
}

/** Signals that are not aborted. */
export function createSignals(): LoopSignals {
  const run = new AbortController();
  const calls = new Map<string, AbortController>();
  return {
    run: run.signal,
    abort: (reason) => {
      run.abort(reason);
      for (const call of calls.values()) call.abort(reason);
    },
    of: (callId) => {
      const call = calls.get(callId) ?? new AbortController();
      calls.set(callId, call);
      if (run.signal.aborted) call.abort(run.signal.reason);
      return call.signal;
    },
    release: (callId) => void calls.delete(callId),
  };
}

/** An event with the state at its sending. */
function told(event: UntoldEvent, { usage, conversation }: Pick<Loop, "usage" | "conversation">): AgentEventBody {
  switch (event.type) {
    case "agent-start":
    case "step-start":
    case "turn-end":
      return { ...event, context: usage() };
    case "agent-end":
    case "usage-update":
      return { ...event, context: usage(), totals: conversation.totals() };
    case "tool-start":
      return conversation.redaction.item(event);
    default:
      return event;
  }
}

/** How full a conversation's context is, for the model in force. */
function usageOf({ predict, view }: Session, model: SizedModel, policy: StartedOptions["policy"]): ContextUsage {
  return contextUsage({ prediction: predict(), limits: model.limits, policy, messages: view().messages.size });
}

/**
 * Computes the next state of an agent after an event, and the effects to perform. Pure.
 *
 * @throws PlimsollError for a request that is not allowed now, or never; the state does not change.
 */
export function transition(state: LoopState, event: LoopEvent): Transition {
  switch (event.type) {
    case "submit":
      assertIdle(state, "submit");
      return startRun(state, event);
    case "steer":
      return steered(state, event);
    case "ask":
      return asked(state, event.ask);
    case "set-mode":
      return { state: inMode(state, event.mode), effects: NOTHING };
    case "cancel":
      return cancelled(state, event.why);
    case "close":
      return { state: { ...state, activity: { kind: "closed" } }, effects: NOTHING };
    default:
      return happened(state, event);
  }
}

const NOTHING: readonly LoopEffect[] = [];

/** Rejects requests that are only allowed without any activity. */
function assertIdle({ activity }: LoopState, what: string): void {
  if (activity.kind === "closed") throw closedError("agent");
  if (activity.kind === "run") throw new PlimsollError("bad-input", `cannot ${what} during a run; cancel it first`);
  if (activity.kind === "work") throw new PlimsollError("bad-input", `cannot ${what} during a compaction`);
}

function steered(state: LoopState, { draft }: Extract<LoopEvent, { readonly type: "steer" }>): Transition {
  if (state.activity.kind !== "run") throw new PlimsollError("bad-input", "no run is active; submit the message");
  const waiting = [...state.waiting, draft];
  const event = { type: "message-queued", waiting: waiting.length } as const;
  return { state: { ...state, waiting }, effects: [{ type: "tell", event }] };
}

/** A compaction waits for the run's next step; all else wants an agent that does nothing. */
function asked(state: LoopState, ask: Ask): Transition {
  if (ask.kind === "compact" && state.activity.kind === "run")
    return { state: { ...state, asked: [...state.asked, ask] }, effects: NOTHING };
  assertIdle(state, ask.kind === "undo" ? "undo" : "compact");
  return { state: { ...state, activity: { kind: "work", ask } }, effects: [{ type: "begin" }, { type: "work", ask }] };
}

function inMode(state: LoopState, mode: string): LoopState {
  const known = [...new Set([DEFAULT_MODE, ...Object.keys(state.setup.modes)])];
  if (known.includes(mode)) return { ...state, mode };
  throw new PlimsollError("bad-input", `unknown mode "${mode}": known: ${known.join(", ")}`);
}

/** Lets the current work end by itself: its effect fails, or has a result after which a cancelled run ends. */
function cancelled(state: LoopState, why: string): Transition {
  const { activity } = state;
  if (activity.kind === "idle" || activity.kind === "closed") return { state, effects: NOTHING };
  const effects: readonly LoopEffect[] = [{ type: "abort", why }];
  if (activity.kind !== "run") return { state, effects };
  return { state: { ...state, activity: { ...activity, run: { ...activity.run, isCancelled: true } } }, effects };
}

/** Takes in the result of an effect. A result without an activity is ignored. */
function happened(state: LoopState, event: EffectResult): Transition {
  const { activity } = state;
  if (activity.kind === "run") return goOn({ state, run: activity.run }, event);
  if (activity.kind !== "work") return { state, effects: NOTHING };
  if (event.type === "done" || event.type === "failed")
    return { state: { ...state, activity: { kind: "idle" } }, effects: NOTHING };
  if (event.type !== "switched" || activity.ask.kind !== "switch-model") return { state, effects: NOTHING };
  const { modelId, limits } = activity.ask;
  return { state: { ...state, model: { modelId, limits } }, effects: NOTHING };
}
