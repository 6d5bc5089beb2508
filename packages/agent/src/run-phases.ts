import {
  type AssistantMessage,
  isPlimsollError,
  type PlimsollError,
  type ToolCallPart,
  type ToolResultMessage,
  textOf,
  toolCallsOf,
  type Usage,
} from "@plimsoll/core";
import { type AgentTool, parseJson, shortHash, type ToolOutput } from "@plimsoll/core/extend";
import type { EndReason } from "./events.ts";
import type { CallDecision, EffectResult, LoopEffect, LoopEvent, LoopState, Run, RunPhase, Transition } from "./loop-state.ts";

/** A run and its agent. */
export interface Running {
  readonly state: LoopState;
  readonly run: Run;
}

const NOTHING: readonly LoopEffect[] = [];

/** The beginning of a run: with another history first, or with the message at once. */
export function startRun(before: LoopState, { draft, history }: Extract<LoopEvent, { readonly type: "submit" }>): Transition {
  const phase: RunPhase = { kind: "replacing", draft };
  const run: Run = { phase, turnSteps: 0, lastText: "", isPromptCut: false, isCancelled: false, end: null };
  const state = { ...before, step: 0 };
  const begin: readonly LoopEffect[] = [{ type: "begin" }, { type: "tell", event: { type: "agent-start" } }];
  if (history !== null) return to({ state, run }, phase, ...begin, { type: "replace-history", history });
  const next = entering({ state, run }, [draft], "before-submit");
  return { ...next, effects: [...begin, ...next.effects] };
}

/** Takes a run to its next phase after an effect has ended. */
export function goOn(running: Running, event: EffectResult): Transition {
  switch (event.type) {
    case "done":
      return done(running);
    case "switched":
      return { state: running.state, effects: NOTHING };
    case "limited":
      return { state: { ...running.state, model: { ...running.state.model, limits: event.limits } }, effects: NOTHING };
    case "rejected":
      return rejected(running, event);
    case "replied":
      return replied(running, event);
    case "appended":
      return appended(running, event.message);
    case "decided":
      return decided(running, event.decision);
    case "settled":
      return settled(running, event);
    case "failed":
      return failed(running, event.error);
    default:
      return event satisfies never;
  }
}

/** Follows a phase that is done. */
function done(running: Running): Transition {
  const { state, run } = running;
  const { phase } = run;
  switch (phase.kind) {
    case "replacing":
      return entering(running, [phase.draft], "before-submit");
    case "entering":
      return entered(running, phase);
    case "compacting":
      return run.end === null ? beforeStep(running) : afterEnd(running);
    case "answered":
      return answered(running, phase);
    case "recording":
      return run.isCancelled ? ending(running, "cancelled") : fitting(running, null);
    case "fitting":
      return phase.reason === null ? beforeStep(running) : ending(running, phase.reason);
    case "ending":
      return afterEnd(running);
    case "asking":
    case "appending":
    case "deciding":
    case "running":
      return { state, effects: NOTHING };
    default:
      return phase satisfies never;
  }
}

/** Does the requests that came meanwhile, then adds the messages that wait, then begins the step. */
function beforeStep(running: Running): Transition {
  const { state, run } = running;
  if (run.isCancelled) return ending(running, "cancelled");
  const [ask, ...asked] = state.asked;
  if (ask !== undefined) return to({ state: { ...state, asked }, run }, { kind: "compacting", ask }, { type: "work", ask });
  const entry = entering({ state: { ...state, waiting: [] }, run }, state.waiting, "before-step");
  if (state.waiting.length === 0) return entry;
  return { ...entry, effects: [turnEnd(running, "steered"), ...entry.effects] };
}

type Entering = Extract<RunPhase, { readonly kind: "entering" }>;

function entering(running: Running, drafts: LoopState["waiting"], gate: Entering["gate"]): Transition {
  return to(running, { kind: "entering", gate, count: drafts.length }, { type: "enter", drafts, gate });
}

function entered({ state: before, run: ran }: Running, { gate, count }: Entering): Transition {
  const state = count > 0 ? { ...before, turn: before.turn + 1 } : before;
  const run = count > 0 ? { ...ran, turnSteps: 0 } : ran;
  if (run.isCancelled) return ending({ state, run }, "cancelled");
  if (gate === "before-submit") return beforeStep({ state, run });
  if (state.step >= state.setup.maxSteps) return ending({ state, run }, "max-steps");
  const step = state.step + 1;
  const asking = { state: { ...state, step }, run: { ...run, turnSteps: run.turnSteps + 1 } };
  const event = { type: "step-start", turn: state.turn, step } as const;
  return to(asking, { kind: "asking", recovery: 0 }, { type: "tell", event }, { type: "request" });
}

function rejected(running: Running, event: Extract<LoopEvent, { readonly type: "rejected" }>): Transition {
  const { recovery } = event;
  return to(running, { kind: "asking", recovery }, { type: "tell", event: { ...event, type: "overflow-detected" } });
}

type Replied = Extract<LoopEvent, { readonly type: "replied" }>;

/** After so many cuts in a row that did not bring the report below the window it is no prompt that was cut: no more is cut for it until a report is. Chosen. */
const MOST_VAIN_CUTS = 2;

function replied({ state: before, run }: Running, { draft, usage, entry }: Replied): Transition {
  const limitTokens = before.model.limits.contextWindowTokens;
  const isOver = isSilentOverflow(usage, limitTokens);
  const state = { ...before, overReports: isOver ? before.overReports + 1 : 0 };
  const isPromptCut = state.setup.compaction === "on" && isOver && before.overReports < MOST_VAIN_CUTS;
  const requestedTokens = usage.input.totalTokens;
  const cut: readonly LoopEffect[] = isPromptCut
    ? [{ type: "tell", event: { type: "overflow-detected", limitTokens, requestedTokens, recovery: 1 } }]
    : [];
  const appending = { kind: "appending", entry, reason: endOf(draft) } as const;
  return to({ state, run: { ...run, isPromptCut } }, appending, ...cut, { type: "append-reply", draft });
}

function appended({ state, run }: Running, message: AssistantMessage | null): Transition {
  const { phase } = run;
  if (phase.kind !== "appending") return { state, effects: NOTHING };
  const { entry, reason } = phase;
  const calls = message === null ? [] : toolCallsOf(message);
  const told: readonly LoopEffect[] = entry === null ? [] : [{ type: "tell", event: { type: "usage-update", entry } }];
  const lastText = message === null ? "" : textOf(message);
  return to({ state, run: { ...run, lastText } }, { kind: "answered", calls, reason }, ...told, {
    type: "next",
  });
}

function answered(running: Running, { calls, reason }: Extract<RunPhase, { readonly kind: "answered" }>): Transition {
  if (calls.length > 0) return deciding(running, calls, []);
  const isLast = running.state.waiting.length === 0;
  if (running.run.isPromptCut) return fitting(running, isLast ? reason : null);
  return isLast ? ending(running, reason) : beforeStep(running);
}

function endOf({ stopReason }: Replied["draft"]): EndReason {
  return stopReason === "length" || stopReason === "refusal" ? stopReason : "done";
}

function decided(running: Running, decision: CallDecision): Transition {
  const { phase } = running.run;
  if (phase.kind !== "deciding") return { state: running.state, effects: NOTHING };
  return deciding(running, phase.calls, [...phase.decisions, decision]);
}

/** Decides about calls in their order, until a question has to be asked. All of them run once all are decided about. */
function deciding(running: Running, calls: readonly ToolCallPart[], known: readonly CallDecision[]): Transition {
  const { state, run } = running;
  const decisions = [...known];
  const told: LoopEffect[] = [];
  for (const call of calls.slice(known.length)) {
    const { callId, toolName, argumentsJson } = call;
    told.push({ type: "tell", event: { type: "tool-start", callId, toolName, argumentsJson } });
    const text = run.isCancelled ? CANCELLED_TEXT : refusalOf(call, state);
    if (text === null && state.setup.decides === "authorize")
      return to(running, { kind: "deciding", calls, decisions }, ...told, { type: "decide", call });
    decisions.push(text === null ? { kind: "run" } : { kind: "refused", text });
  }
  const runs = calls.map((call, index): LoopEffect => {
    const decision = decisions[index] ?? CANCELLED;
    return { type: "run-call", call, decision: run.isCancelled && decision.kind === "run" ? CANCELLED : decision };
  });
  return to(running, { kind: "running", results: calls.map(({ callId }) => ({ callId, result: null })) }, ...told, ...runs);
}

/** The text that the model reads for a call that a cancelled run did not do, or did not do to its end. */
export const CANCELLED_TEXT = "Cancelled before it was done.";
const CANCELLED: CallDecision = { kind: "refused", text: CANCELLED_TEXT };

/** A result that is ready. Results enter the log in the order of the calls, once all are. */
function settled(running: Running, { message, handle }: Extract<LoopEvent, { readonly type: "settled" }>): Transition {
  const { phase } = running.run;
  if (phase.kind !== "running") return { state: running.state, effects: NOTHING };
  const { callId, toolName, isError } = message;
  const told: LoopEffect = { type: "tell", event: { type: "tool-end", callId, toolName, isError, message, handle } };
  const results = phase.results.map((each) => (each.callId === callId ? { callId, result: message } : each));
  const ready = results.flatMap(({ result }): readonly ToolResultMessage[] => (result === null ? [] : [result]));
  if (ready.length < results.length) return to(running, { kind: "running", results }, told);
  return to(running, { kind: "recording" }, told, { type: "append-results", results: ready });
}

function fitting(running: Running, reason: EndReason | null): Transition {
  const gate = running.run.isPromptCut ? "on-overflow" : "after-tool-batch";
  return to(running, { kind: "fitting", reason }, { type: "fit", gate });
}

/** Failures of the log: they reach the caller, and no outcome hides them. */
const LOG_FAILURES: ReadonlySet<PlimsollError["code"]> = new Set(["bad-session", "session-conflict", "session-limit"]);

function failed(running: Running, error: unknown): Transition {
  const { state, run } = running;
  const { phase } = run;
  // Its caller hears of the end; the run goes on.
  if (phase.kind === "compacting") return done(running);
  if (run.end !== null) return afterEnd({ state, run: { ...run, end: { kind: "broken", error } } });
  const known = isPlimsollError(error) ? error : null;
  if (phase.kind !== "replacing" && run.isCancelled) return ending(running, "cancelled");
  if (phase.kind !== "replacing" && known !== null && !LOG_FAILURES.has(known.code)) return ending(running, "failed", known);
  const event = { type: "agent-end", reason: "failed", steps: state.step, error: known } as const;
  const end = { kind: "broken", error } as const;
  const begun = phase.kind === "replacing" ? NOTHING : [turnEnd(running, "failed")];
  const told: LoopEffect = { type: "tell", event };
  return to({ state, run: { ...run, end } }, { kind: "ending" }, ...begun, told, { type: "next" });
}

function ending(running: Running, reason: EndReason, error: PlimsollError | null = null): Transition {
  const { state, run } = running;
  const { step: steps } = state;
  const end = { kind: "outcome", outcome: { reason, steps, text: run.lastText, error } } as const;
  const told: LoopEffect = { type: "tell", event: { type: "agent-end", reason, steps, error } };
  return to({ state, run: { ...run, end } }, { kind: "ending" }, turnEnd(running, reason), told, { type: "next" });
}

/** Does the requests of the last step after it, whether or not the run was cancelled. */
function afterEnd({ state, run }: Running): Transition {
  const [ask, ...asked] = state.asked;
  const left = { state: { ...state, asked }, run: { ...run, isCancelled: false } };
  if (ask !== undefined) return to(left, { kind: "compacting", ask }, { type: "begin" }, { type: "work", ask });
  if (run.end === null) return { state, effects: NOTHING };
  return { state: { ...state, activity: { kind: "idle" } }, effects: [{ type: "end-run", end: run.end }] };
}

function turnEnd({ state, run }: Running, reason: EndReason): LoopEffect {
  return { type: "tell", event: { type: "turn-end", turn: state.turn, steps: run.turnSteps, reason } };
}

function to({ state, run }: Running, phase: RunPhase, ...effects: readonly LoopEffect[]): Transition {
  return { state: { ...state, activity: { kind: "run", run: { ...run, phase } } }, effects };
}

/** Returns the text that the model reads in place of a call that cannot run even if allowed; `null` for a call that can. */
function refusalOf(
  { toolName, argumentsJson }: ToolCallPart,
  { setup, mode }: Pick<LoopState, "setup" | "mode">,
): string | null {
  if (!setup.toolNames.includes(toolName)) return `There is no tool "${toolName}". There are: ${setup.toolNames.join(", ")}.`;
  const allowed = setup.modes[mode];
  if (allowed !== undefined && !allowed.includes(toolName))
    return `The tool "${toolName}" may not be used in mode "${mode}". It allows: ${allowed.join(", ")}.`;
  const args = parseArguments(argumentsJson);
  return "problem" in args ? `The arguments are not valid JSON: ${args.problem}. Call the tool again with valid JSON.` : null;
}

/** The arguments of a call, or why they are none. Nothing at all counts as an empty object: some models send that. */
export function parseArguments(argumentsJson: string): { readonly value: unknown } | { readonly problem: string } {
  if (argumentsJson.trim() === "") return { value: {} };
  try {
    return { value: parseJson(argumentsJson) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The facts of the session when a reply comes in. */
export interface CallResolution {
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly lastMessageId: string | null;
  hasCall(callId: string): boolean;
}

/**
 * A reply as it enters the log: each call with the paths that it touches, and under an id that the session has not seen. Models repeat
 * ids, and some give none. Blank text, which no wire takes back, is left out; `null` if nothing is left.
 */
export function resolvedReply(draft: Omit<AssistantMessage, "id">, known: CallResolution): Omit<AssistantMessage, "id"> | null {
  const taken = new Set<string>();
  const freeId = (callId: string, index: number) => {
    const isFree = callId !== "" && !taken.has(callId) && !known.hasCall(callId);
    return isFree ? callId : `call_${shortHash(`${known.lastMessageId ?? ""}\n${index}\n${callId}`).slice(0, 24)}`;
  };
  const parts = draft.parts.map((part, index) => {
    if (part.type !== "tool-call") return part;
    const callId = freeId(part.callId, index);
    taken.add(callId);
    const args = parseArguments(part.argumentsJson);
    const paths = "value" in args ? (known.tools.get(part.toolName)?.pathsOf(args.value) ?? []) : [];
    return { ...part, callId, paths };
  });
  return withoutBlanks({ ...draft, parts });
}

function withoutBlanks(draft: Omit<AssistantMessage, "id">): Omit<AssistantMessage, "id"> | null {
  const kept = draft.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  const lastWords = kept.findLastIndex((part) => part.type !== "reasoning");
  return lastWords < 0 ? null : { ...draft, parts: kept.slice(0, lastWords + 1) };
}

/** The text in the place of an output without a visible character. */
const NO_OUTPUT_TEXT = "(no output)";

/** The result of a call before it is cut. Its id is the call's: the message's own follows from the messages before it. */
export function resultOf(
  { callId, toolName }: ToolCallPart,
  output: ToolOutput,
  more: Pick<ToolResultMessage, "category" | "atMs">,
): ToolResultMessage {
  const images = output.images ?? [];
  const isBlank = output.text.trim() === "";
  const text = isBlank && images.length === 0 ? NO_OUTPUT_TEXT : output.text;
  return {
    id: callId,
    role: "tool-result",
    callId,
    toolName,
    isError: output.isError,
    parts: [...(text.trim() === "" ? [] : [{ type: "text", text } as const]), ...images],
    ...more,
  };
}

/**
 * True if the provider reported a prompt larger than the window: it cut the prompt without saying so, and the context has to shrink
 * before the next call.
 */
export function isSilentOverflow(usage: Usage, windowTokens: number | null): boolean {
  const promptTokens = usage.input.totalTokens;
  return windowTokens !== null && promptTokens !== null && promptTokens > windowTokens;
}
