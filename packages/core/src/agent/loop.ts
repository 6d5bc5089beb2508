import type { Conversation } from "../conversation/conversation.ts";
import { PlimsollError } from "../error.ts";
import type { RunOutcome } from "./agent.ts";
import type { AgentModel, AgentOptions } from "./agent-options.ts";
import type { AgentTool, ToolCallContext } from "./agent-tool.ts";
import { carryOut, type LoopContext } from "./carry-out.ts";
import { type ContextUsage, contextUsage } from "./context-usage.ts";
import type { AgentEventBody, UntoldEvent } from "./events.ts";
import { type Ask, idleLoop, type LoopEffect, type LoopEvent } from "./loop-state.ts";
import { transition } from "./transition.ts";

/** An agent's state, and what goes on around it: one that carries effects out and says what they came to. */
export interface Loop extends LoopContext {
  readonly usage: () => ContextUsage;
  /** Starts a run. Rejects with what is no outcome. */
  run(event: Extract<LoopEvent, { readonly type: "submit" }>): Promise<RunOutcome>;
  /** Does work in its turn: now, or before the next step of the run that goes on. Resolves when the state knows that it is done. */
  ask<T>(askOf: (id: number) => Ask, work: () => Promise<T>): Promise<T>;
  /** Makes the model that was asked for the one in force. */
  useModel(model: AgentModel): void;
  /** Cancels what goes on, and resolves when nothing does any more. */
  stop(): Promise<void>;
}

/** What a loop is made of. */
export interface LoopPorts {
  readonly options: AgentOptions;
  readonly conversation: Conversation;
  readonly emit: (event: AgentEventBody) => void;
  /** What a call has of the session around it. */
  readonly contextOf: (callId: string, signal: AbortSignal, loop: Loop) => ToolCallContext;
}

interface Caller {
  readonly resolve: (outcome: RunOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** A loop that does nothing yet. */
export function createLoop({ options, conversation, emit, contextOf }: LoopPorts): Loop {
  const tools: ReadonlyMap<string, AgentTool> = new Map(options.tools.map((tool) => [tool.spec.name, tool]));
  const jobs = createJobs((event) => dispatch(event));
  const open = new Set<Promise<unknown>>();
  let state = idleLoop(options);
  let model = options.model;
  let signals = createSignals();
  let caller: Caller | null = null;

  const usage = () => usageOf(conversation, model, options.policy);
  const perform = (effect: LoopEffect): void => {
    switch (effect.type) {
      case "begin":
        signals = createSignals();
        break;
      case "abort":
        signals.abort(new PlimsollError("aborted", effect.why));
        break;
      case "tell":
        emit(told(effect.event, usage, conversation));
        break;
      case "work":
        jobs.start(effect.ask.id);
        break;
      case "end-run":
        if (effect.end.kind === "outcome") caller?.resolve(effect.end.outcome);
        else caller?.reject(effect.end.error);
        break;
      default:
        void carryOut(effect, loop)
          .catch((error: unknown): LoopEvent => ({ type: "failed", error }))
          .then(dispatch)
          // A fault of ours: whoever waits for the run hears of it.
          .catch((error: unknown) => caller?.reject(error));
    }
  };
  const dispatch = (event: LoopEvent): void => {
    const next = transition(state, event);
    state = next.state;
    if (event.type === "settled") signals.release(event.message.callId);
    for (const effect of next.effects) perform(effect);
  };
  const opened = <T>(work: Promise<T>): Promise<T> => {
    open.add(work);
    return work.finally(() => open.delete(work));
  };
  const loop: Loop = {
    options,
    conversation,
    tools,
    state: () => state,
    model: () => model,
    signal: () => signals.run,
    callContext: (callId) => contextOf(callId, signals.of(callId), loop),
    tell: emit,
    dispatch,
    usage,
    run: (event) =>
      opened(
        new Promise((resolve, reject) => {
          dispatch(event);
          caller = { resolve, reject };
        }),
      ),
    ask: (askOf, work) => opened(jobs.ask(askOf, work)),
    useModel: (to) => {
      model = to;
      dispatch({ type: "switched" });
    },
    stop: async () => {
      dispatch({ type: "cancel", why: "closed" });
      await Promise.allSettled([...open]);
    },
  };
  return loop;
}

/** What was asked for, by id, until its turn comes. */
interface Jobs extends Pick<Loop, "ask"> {
  start(id: number): void;
}

/** No jobs yet. Whoever asked is told after the state knows that the work is done. */
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

/** The signal of what goes on, and one of its own for each call of a batch: a platform warns of more than ten listeners on one. */
export interface LoopSignals {
  readonly run: AbortSignal;
  abort(reason: unknown): void;
  /** The signal of a call, the same until the call is released. */
  of(callId: string): AbortSignal;
  /** Releases a call: what is aborted later no longer reaches it. */
  release(callId: string): void;
}

/** Signals that nobody has aborted. */
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

/** An event with what is true when it is told. */
function told(event: UntoldEvent, usage: () => ContextUsage, conversation: Conversation): AgentEventBody {
  switch (event.type) {
    case "agent-start":
    case "step-start":
    case "turn-end":
      return { ...event, context: usage() };
    case "agent-end":
    case "usage-update":
      return { ...event, context: usage(), totals: conversation.totals() };
    default:
      return event;
  }
}

/** How full a conversation's context is, for the model in force. */
function usageOf({ manager }: Conversation, model: AgentModel, policy: AgentOptions["policy"]): ContextUsage {
  return contextUsage({ prediction: manager.predict(), limits: model.limits, policy, messages: manager.view().messages.size });
}
