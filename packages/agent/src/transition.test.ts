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
const call = (callId: string, toolName = "echo"): ToolCallPart => {
  return { type: "tool-call", callId, toolName, argumentsJson: "{}", paths: [] };
};
const answer = (...parts: AssistantMessage["parts"]): Omit<AssistantMessage, "id"> => {
  return { role: "assistant", parts, modelId: "test/model", origin: "model", requestId: null, stopReason: "end", atMs: null };
};
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

const SUBMIT = { type: "submit", draft: said("go"), history: null } satisfies LoopEvent;
const REPLACE: LoopEvent = { ...SUBMIT, history: [] };
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
const settled = (...args: Parameters<typeof result>): LoopEvent => {
  return { type: "settled", message: result(...args), handle: null };
};
const allowed: LoopEvent = { type: "decided", decision: { kind: "run" } };
const refused: LoopEvent = { type: "decided", decision: { kind: "refused", text: "Not run: no" } };
const asking = (ask: Ask): LoopEvent => ({ type: "ask", ask });
const COMPACT = asking({ kind: "compact", id: 1, keep: null, focus: null });
const FOCUSED = asking({ kind: "compact", id: 2, keep: null, focus: "the bug" });
const SMALL: Ask = { kind: "switch-model", id: 3, modelId: "small", limits: { contextWindowTokens: 100, maxOutputTokens: 10 } };

/** From a submitted message to the request, to the answer, to calls that were decided about. */
const ASKED = [SUBMIT, DONE, DONE];
const answered = (draft: Omit<AssistantMessage, "id">) => [...ASKED, replied(draft), appended(draft), DONE];
const ANSWERED = answered(WORDS);
const calling = (...calls: readonly ToolCallPart[]) => answered(answer(...calls));
const BOTH = [settled("c1"), settled("c2")];
const [ONE, TWO] = [calling(call("c1")), calling(call("c1"), call("c2"))];

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

/** The message that waited enters, and begins a turn. */
const STEERED = "entering: tell turn-end steered | enter 1 before-step";
type Row = readonly [rule: string, start: LoopState, events: readonly LoopEvent[], came: string];
/** How a run ends. */
const ends = (why: string) => `ending: tell turn-end ${why} | tell agent-end ${why} | next`;
const holds = (...[, start, events, came]: Row) => {
  const last = played(start, events);
  expect(`${phaseOf(last.state)}: ${last.effects.map(words).join(" | ")}`).toBe(came);
};

describe("a run", () => {
  test.each<Row>([
    ["begins with its message before the gate", IDLE, [SUBMIT], "entering: begin | tell agent-start | enter 1 before-submit"],
    ["replaces the history first", IDLE, [REPLACE], "replacing: begin | tell agent-start | replace-history"],
    ["then enters its message", IDLE, [REPLACE, DONE], "entering: enter 1 before-submit"],
    ["looks at the gate of the step", IDLE, [SUBMIT, DONE], "entering: enter 0 before-step"],
    ["asks the model", IDLE, ASKED, "asking: tell step-start | request"],
    ["appends the reply", IDLE, [...ASKED, replied(WORDS)], "appending: append-reply"],
    ["hears subscribers before it ends", IDLE, [...ASKED, replied(WORDS), appended(WORDS)], "answered: next"],
    ["ends if there are no calls", IDLE, ANSWERED, ends("done")],
    ["tells its caller last", IDLE, [...ANSWERED, DONE], "idle: end done after 1"],
    [
      "ends as the reply did if nothing could be appended",
      IDLE,
      [...ASKED, replied({ ...WORDS, stopReason: "refusal" }), { type: "appended", message: null }, DONE],
      ends("refusal"),
    ],
    ["looks at the gate after a batch", UNASKED, [...ONE, settled("c1"), DONE], "fitting: fit after-tool-batch"],
    ["goes on with the next step", UNASKED, [...ONE, settled("c1"), DONE, DONE, DONE], "asking: tell step-start | request"],
  ])("%s", holds);
});

describe("calls", () => {
  const START = "tell tool-start";
  test.each<Row>([
    ["are decided about one after the other", IDLE, TWO, `deciding: ${START} | decide c1`],
    ["run when all of them are decided about", IDLE, [...TWO, allowed, allowed], "running: run c1 | run c2"],
    ["that were refused do not run, and the others do", IDLE, [...TWO, refused, allowed], "running: Not run: no c1 | run c2"],
    ["run at once if nobody decides", UNASKED, TWO, `running: ${START} | ${START} | run c1 | run c2`],
    [
      "of no tool are nobody's decision",
      IDLE,
      calling(call("c1", "none")),
      `running: ${START} | There is no tool "none". There are: echo, task. c1`,
    ],
    [
      "that the mode leaves out are nobody's decision",
      { ...IDLE, mode: "plan" },
      ONE,
      `running: ${START} | The tool "echo" may not be used in mode "plan". It allows: task. c1`,
    ],
    ["that end are told as they end", UNASKED, [...TWO, settled("c2")], "running: tell tool-end"],
    ["enter the log in order", UNASKED, [...TWO, settled("c2"), settled("c1")], "recording: tell tool-end | append c1 c2"],
    [
      "that are sub-agents end as others do, together with them",
      UNASKED,
      [...calling(call("c1"), call("t1", "task")), settled("t1", "its last words", "task"), settled("c1")],
      "recording: tell tool-end | append c1 t1",
    ],
  ])("%s", holds);
});

describe("a cancelled run", () => {
  const CANCELLED = ends("cancelled");
  const GONE = "Cancelled before it was done.";
  test.each<Row>([
    ["replacing: reaches its caller as it is", IDLE, [REPLACE, CANCEL, ABORTED], "ending: tell agent-end failed | next"],
    ["entering: ends", IDLE, [SUBMIT, CANCEL, ABORTED], CANCELLED],
    ["entering: ends if the message got in, and asks no model", IDLE, [SUBMIT, CANCEL, DONE], CANCELLED],
    ["compacting: tells whoever asked, and ends", IDLE, [SUBMIT, COMPACT, DONE, CANCEL, ABORTED], CANCELLED],
    ["asking: ends", IDLE, [...ASKED, CANCEL, ABORTED], CANCELLED],
    [
      "asking: a reply that came all the same ends it as it would have",
      IDLE,
      [...ASKED, CANCEL, replied(WORDS), appended(WORDS), DONE],
      ends("done"),
    ],
    ["appending: ends if the log does not take it", IDLE, [...ASKED, replied(WORDS), CANCEL, ABORTED], CANCELLED],
    [
      "deciding: runs nothing, not even what was allowed before",
      IDLE,
      [...TWO, allowed, CANCEL, refused],
      `running: ${GONE} c1 | Not run: no c2`,
    ],
    [
      "deciding: asks about nothing more",
      IDLE,
      [...TWO, CANCEL, allowed],
      `running: tell tool-start | ${GONE} c1 | ${GONE} c2`,
    ],
    ["running: records the results first", UNASKED, [...TWO, CANCEL, ...BOTH], "recording: tell tool-end | append c1 c2"],
    ["recording: ends", UNASKED, [...TWO, ...BOTH, CANCEL, DONE], CANCELLED],
    ["fitting: ends", UNASKED, [...TWO, ...BOTH, DONE, CANCEL, ABORTED], CANCELLED],
    ["fitting: ends if the fit came to its end", UNASKED, [...TWO, ...BOTH, DONE, CANCEL, DONE], CANCELLED],
    ["ending: has ended", IDLE, [...ANSWERED, CANCEL, DONE], "idle: end done after 1"],
  ])("%s", holds);

  test("aborts what goes on, whatever it is", () => {
    expect(played(IDLE, [...ASKED, CANCEL]).effects).toEqual([{ type: "abort", why: "cancelled" }]);
    expect(played(IDLE, [COMPACT, CANCEL]).effects).toEqual([{ type: "abort", why: "cancelled" }]);
    expect(played(IDLE, [CANCEL]).effects).toEqual([]);
  });

  test("does not stop the next one", () => {
    const last = played(IDLE, [...ASKED, CANCEL, ABORTED, DONE, ...ANSWERED, DONE]);
    expect(last.effects.map(words)).toEqual(["end done after 1"]);
  });
});

describe("what is asked for while a run goes on", () => {
  test.each<Row>([
    ["a compaction is done before the next step", IDLE, [SUBMIT, COMPACT, DONE], "compacting: work compact"],
    ["one that comes during a call is, too", UNASKED, [...ONE, FOCUSED, settled("c1"), DONE, DONE], "compacting: work compact"],
    ["all of them are, in their order", IDLE, [SUBMIT, FOCUSED, COMPACT, DONE, DONE], "compacting: work compact"],
    ["then the step comes", IDLE, [SUBMIT, COMPACT, DONE, DONE], "entering: enter 0 before-step"],
    ["a compaction that failed ends no run", IDLE, [SUBMIT, COMPACT, DONE, ABORTED], "entering: enter 0 before-step"],
    ["in its last step, it is done after the end", IDLE, [...ANSWERED, FOCUSED, DONE], "compacting: begin | work compact"],
    ["and the caller is told after that", IDLE, [...ANSWERED, FOCUSED, DONE, DONE], "idle: end done after 1"],
    ["a compaction that failed after the end does not", IDLE, [...ANSWERED, COMPACT, DONE, ABORTED], "idle: end done after 1"],
    ["a message waits for the next step", IDLE, [SUBMIT, steer("left")], "entering: tell message-queued"],
    ["it enters there and begins a turn", IDLE, [SUBMIT, steer("left"), DONE], STEERED],
    [
      "several messages enter at once",
      IDLE,
      [SUBMIT, steer("left"), steer("right"), DONE],
      "entering: tell turn-end steered | enter 2 before-step",
    ],
    ["a message keeps a run from its end", IDLE, [...ANSWERED.slice(0, -1), steer("left"), DONE], STEERED],
  ])("%s", holds);
});

describe("an overflow", () => {
  const rejected: LoopEvent = { type: "rejected", limitTokens: 100, requestedTokens: 120, recovery: 1 };
  const tooLong: LoopEvent = { type: "failed", error: new PlimsollError("context-overflow", "too long") };
  const cut = [...ASKED, replied(WORDS, 9000)];
  test.each<Row>([
    ["is told with the recovery that follows", IDLE, [...ASKED, rejected], "asking: tell overflow-detected 1"],
    ["that a recovery helped leaves no trace", IDLE, [...ASKED, rejected, ...ANSWERED.slice(3)], ends("done")],
    ["that none helped ends the run", IDLE, [...ASKED, rejected, tooLong], ends("failed")],
    ["that the provider hid is found in its report", IDLE, cut, "appending: tell overflow-detected 1 | append-reply"],
    ["that was hidden shrinks the context before the end", IDLE, [...cut, appended(WORDS), DONE], "fitting: fit on-overflow"],
    [
      "that was hidden shrinks it before a message that waits",
      IDLE,
      [...cut, steer("left"), appended(WORDS), DONE],
      "fitting: fit on-overflow",
    ],
    ["after which that enters", IDLE, [...cut, steer("left"), appended(WORDS), DONE, DONE], STEERED],
    ["after which the run ends", IDLE, [...cut, appended(WORDS), DONE, DONE], ends("done")],
    [
      "is none where two cuts in a row brought no report below the window",
      { ...IDLE, overReports: 2 },
      [...cut, appended(WORDS), DONE],
      ends("done"),
    ],
    [
      "is looked for again after a report below it",
      { ...IDLE, overReports: 5 },
      [...ASKED, replied(WORDS, 700), appended(WORDS), DONE, DONE, ...cut, appended(WORDS), DONE],
      "fitting: fit on-overflow",
    ],
    ["is none with compaction off", { ...IDLE, setup: { ...IDLE.setup, compaction: "off" } }, cut, "appending: append-reply"],
  ])("%s", holds);
});

describe("a failure", () => {
  const of = (code: ConstructorParameters<typeof PlimsollError>[0]): LoopEvent => ({
    type: "failed",
    error: new PlimsollError(code, code),
  });
  test.each<Row>([
    ["of the provider is an outcome", IDLE, [...ASKED, of("provider-failed"), DONE], "idle: end failed after 1"],
    ["of the log reaches the caller", IDLE, [...ASKED, of("bad-session"), DONE], "idle: broken"],
    ["of ours reaches the caller", IDLE, [...ASKED, { type: "failed", error: new TypeError("no") }, DONE], "idle: broken"],
    ["is told to subscribers first", IDLE, [...ASKED, of("session-limit")], ends("failed")],
  ])("%s", holds);
});

describe("without a run", () => {
  const work: Activity = { kind: "work", ask: SMALL };
  test.each<Row>([
    ["a switch of model is worked on", IDLE, [asking(SMALL)], "work: begin | work switch-model"],
    ["it ends when it is done", { ...IDLE, activity: work }, [DONE], "idle: "],
    ["it ends when it failed", { ...IDLE, activity: work }, [ABORTED], "idle: "],
    ["a compaction is worked on", IDLE, [COMPACT], "work: begin | work compact"],
    ["what comes too late changes nothing", IDLE, [DONE], "idle: "],
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
    ["a second run", [SUBMIT, SUBMIT], "cannot submit during a run"],
    ["a run during a compaction", [COMPACT, SUBMIT], "cannot submit during a compaction"],
    ["a switch of model during a run", [SUBMIT, asking(SMALL)], "cannot compact during a run"],
    ["an undo during a run", [SUBMIT, asking({ kind: "undo", id: 4 })], "cannot undo during a run"],
    ["a message without a run", [steer("left")], "no run is active"],
    ["a mode that is none", [{ type: "set-mode", mode: "none" }], 'unknown mode "none": known: default, plan'],
    ["anything of a closed session", [{ type: "close" }, SUBMIT], "this agent is closed"],
  ] satisfies [string, LoopEvent[], string][])("%s is refused", (_what, events, message) => {
    expect(() => played(IDLE, events)).toThrow(message);
  });
});

test("turns count human messages, steps the model's calls; the words are the newest ones", () => {
  const last = played(UNASKED, [...ONE, settled("c1"), steer("left"), DONE, DONE, DONE]);
  expect(last.state).toMatchObject({ turn: 2, step: 2, waiting: [], activity: { run: { turnSteps: 1, lastText: "" } } });
  expect(played(UNASKED, ANSWERED).state).toMatchObject({ activity: { run: { lastText: "words" } } });
});
