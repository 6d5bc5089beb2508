import process from "node:process";
import type { Agent } from "@plimsoll/agent";
import { type CliIo, EXIT_OK, messageOf, programOf, say as sayOn, tell } from "@plimsoll/bench/terminal";
import { isPlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import { coloursOf } from "../io.ts";
import { createLineAsker, type LineAsker, openLineAsker } from "../permission/ask-by-lines.ts";
import { createRenderer } from "../run/event-lines.ts";
import { type AgentSession, openSession } from "../run/open-session.ts";
import { refusalLines } from "../run/session-notices.ts";
import { type SessionOptions, withSessionOptions } from "../run/session-options.ts";
import { createShownSession, type ShownSession } from "../run/status-line.ts";
import { openTypedLines, type TypedInput } from "../terminal/typed-lines.ts";
import { answer } from "./answer.ts";
import { type ChatLine, chatLine } from "./slash-command.ts";

/** Adds `plimsoll chat`. */
export function defineChatCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  withSessionOptions(command).action(async (options: SessionOptions) =>
    onExit(await chat(options, { io, input: process.stdin, isTerminal: process.stdin.isTTY })),
  );
}

/** Where a chat comes from. */
export interface ChatInput {
  readonly io: CliIo;
  readonly input: TypedInput;
  readonly isTerminal: boolean;
}

const ASKING_LINE = "Plimsoll asks before commands and file changes; /allow commands stops that.";

/** Chats until the input ends or the person leaves. Ctrl-C ends the agent's action; if there is none, the chat. */
export async function chat(options: SessionOptions, { io, input, isTerminal }: ChatInput): Promise<number> {
  const write = (text: string) => void io.stdout.write(text);
  const shown = createShownSession(io.stdout);
  const screen = { output: io.stdout, colours: coloursOf(io.stdout, process.env), sessionId: shown.sessionId };
  // Lines of a pipe were written before a question was: they are no answers.
  const first = isTerminal ? openLineAsker(screen, input) : null;
  const ask = first === null ? {} : { ask: first.ask };
  const columns = io.stdout.isTTY === true ? (io.stdout.columns ?? null) : null;
  const onEvent = createRenderer({ write, status: shown.status, sessionId: shown.sessionId, columns });
  const session = await openSession(options, { io, environment: process.env, onEvent, ...ask }).finally(() => first?.close());
  shown.open(session);
  const asker = createLineAsker(screen);
  const say = (line: string) => sayOn(io.stdout, line);
  [...session.notices, ...(isTerminal ? [ASKING_LINE] : []), "/help lists the commands."].forEach(say);
  const answers = await chatOver({ session, asker, shown, io, input, inputKind: isTerminal ? "terminal" : "pipe" }).finally(
    () => session.close(),
  );
  await Promise.all(answers);
  if (!isTerminal) refusalLines(session.permissions).forEach(say);
  write(`\ncontinue with: ${programOf(io)} chat ${options.demo ? "--demo " : ""}--resume ${session.agent.sessionId}\n`);
  return EXIT_OK;
}

interface ChatPorts extends Pick<ChatInput, "io" | "input"> {
  readonly session: AgentSession;
  readonly asker: LineAsker;
  readonly shown: ShownSession;
  readonly inputKind: ChatState["input"];
}

/** Chats until the chat is left; resolves to the answers that may still be on their way. */
async function chatOver(ports: ChatPorts): Promise<readonly Promise<void>[]> {
  let end = (): void => undefined;
  let hear = (_event: ChatEvent): void => undefined;
  const lines = openTypedLines(ports.input, {
    onLine: (line) => hear({ type: "line", line }),
    onClose: () => hear({ type: "input-end" }),
  });
  if (ports.inputKind === "terminal")
    ports.session.permissions.askThrough(async (call, signal) => {
      await lines.forget();
      signal.throwIfAborted();
      return await ports.asker.ask(call, signal);
    });
  try {
    return await new Promise((resolve, reject) => {
      const dispatch = createChatLoop(ports, { leave: resolve, fail: reject });
      const interrupt = () => dispatch({ type: "interrupt" });
      const terminate = () => dispatch({ type: "terminate" });
      end = () => {
        process.removeListener("SIGINT", interrupt);
        process.removeListener("SIGTERM", terminate);
      };
      process.on("SIGINT", interrupt);
      process.once("SIGTERM", terminate);
      dispatch({ type: "opened" });
      hear = dispatch;
    });
  } finally {
    end();
    lines.close();
  }
}

function createChatLoop(
  ports: ChatPorts,
  { leave, fail }: { readonly leave: (answers: readonly Promise<void>[]) => void; readonly fail: (error: unknown) => void },
): (event: ChatEvent) => void {
  const { session, asker, inputKind } = ports;
  const answers = new Map<number, Promise<void>>();
  let state = openedChat(inputKind);
  const dispatch = (event: ChatEvent): void => {
    const facts = { agent: session.agent.state().status, question: asker.isOpen() ? "open" : "none" } as const;
    const next = chatTransition(state, event, facts);
    state = next.state;
    for (const effect of next.effects) perform(effect);
  };
  const guarded = (event: ChatEvent): void => {
    try {
      dispatch(event);
    } catch (error) {
      fail(error);
    }
  };
  const perform = (effect: ChatEffect): void => {
    switch (effect.type) {
      case "answer": {
        const { id, asked } = effect;
        const done = answered(asked, ports).then(() => {
          answers.delete(id);
          guarded({ type: "answered", id });
        });
        answers.set(id, done);
        break;
      }
      case "next-line":
        dispatch({ type: "turn" });
        break;
      case "leave":
        leave([...answers.values()]);
        break;
      default:
        performNow(effect, ports);
    }
  };
  return guarded;
}

/** Carries out effects without a result. */
function performNow(
  effect: Exclude<ChatEffect, { readonly type: "answer" | "next-line" | "leave" }>,
  { session: { agent }, asker, shown, io }: ChatPorts,
): void {
  switch (effect.type) {
    case "steer":
      agent.steer(effect.text);
      break;
    case "answer-question":
      asker.answer(effect.line);
      break;
    case "remind":
      asker.remind();
      break;
    case "prompt": {
      // The status of the last step is right above already.
      const status = shown.newStatus();
      io.stdout.write(status === null ? "› " : `${status}\n› `);
      break;
    }
    case "break-line":
      io.stdout.write("\n");
      break;
    case "cancel":
      agent.cancel();
      break;
    default:
      effect satisfies never;
  }
}

/** Answers a line. After any failure the chat prints a line and the session goes on. */
async function answered(asked: ChatLine, { session, shown, io }: ChatPorts): Promise<void> {
  const write = (text: string) => void io.stdout.write(text);
  await answer(asked, session, { write, status: shown.status, io }).catch((error: unknown) => {
    tell({ stderr: io.stdout }, `${isPlimsollError(error) ? "" : "unexpected: "}${messageOf(error)}`);
  });
}

/** All that a chat knows besides its session, as plain data. {@link chatTransition} is the one that makes a new one. */
export interface ChatState {
  /** Lines of a pipe are done one after another; a person goes on typing while the agent works. */
  readonly input: "terminal" | "pipe";
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
  | { readonly type: "interrupt" }
  | { readonly type: "terminate" };

/** An effect that a chat asks for. */
export type ChatEffect =
  | { readonly type: "answer"; readonly id: number; readonly asked: ChatLine }
  /** Gives the run that goes on a message for its next step. */
  | { readonly type: "steer"; readonly text: string }
  | { readonly type: "answer-question"; readonly line: string }
  | { readonly type: "remind" }
  | { readonly type: "prompt" }
  | { readonly type: "break-line" }
  | { readonly type: "cancel" }
  /** Results in `turn`: the effects before it have begun. */
  | { readonly type: "next-line" }
  | { readonly type: "leave" };

/** Facts from outside at the time of an event. */
export interface ChatFacts {
  readonly agent: ReturnType<Agent["state"]>["status"];
  readonly question: "open" | "none";
}

/** A state, and the effects to perform now, in order. */
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

/** Carries out the first of the waiting lines, if it need not wait. */
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
  // A line given while the agent works may wait for an answer that is still to be typed.
  const isWaitedFor = state.input === "pipe" || (asked.kind !== "message" && !isBusy(facts));
  return followed({ ...rest, answers: id, waitsFor: isWaitedFor ? id : null }, [{ type: "answer", id, asked }]);
}

/** Ends the agent's action; if there is none, the chat. */
function interrupted(state: ChatState, facts: ChatFacts): ChatTransition {
  // The next output does not belong behind the question.
  const broken: readonly ChatEffect[] = facts.question === "open" ? [{ type: "break-line" }] : [];
  if (isBusy(facts)) return { state, effects: [...broken, { type: "cancel" }] };
  return followed({ ...state, lines: [], phase: "ending" }, broken);
}
