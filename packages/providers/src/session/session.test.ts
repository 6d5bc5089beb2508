import { NONE_POLICY, type SessionStore } from "@plimsoll/core";
import { type SimulatedReply, type SimulatedRequest, startSimulator } from "@plimsoll/simulator";
import { createMemorySessionStore } from "@plimsoll/stores";
import { closeContract } from "@plimsoll/stores/testing";
import { expect, onTestFinished, test } from "vitest";
import { askedOf, readsTwo, SESSION_WIRES, type SessionWire, WIRE_SESSIONS } from "../../testing/wire-sessions.ts";
import { createChatSession } from "../openai-chat/index.ts";
import { createResponsesSession } from "../openai-responses/index.ts";

const STEPS = 60;
const WINDOW_TOKENS = 24_000;

/** The session believes in a larger window than the simulator has, so that a request overflows. */
const LIMITS = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };

const TOOL = {
  name: "read_file",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: {} } },
} as const;
const MODELS = { anthropic: "claude-haiku-5-5", "openai-chat": "gpt-5-mini", "openai-responses": "gpt-5-mini" };
const setup = (wire: SessionWire) => ({ model: MODELS[wire], tools: [TOOL] });

/** Two calls a reply, with reasoning and text before them; a text at the end. */
function nextReply({ replyIndex }: SimulatedRequest): SimulatedReply {
  const said = [
    { type: "reasoning", text: `two more after ${replyIndex}` },
    { type: "text", text: `Step ${replyIndex}.` },
  ] as const;
  return readsTwo(replyIndex, STEPS, said);
}

const fileText = (path: string, lines = 40) =>
  Array.from({ length: lines }, (_, line) => `${line}: export const value${line} = read(${path}, ${line});`).join("\n");

/** A body without its cache breakpoints: they mark the kept content, and are not part of it. */
const withoutMarks = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)));

interface Sent {
  readonly body: unknown;
  readonly compactions: number;
}

async function started(onRequest: (wire: string, body: unknown) => void) {
  const simulator = await startSimulator({ replies: nextReply, contextWindowTokens: WINDOW_TOKENS, nowMs: () => 0, onRequest });
  onTestFinished(() => simulator.close());
  return simulator;
}

/** Plays the whole loop, with a restart before each of these steps. */
async function played(wire: SessionWire, restarts: readonly number[], sessions: SessionStore = createMemorySessionStore()) {
  const sent: Sent[] = [];
  let compactions = 0;
  const simulator = await started((_, body) => void sent.push({ body: withoutMarks(body), compactions }));
  const begin = () =>
    WIRE_SESSIONS[wire]({
      ...setup(wire),
      system: "You are a careful engineer.",
      limits: LIMITS,
      sessions,
      sessionId: "s1",
      nowMs: () => 0,
      onEvent: ({ type }) => {
        compactions += Number(type === "compaction-end");
      },
    });
  let session = await begin();
  session.user("Read all files.");
  for (let index = 0; index <= STEPS; index++) {
    const again = restarts.filter((at) => at === index);
    for (const _ of again) {
      await session.close();
      session = await begin();
    }
    await session.send(askedOf(wire, simulator, index % 2 === 0 ? "whole" : "streamed"));
    for (const { callId, argumentsJson } of session.calls) session.result(callId, fileText(argumentsJson));
  }
  await session.close();
  return { sent, compactions, exchanges: simulator.exchanges(), entries: (await sessions.read("s1"))?.entries ?? [] };
}

test.each(SESSION_WIRES)(
  "%s: 60 steps with parallel calls and an overflow are sent, each step a prefix of the next",
  async (wire) => {
    const { sent, compactions, exchanges } = await played(wire, []);
    expect(exchanges.filter(({ outcome }) => outcome === "answered")).toHaveLength(STEPS + 1);
    const overflows = exchanges.length - STEPS - 1;
    expect(overflows).toBeGreaterThan(0);
    expect(compactions).toBeGreaterThanOrEqual(overflows);
    const texts = sent.map(({ body, ...rest }) => ({
      text: JSON.stringify(Object(body)[wire === "openai-responses" ? "input" : "messages"]),
      ...rest,
    }));
    const grown = texts.slice(1).map((next, index) => ({ before: texts[index], next }));
    const appended = grown.filter(({ before, next }) => before?.compactions === next.compactions);
    expect(appended.length).toBeGreaterThan(STEPS / 2);
    const parted = appended.filter(({ before, next }) => !next.text.startsWith(before?.text.slice(0, -1) ?? "?"));
    expect(parted).toEqual([]);
  },
);

test.each(SESSION_WIRES)("%s: a session that is taken up again sends the same requests, and one is refused", async (wire) => {
  const whole = await played(wire, []);
  const resumed = await played(wire, [7, 20, 30, 31, 45]);
  expect(resumed.exchanges.filter(({ outcome }) => outcome !== "answered")).toHaveLength(1);
  expect(resumed.sent.map(({ body }) => body)).toEqual(whole.sent.map(({ body }) => body));
  expect(resumed.entries).toEqual(whole.entries);
});

const closings = SESSION_WIRES.flatMap((wire) =>
  closeContract(wire, async (sessions) => {
    let onRequest = () => {};
    const simulator = await started(() => onRequest());
    const session = await WIRE_SESSIONS[wire]({ ...setup(wire), limits: LIMITS, sessions, sessionId: "s1" });
    const hold = async (fail: () => void) => {
      onRequest = fail;
      session.user("Read all files.");
      await session.send(askedOf(wire, simulator, "whole"));
      for (const { callId } of session.calls) session.result(callId, `text of ${callId}`);
      session.user("and what next?");
    };
    return { hold, close: session.close, held: ["Read all files.", "Step 0.", "text of ", "and what next?"] };
  }),
);

test.each(closings)("$rule", ({ run }) => run(async () => createMemorySessionStore()));

test("a window behind a model's id is not sent", async () => {
  const options = { policy: NONE_POLICY, limits: LIMITS };
  for (const wire of SESSION_WIRES) {
    const session = await WIRE_SESSIONS[wire]({ ...options, model: "claude-opus-4-8[1m]" });
    session.user("go");
    expect(await session.request()).toMatchObject({ model: "claude-opus-4-8" });
    await session.close();
  }
});

test.each<[string, string, unknown]>([
  ["named by limits is asked for where the request names none", "plimsoll", 2_000],
  ["is not asked for with compaction off, but by Responses, which always name one", "none", undefined],
])("a reply %s", async (_, policy, expected) => {
  const chat = await createChatSession({ request: { model: "gpt-5-mini" }, policy, limits: LIMITS });
  const responses = await createResponsesSession({ request: { model: "gpt-5-mini" }, policy, limits: LIMITS });
  for (const session of [chat, responses]) session.user("Go.");
  expect((await chat.request()).max_completion_tokens).toBe(expected);
  expect((await responses.request()).max_output_tokens).toBe(2_000);
});
