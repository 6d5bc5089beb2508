import {
  type AssistantMessage,
  PlimsollError,
  type ToolCallPart,
  type ToolResultMessage,
  UNREPORTED_USAGE,
} from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { transition } from "./loop.ts";
import type { Activity, Ask, LoopEffect, LoopEvent, LoopState, Transition } from "./loop-state.ts";

const IDLE: LoopState = {
  setup: {
    sessionId: "main",
    maxSteps: 2,
    toolNames: ["echo", "task"],
    modes: { plan: ["task"] },
    decides: "authorize",
    compaction: "on",
  },
  model: { modelId: "test/model", limits: { contextWindowTokens: 8000, maxOutputTokens: 1000 } },
  mode: "default",
  turn: 0,
  step: 0,
  waiting: [],
  asked: [],
  overReports: 0,
  activity: { kind: "idle" },
};
const UNASKED: LoopState = { ...IDLE, setup: { ...IDLE.setup, decides: "nobody" } };

const said = (text: string) => ({ role: "user", origin: "human", parts: [{ type: "text", text }], atMs: null }) as const;
const call = (callId: string, toolName = "echo"): ToolCallPart => ({
  type: "tool-call",
  callId,
  toolName,
  argumentsJson: "{}",
  paths: [],
});
const answer = (...parts: AssistantMessage["parts"]): Omit<AssistantMessage, "id"> => ({
  role: "assistant",
  parts,
  modelId: "test/model",
  origin: "model",
  requestId: null,
  stopReason: "end",
  atMs: null,
});
const result = (callId: string, text = "ok", toolName = "echo"): ToolResultMessage => ({
  id: callId,
  role: "tool-result",
  callId,
  toolName,
  isError: false,
  category: "generic",
  parts: [{ type: "text", text }],
  atMs: null,
});
const WORDS = answer({ type: "text", text: "words" });

const SUBMIT: LoopEvent = { type: "submit", draft: said("go"), history: null };
const DONE: LoopEvent = { type: "done" };
const CANCEL: LoopEvent = { type: "cancel", why: "cancelled" };
const ABORTED: LoopEvent = { type: "failed", error: new PlimsollError("aborted", "cancelled") };
const steer = (text: string): LoopEvent => ({ type: "steer", draft: said(text) });
const replied = (draft: Omit<AssistantMessage, "id">, promptTokens: number | null = null): LoopEvent => ({
  type: "replied",
  draft,
  usage: { ...UNREPORTED_USAGE, input: { ...UNREPORTED_USAGE.input, totalTokens: promptTokens } },
  entry: null,
});
const appended = (draft: Omit<AssistantMessage, "id">): LoopEvent => ({ type: "appended", message: { ...draft, id: "m" } });
const settled = (...args: Parameters<typeof result>): LoopEvent => ({
  type: "settled",
  message: result(...args),
  handle: null,
});
const allowed: LoopEvent = { type: "decided", decision: { kind: "run" } };
const refused: LoopEvent = { type: "decided", decision: { kind: "refused", text: "Not run: no" } };
const asking = (ask: Ask): LoopEvent => ({ type: "ask", ask });
const COMPACT: Ask = { kind: "compact", id: 1, keep: null, focus: null };
const HAND_OFF: Ask = { kind: "hand-off", id: 2, focus: "the bug" };
const SMALL: Ask = { kind: "switch-model", id: 3, modelId: "small", limits: { contextWindowTokens: 100, maxOutputTokens: 10 } };

/** From a submitted message to the request, to the answer, to calls that were decided about. */
const TO_REQUEST = [SUBMIT, DONE, DONE];
const answered = (draft: Omit<AssistantMessage, "id">) => [...TO_REQUEST, replied(draft), appended(draft), DONE];
const calling = (...calls: readonly ToolCallPart[]) => answered(answer(...calls));

function played(start: LoopState, events: readonly LoopEvent[]): Transition {
  let last: Transition = { state: start, effects: [] };
  for (const event of events) last = transition(last.state, event);
  return last;
}

const phaseOf = ({ activity }: LoopState) => (activity.kind === "run" ? activity.run.phase.kind : activity.kind);

/** An effect in a few words. */
function words(effect: LoopEffect): string {
  switch (effect.type) {
    case "tell": {
      const { event } = effect;
      return `tell ${event.type}${"reason" in event ? ` ${event.reason}` : ""}${"recovery" in event ? ` ${event.recovery}` : ""}`;
    }
    case "run-call":
      return `${effect.decision.kind === "run" ? "run" : effect.decision.text} ${effect.call.callId}`;
    case "decide":
      return `decide ${effect.call.callId}`;
    case "enter":
      return `enter ${effect.drafts.length} ${effect.gate}`;
    case "fit":
      return `fit ${effect.gate}`;
    case "work":
      return `work ${effect.ask.kind}`;
    case "append-results":
      return `append ${effect.results.map(({ callId }) => callId).join(" ")}`;
    case "end-run":
      return effect.end.kind === "broken" ? "broken" : `end ${effect.end.outcome.reason} after ${effect.end.outcome.steps}`;
    default:
      return effect.type;
  }
}

type Row = readonly [rule: string, start: LoopState, events: readonly LoopEvent[], phase: string, effects: readonly string[]];
const holds = (...[, start, events, phase, effects]: Row) => {
  const last = played(start, events);
  expect([phaseOf(last.state), last.effects.map(words)]).toEqual([phase, effects]);
};

describe("a run", () => {
  test.each<Row>([
    [
      "begins with its message before the gate",
      IDLE,
      [SUBMIT],
      "entering",
      ["begin", "tell agent-start", "enter 1 before-submit"],
    ],
    [
      "replaces the history first",
      IDLE,
      [{ ...SUBMIT, history: [] }],
      "replacing",
      ["begin", "tell agent-start", "replace-history"],
    ],
    ["then enters its message", IDLE, [{ ...SUBMIT, history: [] }, DONE], "entering", ["enter 1 before-submit"]],
    ["looks at the gate of the step", IDLE, [SUBMIT, DONE], "entering", ["enter 0 before-step"]],
    ["asks the model", IDLE, TO_REQUEST, "asking", ["tell step-start", "request"]],
    ["appends the reply", IDLE, [...TO_REQUEST, replied(WORDS)], "appending", ["append-reply"]],
    ["hears subscribers before it ends", IDLE, [...TO_REQUEST, replied(WORDS), appended(WORDS)], "answered", ["next"]],
    ["ends if there are no calls", IDLE, answered(WORDS), "ending", ["tell turn-end done", "tell agent-end done", "next"]],
    ["tells its caller last", IDLE, [...answered(WORDS), DONE], "idle", ["end done after 1"]],
    [
      "ends as the reply did if nothing could be appended",
      IDLE,
      [...TO_REQUEST, replied({ ...WORDS, stopReason: "refusal" }), { type: "appended", message: null }, DONE],
      "ending",
      ["tell turn-end refusal", "tell agent-end refusal", "next"],
    ],
    [
      "looks at the gate after a batch",
      UNASKED,
      [...calling(call("c1")), settled("c1"), DONE],
      "fitting",
      ["fit after-tool-batch"],
    ],
    [
      "goes on with the next step",
      UNASKED,
      [...calling(call("c1")), settled("c1"), DONE, DONE, DONE],
      "asking",
      ["tell step-start", "request"],
    ],
  ])("%s", holds);
});

describe("calls", () => {
  const START = "tell tool-start";
  test.each<Row>([
    ["are decided about one after the other", IDLE, calling(call("c1"), call("c2")), "deciding", [START, "decide c1"]],
    [
      "run when all of them are decided about",
      IDLE,
      [...calling(call("c1"), call("c2")), allowed, allowed],
      "running",
      ["run c1", "run c2"],
    ],
    [
      "that were refused do not run, and the others do",
      IDLE,
      [...calling(call("c1"), call("c2")), refused, allowed],
      "running",
      ["Not run: no c1", "run c2"],
    ],
    ["run at once if nobody decides", UNASKED, calling(call("c1"), call("c2")), "running", [START, START, "run c1", "run c2"]],
    [
      "of no tool are nobody's decision",
      IDLE,
      calling(call("c1", "none")),
      "running",
      [START, 'There is no tool "none". There are: echo, task. c1'],
    ],
    [
      "that the mode leaves out are nobody's decision",
      { ...IDLE, mode: "plan" },
      calling(call("c1")),
      "running",
      [START, 'The tool "echo" may not be used in mode "plan". It allows: task. c1'],
    ],
    [
      "that end are told as they end",
      UNASKED,
      [...calling(call("c1"), call("c2")), settled("c2")],
      "running",
      ["tell tool-end"],
    ],
    [
      "enter the log in their order",
      UNASKED,
      [...calling(call("c1"), call("c2")), settled("c2"), settled("c1")],
      "recording",
      ["tell tool-end", "append c1 c2"],
    ],
    [
      "that are sub-agents end as others do, together with them",
      UNASKED,
      [...calling(call("c1"), call("t1", "task")), settled("t1", "its last words", "task"), settled("c1")],
      "recording",
      ["tell tool-end", "append c1 t1"],
    ],
  ])("%s", holds);
});

/** The texts and events that end a cancelled run. */
describe("a cancelled run", () => {
  const CANCELLED = ["tell turn-end cancelled", "tell agent-end cancelled", "next"];
  const GONE = "Cancelled before it was done.";
  const batch = calling(call("c1"), call("c2"));
  test.each<Row>([
    [
      "replacing: reaches its caller as it is",
      IDLE,
      [{ ...SUBMIT, history: [] }, CANCEL, ABORTED],
      "ending",
      ["tell agent-end failed", "next"],
    ],
    ["entering: ends", IDLE, [SUBMIT, CANCEL, ABORTED], "ending", CANCELLED],
    ["entering: ends if the message got in, and asks no model", IDLE, [SUBMIT, CANCEL, DONE], "ending", CANCELLED],
    ["compacting: tells whoever asked, and ends", IDLE, [SUBMIT, asking(COMPACT), DONE, CANCEL, ABORTED], "ending", CANCELLED],
    ["compacting for a hand-off: ends", IDLE, [SUBMIT, asking(HAND_OFF), DONE, CANCEL, ABORTED], "ending", CANCELLED],
    ["asking: ends", IDLE, [...TO_REQUEST, CANCEL, ABORTED], "ending", CANCELLED],
    [
      "asking: a reply that came all the same ends it as it would have",
      IDLE,
      [...TO_REQUEST, CANCEL, replied(WORDS), appended(WORDS), DONE],
      "ending",
      ["tell turn-end done", "tell agent-end done", "next"],
    ],
    [
      "appending: ends if the log does not take it",
      IDLE,
      [...TO_REQUEST, replied(WORDS), CANCEL, ABORTED],
      "ending",
      CANCELLED,
    ],
    [
      "deciding: runs nothing, not even what was allowed before",
      IDLE,
      [...batch, allowed, CANCEL, refused],
      "running",
      [`${GONE} c1`, "Not run: no c2"],
    ],
    [
      "deciding: asks about nothing more",
      IDLE,
      [...batch, CANCEL, allowed],
      "running",
      ["tell tool-start", `${GONE} c1`, `${GONE} c2`],
    ],
    [
      "running: records the results first",
      UNASKED,
      [...batch, CANCEL, settled("c1"), settled("c2")],
      "recording",
      ["tell tool-end", "append c1 c2"],
    ],
    ["recording: ends", UNASKED, [...batch, settled("c1"), settled("c2"), CANCEL, DONE], "ending", CANCELLED],
    ["fitting: ends", UNASKED, [...batch, settled("c1"), settled("c2"), DONE, CANCEL, ABORTED], "ending", CANCELLED],
    [
      "fitting: ends if the fit came to its end",
      UNASKED,
      [...batch, settled("c1"), settled("c2"), DONE, CANCEL, DONE],
      "ending",
      CANCELLED,
    ],
    ["ending: has ended", IDLE, [...answered(WORDS), CANCEL, DONE], "idle", ["end done after 1"]],
  ])("%s", holds);

  test("aborts what goes on, whatever it is", () => {
    expect(played(IDLE, [...TO_REQUEST, CANCEL]).effects).toEqual([{ type: "abort", why: "cancelled" }]);
    expect(played(IDLE, [asking(COMPACT), CANCEL]).effects).toEqual([{ type: "abort", why: "cancelled" }]);
    expect(played(IDLE, [CANCEL]).effects).toEqual([]);
  });

  test("does not stop the next one", () => {
    const last = played(IDLE, [...TO_REQUEST, CANCEL, ABORTED, DONE, ...answered(WORDS), DONE]);
    expect(last.effects.map(words)).toEqual(["end done after 1"]);
  });
});

describe("what is asked for while a run goes on", () => {
  test.each<Row>([
    ["a compaction is done before the next step", IDLE, [SUBMIT, asking(COMPACT), DONE], "compacting", ["work compact"]],
    [
      "a hand-off is, too",
      UNASKED,
      [...calling(call("c1")), asking(HAND_OFF), settled("c1"), DONE, DONE],
      "compacting",
      ["work hand-off"],
    ],
    [
      "all of them are, in their order",
      IDLE,
      [SUBMIT, asking(HAND_OFF), asking(COMPACT), DONE, DONE],
      "compacting",
      ["work compact"],
    ],
    ["then the step comes", IDLE, [SUBMIT, asking(COMPACT), DONE, DONE], "entering", ["enter 0 before-step"]],
    [
      "a compaction that failed ends no run",
      IDLE,
      [SUBMIT, asking(COMPACT), DONE, ABORTED],
      "entering",
      ["enter 0 before-step"],
    ],
    [
      "a hand-off that failed ends the run",
      IDLE,
      [SUBMIT, asking(HAND_OFF), DONE, { type: "failed", error: new PlimsollError("bad-input", "no") }],
      "ending",
      ["tell turn-end failed", "tell agent-end failed", "next"],
    ],
    [
      "in its last step, it is done after the end",
      IDLE,
      [...answered(WORDS), asking(HAND_OFF), DONE],
      "compacting",
      ["begin", "work hand-off"],
    ],
    [
      "and the caller is told after that",
      IDLE,
      [...answered(WORDS), asking(HAND_OFF), DONE, DONE],
      "idle",
      ["end done after 1"],
    ],
    [
      "a hand-off that failed after the end reaches the caller",
      IDLE,
      [...answered(WORDS), asking(HAND_OFF), DONE, ABORTED],
      "idle",
      ["broken"],
    ],
    [
      "a compaction that failed after the end does not",
      IDLE,
      [...answered(WORDS), asking(COMPACT), DONE, ABORTED],
      "idle",
      ["end done after 1"],
    ],
    ["a message waits for the next step", IDLE, [SUBMIT, steer("left")], "entering", ["tell message-queued"]],
    [
      "it enters there and begins a turn",
      IDLE,
      [SUBMIT, steer("left"), DONE],
      "entering",
      ["tell turn-end steered", "enter 1 before-step"],
    ],
    [
      "several messages enter at once",
      IDLE,
      [SUBMIT, steer("left"), steer("right"), DONE],
      "entering",
      ["tell turn-end steered", "enter 2 before-step"],
    ],
    [
      "a message keeps a run from its end",
      IDLE,
      [...answered(WORDS).slice(0, -1), steer("left"), DONE],
      "entering",
      ["tell turn-end steered", "enter 1 before-step"],
    ],
  ])("%s", holds);
});

describe("an overflow", () => {
  const rejected: LoopEvent = { type: "rejected", limitTokens: 100, requestedTokens: 120, recovery: 1 };
  const tooLong: LoopEvent = { type: "failed", error: new PlimsollError("context-overflow", "too long") };
  const cut = [...TO_REQUEST, replied(WORDS, 9000)];
  test.each<Row>([
    ["is told with the recovery that follows", IDLE, [...TO_REQUEST, rejected], "asking", ["tell overflow-detected 1"]],
    [
      "that a recovery helped leaves no trace",
      IDLE,
      [...TO_REQUEST, rejected, ...answered(WORDS).slice(3)],
      "ending",
      ["tell turn-end done", "tell agent-end done", "next"],
    ],
    [
      "that none helped ends the run",
      IDLE,
      [...TO_REQUEST, rejected, tooLong],
      "ending",
      ["tell turn-end failed", "tell agent-end failed", "next"],
    ],
    ["that the provider hid is found in its report", IDLE, cut, "appending", ["tell overflow-detected 1", "append-reply"]],
    [
      "that was hidden shrinks the context before the end",
      IDLE,
      [...cut, appended(WORDS), DONE],
      "fitting",
      ["fit on-overflow"],
    ],
    [
      "that was hidden shrinks it before a message that waits",
      IDLE,
      [...cut, steer("left"), appended(WORDS), DONE],
      "fitting",
      ["fit on-overflow"],
    ],
    [
      "after which that enters",
      IDLE,
      [...cut, steer("left"), appended(WORDS), DONE, DONE],
      "entering",
      ["tell turn-end steered", "enter 1 before-step"],
    ],
    [
      "after which the run ends",
      IDLE,
      [...cut, appended(WORDS), DONE, DONE],
      "ending",
      ["tell turn-end done", "tell agent-end done", "next"],
    ],
    [
      "is none where two cuts in a row brought no report below the window",
      { ...IDLE, overReports: 2 },
      [...cut, appended(WORDS), DONE],
      "ending",
      ["tell turn-end done", "tell agent-end done", "next"],
    ],
    [
      "is looked for again after a report below it",
      { ...IDLE, overReports: 5 },
      [...TO_REQUEST, replied(WORDS, 700), appended(WORDS), DONE, DONE, ...cut, appended(WORDS), DONE],
      "fitting",
      ["fit on-overflow"],
    ],
    [
      "is not looked for with compaction off",
      { ...IDLE, setup: { ...IDLE.setup, compaction: "off" } },
      cut,
      "appending",
      ["append-reply"],
    ],
  ])("%s", holds);
});

describe("a failure", () => {
  const of = (code: ConstructorParameters<typeof PlimsollError>[0]): LoopEvent => ({
    type: "failed",
    error: new PlimsollError(code, code),
  });
  test.each<Row>([
    ["of the provider is an outcome", IDLE, [...TO_REQUEST, of("provider-failed"), DONE], "idle", ["end failed after 1"]],
    ["of the log reaches the caller", IDLE, [...TO_REQUEST, of("bad-session"), DONE], "idle", ["broken"]],
    [
      "of ours reaches the caller",
      IDLE,
      [...TO_REQUEST, { type: "failed", error: new TypeError("no") }, DONE],
      "idle",
      ["broken"],
    ],
    [
      "is told to subscribers first",
      IDLE,
      [...TO_REQUEST, of("session-limit")],
      "ending",
      ["tell turn-end failed", "tell agent-end failed", "next"],
    ],
  ])("%s", holds);
});

describe("without a run", () => {
  const work: Activity = { kind: "work", ask: SMALL };
  test.each<Row>([
    ["a switch of model is worked on", IDLE, [asking(SMALL)], "work", ["begin", "work switch-model"]],
    ["it ends when it is done", { ...IDLE, activity: work }, [DONE], "idle", []],
    ["it ends when it failed", { ...IDLE, activity: work }, [ABORTED], "idle", []],
    ["a compaction is worked on", IDLE, [asking(COMPACT)], "work", ["begin", "work compact"]],
    ["what comes too late changes nothing", IDLE, [DONE], "idle", []],
  ])("%s", holds);

  test.each([
    ["the model is the new one once the log knows it", [asking(SMALL), { type: "switched" }], "small"],
    ["and stays so if the log cannot be written after that", [asking(SMALL), { type: "switched" }, ABORTED], "small"],
    ["it is the old one if the switch failed", [asking(SMALL), ABORTED], "test/model"],
    ["it is the old one if the switch only ended", [asking(SMALL), DONE], "test/model"],
  ] satisfies [string, LoopEvent[], string][])("%s", (_rule, events, modelId) => {
    expect(played(IDLE, events).state.model.modelId).toBe(modelId);
  });

  test.each([
    ["a second run", [SUBMIT, SUBMIT], "cannot submit while a run goes on"],
    ["a run during a compaction", [asking(COMPACT), SUBMIT], "cannot submit while a compaction goes on"],
    ["a switch of model during a run", [SUBMIT, asking(SMALL)], "cannot compact while a run goes on"],
    ["an undo during a run", [SUBMIT, asking({ kind: "undo", id: 4 })], "cannot undo while a run goes on"],
    ["a message without a run", [steer("left")], "no run goes on"],
    ["a hand-off without a run", [asking(HAND_OFF)], "no run goes on"],
    ["a mode that is none", [{ type: "set-mode", mode: "none" }], 'there is no mode "none"; there are: default, plan'],
    ["anything of a closed session", [{ type: "close" }, SUBMIT], "this agent is closed"],
  ] satisfies [string, LoopEvent[], string][])("%s is refused", (_what, events, message) => {
    expect(() => played(IDLE, events)).toThrow(message);
  });
});

test("turns count human messages, steps the model's calls; the words are the newest ones", () => {
  const last = played(UNASKED, [...calling(call("c1")), settled("c1"), steer("left"), DONE, DONE, DONE]);
  expect(last.state).toMatchObject({ turn: 2, step: 2, waiting: [], activity: { run: { turnSteps: 1, lastText: "" } } });
  expect(played(UNASKED, answered(WORDS)).state).toMatchObject({ activity: { run: { lastText: "words" } } });
});
