import { describe, expect, test } from "vitest";
import { type ChatEffect, type ChatEvent, type ChatFacts, type ChatState, chatTransition, openedChat } from "./chat-command.ts";
import type { ChatLine } from "./slash-command.ts";

const TERMINAL = openedChat("terminal");
const PIPE = openedChat("pipe");
/** A person waits for the answer to the first line. */
const WAITING: ChatState = { ...TERMINAL, answers: 1, waitsFor: 1 };
const ENDING: ChatState = { ...WAITING, phase: "ending" };
const LEFT: ChatState = { ...TERMINAL, phase: "left" };

const IDLE: ChatFacts = { agent: "idle", question: "none" };
const RUNNING: ChatFacts = { agent: "running", question: "none" };
const COMPACTING: ChatFacts = { agent: "compacting", question: "none" };
const ASKED: ChatFacts = { agent: "running", question: "open" };

const typed = (line: string): ChatEvent => ({ type: "line", line });
const answering = (id: number, asked: ChatLine): ChatEffect => ({ type: "answer", id, asked });
const SAID: ChatLine = { kind: "message", text: "go on" };
const UNDO: ChatLine = { kind: "undo" };
const [SPOKEN, UNDOING] = [typed("go on"), typed("/undo")];
const [ANSWERED, UNDONE] = [answering(1, SAID), answering(1, UNDO)];
const PROMPT: ChatEffect = { type: "prompt" };
const NEXT: ChatEffect = { type: "next-line" };
const LEAVE: ChatEffect = { type: "leave" };

const TURN: ChatEvent = { type: "turn" };
const STEERED: ChatEffect = { type: "steer", text: "go on" };
const CANCEL: ChatEffect = { type: "cancel" };
const FIRST = { answers: 1, waitsFor: 1 };
const ONE = ["go on"];

type Row = readonly [
  rule: string,
  before: ChatState,
  event: ChatEvent,
  facts: ChatFacts,
  after: Partial<ChatState>,
  effects: readonly ChatEffect[],
];

function shows(rows: readonly Row[]): void {
  test.each(rows)("%s", (_rule, before, event, facts, after, effects) => {
    expect(chatTransition(before, event, facts)).toEqual({ state: { ...before, ...after }, effects });
  });
}

describe("a line", () => {
  shows([
    ["that is a message is answered, and the next one need not wait", TERMINAL, SPOKEN, IDLE, { answers: 1 }, [ANSWERED]],
    ["that is a command is answered before the next one", TERMINAL, UNDOING, IDLE, FIRST, [UNDONE]],
    ["of a pipe is answered before the next one", PIPE, SPOKEN, IDLE, FIRST, [ANSWERED]],
    ["that is empty is answered, too: with a prompt", TERMINAL, typed(""), IDLE, FIRST, [answering(1, { kind: "empty" })]],
    ["that is a message while the agent works is for its next step", TERMINAL, SPOKEN, RUNNING, {}, [STEERED]],
    ["that is a message while it compacts is submitted, and refused", TERMINAL, SPOKEN, COMPACTING, { answers: 1 }, [ANSWERED]],
    ["that is a command while the agent works holds up no other", TERMINAL, UNDOING, RUNNING, { answers: 1 }, [UNDONE]],
    ["answers the question that is open", TERMINAL, typed("y"), ASKED, {}, [{ type: "answer-question", line: "y" }]],
    ["that is a command is no answer to a question", TERMINAL, typed(" /undo"), ASKED, { answers: 1 }, [UNDONE]],
    ["waits if one before it is waited for", WAITING, SPOKEN, IDLE, { lines: ONE }, []],
    ["says that the person leaves", TERMINAL, typed("/quit"), RUNNING, { phase: "left" }, [LEAVE]],
    ["after the end is for nobody", LEFT, SPOKEN, IDLE, {}, []],
  ]);
});

describe("a line that waited", () => {
  const two = { ...TERMINAL, lines: ["go on", "/undo"] };
  shows([
    ["has its turn, and then the one after it", two, TURN, IDLE, { lines: ["/undo"], answers: 1 }, [ANSWERED, NEXT]],
    ["is for the next step if the one before it began a run", two, TURN, RUNNING, { lines: ["/undo"] }, [STEERED, NEXT]],
    ["holds up those behind", { ...PIPE, lines: ["go on", "/undo"] }, TURN, IDLE, { lines: ["/undo"], ...FIRST }, [ANSWERED]],
    [
      "is not done any more if the person leaves",
      { ...TERMINAL, lines: ["/quit", "go on"] },
      TURN,
      IDLE,
      { lines: [], phase: "left" },
      [LEAVE],
    ],
    [
      "is done though the input ended",
      { ...PIPE, phase: "ending", lines: ONE },
      TURN,
      IDLE,
      { lines: [], ...FIRST },
      [ANSWERED],
    ],
  ]);
});

describe("an answer that is done", () => {
  const done = (id: number): ChatEvent => ({ type: "answered", id });
  shows([
    ["lets the person type", WAITING, done(1), IDLE, { waitsFor: null }, [PROMPT]],
    ["gives the next line its turn", { ...WAITING, lines: ONE }, done(1), IDLE, { waitsFor: null }, [PROMPT, NEXT]],
    ["shows the open question again", TERMINAL, done(1), ASKED, {}, [{ type: "remind" }]],
    ["says nothing while the agent works", TERMINAL, done(1), RUNNING, {}, []],
    ["of a pipe prompts nobody", { ...PIPE, waitsFor: 1 }, done(1), IDLE, { waitsFor: null }, []],
    ["is not the one that is waited for", { ...WAITING, waitsFor: 2 }, done(1), IDLE, {}, [PROMPT]],
    [
      "is the last one after the input's end",
      { ...PIPE, phase: "ending", waitsFor: 1 },
      done(1),
      IDLE,
      { waitsFor: null, phase: "left" },
      [LEAVE],
    ],
    ["comes too late for a chat that was left", LEFT, done(1), IDLE, {}, []],
  ]);
});

describe("the end", () => {
  const end: ChatEvent = { type: "input-end" };
  const interrupt: ChatEvent = { type: "interrupt" };
  const terminate: ChatEvent = { type: "terminate" };
  shows([
    ["of a person's input leaves the run that goes on", TERMINAL, end, RUNNING, { phase: "left" }, [LEAVE]],
    ["of a pipe waits for its answer", { ...PIPE, waitsFor: 1 }, end, RUNNING, { phase: "ending" }, []],
    ["of a pipe waits for the lines before it", { ...PIPE, waitsFor: 1, lines: ONE }, end, RUNNING, { phase: "ending" }, []],
    ["by Ctrl-C is the agent's work's alone", TERMINAL, interrupt, RUNNING, {}, [CANCEL]],
    ["by Ctrl-C is a compaction's alone", TERMINAL, interrupt, COMPACTING, {}, [CANCEL]],
    ["by Ctrl-C at a question leaves its line first", TERMINAL, interrupt, ASKED, {}, [{ type: "break-line" }, CANCEL]],
    ["by Ctrl-C is the chat's if the agent does nothing", TERMINAL, interrupt, IDLE, { phase: "left" }, [LEAVE]],
    [
      "by Ctrl-C waits for a command, and drops what waits behind it",
      { ...WAITING, lines: ONE },
      interrupt,
      IDLE,
      { phase: "ending", lines: [] },
      [],
    ],
    ["of the process cancels what goes on, and leaves", TERMINAL, terminate, RUNNING, { phase: "left" }, [CANCEL, LEAVE]],
    [
      "of the process drops the lines of a pipe that wait",
      { ...PIPE, waitsFor: 1, lines: ONE },
      terminate,
      RUNNING,
      { phase: "ending", lines: [] },
      [CANCEL],
    ],
    ["comes once", ENDING, end, IDLE, {}, []],
  ]);
});

test.each([
  ["a person is prompted", TERMINAL, [PROMPT]],
  ["a pipe is not", PIPE, []],
])("at the beginning %s", (_rule, before, effects) => {
  expect(chatTransition(before, { type: "opened" }, IDLE)).toEqual({ state: before, effects });
});
