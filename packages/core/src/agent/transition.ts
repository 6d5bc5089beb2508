import { closedError, PlimsollError } from "../error.ts";
import { DEFAULT_MODE } from "./agent-options.ts";
import type { Ask, EffectResult, LoopEffect, LoopEvent, LoopState, Transition } from "./loop-state.ts";
import { goOn, startRun } from "./run-phases.ts";

/**
 * Computes the next state of an agent after an event, and the effects to perform. Pure.
 *
 * @throws PlimsollError for what a caller may not ask now, or not at all; the state stays as it was.
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

/** Rejects what is only done while nothing else is. */
function assertIdle({ activity }: LoopState, what: string): void {
  if (activity.kind === "closed") throw closedError("agent");
  if (activity.kind === "run") throw new PlimsollError("bad-input", `cannot ${what} while a run goes on; cancel it first`);
  if (activity.kind === "work") throw new PlimsollError("bad-input", `cannot ${what} while a compaction goes on`);
}

function steered(state: LoopState, { draft }: Extract<LoopEvent, { readonly type: "steer" }>): Transition {
  if (state.activity.kind !== "run") throw new PlimsollError("bad-input", "no run goes on; submit the message");
  const waiting = [...state.waiting, draft];
  const event = { type: "message-queued", waiting: waiting.length } as const;
  return { state: { ...state, waiting }, effects: [{ type: "tell", event }] };
}

/** A compaction waits for the run's next step; all else wants an agent that does nothing. */
function asked(state: LoopState, ask: Ask): Transition {
  const isForRun = ask.kind === "compact" || ask.kind === "hand-off";
  if (isForRun && state.activity.kind === "run") return { state: { ...state, asked: [...state.asked, ask] }, effects: NOTHING };
  if (ask.kind === "hand-off") throw new PlimsollError("bad-input", "no run goes on: nothing is handed off");
  assertIdle(state, ask.kind === "undo" ? "undo" : "compact");
  return { state: { ...state, activity: { kind: "work", ask } }, effects: [{ type: "begin" }, { type: "work", ask }] };
}

function inMode(state: LoopState, mode: string): LoopState {
  const known = [...new Set([DEFAULT_MODE, ...Object.keys(state.setup.modes)])];
  if (known.includes(mode)) return { ...state, mode };
  throw new PlimsollError("bad-input", `there is no mode "${mode}"; there are: ${known.join(", ")}`);
}

/** Lets the current work end by itself: its effect fails, or has a result after which a cancelled run ends. */
function cancelled(state: LoopState, why: string): Transition {
  const { activity } = state;
  if (activity.kind === "idle" || activity.kind === "closed") return { state, effects: NOTHING };
  const effects: readonly LoopEffect[] = [{ type: "abort", why }];
  if (activity.kind !== "run") return { state, effects };
  return { state: { ...state, activity: { ...activity, run: { ...activity.run, isCancelled: true } } }, effects };
}

/** Takes in the result of an effect. Nobody waits for it any more if nothing goes on. */
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
