import type { Agent } from "@plimsoll/core";
import { type ChatLine, chatLine } from "./slash-command.ts";

/** All that a chat knows besides its session, as plain data. {@link chatTransition} is the one that makes a new one. */
export interface ChatState {
  /** Lines of a pipe are done one after another; a person goes on typing while the agent works. */
  readonly input: "terminal" | "pipe";
  /** Lines that were read and wait. */
  readonly lines: readonly string[];
  /** The number of the work that the next line waits for; `null` if it need not wait. */
  readonly waitsFor: number | null;
  /** How many lines were answered so far: the id of the newest answer. */
  readonly answers: number;
  /** `ending`: no more lines come, and the chat is left as soon as nothing has to be waited for. */
  readonly phase: "open" | "ending" | "left";
}

/** A chat that was just opened. */
export function openedChat(input: ChatState["input"]): ChatState {
  return { input, lines: [], waitsFor: null, answers: 0, phase: "open" };
}

/** An event of a chat. */
export type ChatEvent =
  | { readonly type: "opened" }
  | { readonly type: "line"; readonly line: string }
  /** The first of the waiting lines has its turn. */
  | { readonly type: "turn" }
  | { readonly type: "answered"; readonly id: number }
  | { readonly type: "input-end" }
  /** Ctrl-C. */
  | { readonly type: "interrupt" }
  /** The process is asked to end. */
  | { readonly type: "terminate" };

/** An effect that a chat asks for. */
export type ChatEffect =
  /** Does what a line asks for, and comes to `answered`. */
  | { readonly type: "answer"; readonly id: number; readonly asked: ChatLine }
  /** Gives the run that goes on a message for its next step. */
  | { readonly type: "steer"; readonly text: string }
  | { readonly type: "answer-question"; readonly line: string }
  /** Writes the open question's last line again. */
  | { readonly type: "remind" }
  | { readonly type: "prompt" }
  /** Ends a line in which a question stands. */
  | { readonly type: "break-line" }
  | { readonly type: "cancel" }
  /** Comes to `turn`: what was before it has begun. */
  | { readonly type: "next-line" }
  | { readonly type: "leave" };

/** Facts from outside at the time of an event. */
export interface ChatFacts {
  readonly agent: ReturnType<Agent["state"]>["status"];
  readonly question: "open" | "none";
}

/** A state, and what is to be done now, in order. */
export interface ChatTransition {
  readonly state: ChatState;
  readonly effects: readonly ChatEffect[];
}

/** Computes the next state of a chat after an event, and the effects that it asks for. Pure. */
export function chatTransition(state: ChatState, event: ChatEvent, facts: ChatFacts): ChatTransition {
  if (state.phase === "left") return { state, effects: [] };
  switch (event.type) {
    case "opened":
      return { state, effects: promptOf(state, facts) };
    case "line":
      return taken({ ...state, lines: [...state.lines, event.line] }, facts);
    case "turn":
      return taken(state, facts);
    case "answered": {
      const next = { ...state, waitsFor: state.waitsFor === event.id ? null : state.waitsFor };
      return followed(next, facts.question === "open" ? [{ type: "remind" }] : promptOf(state, facts));
    }
    case "input-end":
      return followed({ ...state, phase: "ending" }, []);
    case "interrupt":
      return interrupted(state, facts);
    case "terminate":
      return followed({ ...state, lines: [], phase: "ending" }, [{ type: "cancel" }]);
    default:
      return event satisfies never;
  }
}

function isBusy({ agent }: ChatFacts): boolean {
  return agent === "running" || agent === "compacting";
}

function promptOf({ input }: ChatState, facts: ChatFacts): readonly ChatEffect[] {
  return input === "terminal" && !isBusy(facts) ? [{ type: "prompt" }] : [];
}

/** Goes on after a line or an answer: reads the next line, or ends. */
function followed(state: ChatState, effects: readonly ChatEffect[]): ChatTransition {
  if (state.waitsFor !== null) return { state, effects };
  if (state.lines.length > 0) return { state, effects: [...effects, { type: "next-line" }] };
  if (state.phase !== "ending") return { state, effects };
  return { state: { ...state, phase: "left" }, effects: [...effects, { type: "leave" }] };
}

/** Does what the first of the waiting lines asks for, if it need not wait. */
function taken(state: ChatState, facts: ChatFacts): ChatTransition {
  const [line, ...lines] = state.lines;
  if (line === undefined || state.waitsFor !== null) return { state, effects: [] };
  const rest = { ...state, lines };
  if (facts.question === "open" && !line.trimStart().startsWith("/"))
    return followed(rest, [{ type: "answer-question", line }]);
  const asked = chatLine(line);
  if (asked.kind === "quit") return followed({ ...rest, lines: [], phase: "ending" }, []);
  // A message that is typed while the agent works is for the run that goes on.
  if (asked.kind === "message" && facts.agent === "running" && state.input === "terminal")
    return followed(rest, [{ type: "steer", text: asked.text }]);
  const id = state.answers + 1;
  // What is asked for while the agent works may wait for an answer that is still to be typed.
  const isWaitedFor = state.input === "pipe" || (asked.kind !== "message" && !isBusy(facts));
  return followed({ ...rest, answers: id, waitsFor: isWaitedFor ? id : null }, [{ type: "answer", id, asked }]);
}

/** Ends what the agent does; if it does nothing, the chat. */
function interrupted(state: ChatState, facts: ChatFacts): ChatTransition {
  // What is said next does not belong behind the question.
  const broken: readonly ChatEffect[] = facts.question === "open" ? [{ type: "break-line" }] : [];
  if (isBusy(facts)) return { state, effects: [...broken, { type: "cancel" }] };
  return followed({ ...state, lines: [], phase: "ending" }, broken);
}
