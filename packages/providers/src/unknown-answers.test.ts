import { startAgent } from "@plimsoll/agent";
import { createMemoryArtifactStore, PLIMSOLL_POLICY } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { convertArrayToReadableStream, convertReadableStreamToArray, MockLanguageModelV3 } from "ai/test";
import { describe, expect, test } from "vitest";
import { ITEM_FORMS, type KeptName } from "../testing/item-forms.ts";
import { COMPACTORS, fieldsOf } from "../testing/kept-items.ts";
import { proxyInMemory } from "../testing/proxy-in-memory.ts";
import { bodyOf, pathOf } from "../testing/wire-bodies.ts";
import { type SessionWire, WIRE_SESSIONS } from "../testing/wire-sessions.ts";
import { decodeAnthropic, decodeAnthropicStream } from "./anthropic/decode.ts";
import { createModelClient } from "./client/model-client.ts";
import { createCompactionMiddleware } from "./drop-in/ai-sdk.ts";
import type { Fields } from "./fields.ts";
import { decodeOpenAiChat, decodeOpenAiChatStream } from "./openai-chat/decode.ts";
import { MAXIMUM_TOOL_NAME_CHARS, OPENAI_CHAT_WIRE_RULES } from "./openai-chat/encode.ts";
import { decodeOpenAiResponse, decodeOpenAiResponsesStream } from "./openai-responses/decode.ts";
import type { DriverEvent } from "./wire/wire.ts";

const OPTIONS = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 200_000, maxOutputTokens: 1_000 } };
const NEVER = new AbortController().signal;
const THOUGHT = { id: "rs", type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "sealed" };

/** An answer of the vendors' as outside data. */
const given = (value: object) => JSON.parse(JSON.stringify(value)) as never;

/** How an answer comes: whole, and as events. */
interface Forms {
  readonly whole: Fields;
  readonly events: readonly Fields[];
}

const response = (output: readonly Fields[]) => ({ id: "r", object: "response", model: "m", status: "completed", output });
const responses = (...items: readonly Fields[]): Forms => ({
  whole: response(items),
  events: [
    ...items.map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
    { type: "response.completed", response: response([]) },
  ],
});
/** A stream whose items are only begun, and whose last event has none. */
const begun = (...events: readonly Fields[]): readonly Fields[] => [
  ...events,
  { type: "response.completed", response: response([]) },
];
const messages = (...content: readonly Fields[]): Forms => {
  const message = { id: "r", type: "message", role: "assistant", model: "m" };
  return {
    whole: { ...message, content, stop_reason: "end_turn" },
    events: [
      { type: "message_start", message: { ...message, content: [] } },
      ...content.map((block, index) => ({ type: "content_block_start", index, content_block: block })),
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ],
  };
};
const chat = (said: Fields): Forms => {
  const message = { role: "assistant", content: null, ...said };
  return {
    whole: { id: "r", model: "m", choices: [{ index: 0, finish_reason: "stop", message }] },
    events: [
      { id: "r", model: "m", choices: [{ index: 0, delta: message, finish_reason: null }] },
      { id: "r", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    ],
  };
};
const gemini = (...parts: readonly Fields[]): Forms => {
  const whole = { candidates: [{ finishReason: "STOP", content: { role: "model", parts } }] };
  return { whole, events: [whole] };
};

type Wire = "anthropic" | "openai-chat" | "openai-responses" | "gemini";
const patch = { id: "c", type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: "*** Begin Patch" };
const shell = {
  id: "s",
  type: "local_shell_call",
  call_id: "c2",
  status: "completed",
  action: { type: "exec", command: ["ls"] },
};

const ANSWERS: readonly (readonly [string, Wire, Forms])[] = [
  ["a custom tool's call", "openai-responses", responses(patch)],
  ["a call of a local shell behind reasoning", "openai-responses", responses(THOUGHT, shell)],
  ["an item that nobody knows", "openai-responses", responses({ id: "x", type: "tide_table", rows: [1] })],
  [
    "a part of a message that nobody knows",
    "openai-responses",
    responses({ type: "message", role: "assistant", content: [{ type: "output_audio", data: "AAAA" }] }),
  ],
  [
    "an item that is only begun",
    "openai-responses",
    { ...responses(patch), events: begun({ type: "response.output_item.added", item: patch }) },
  ],
  [
    "text that no item holds",
    "openai-responses",
    { ...responses(patch), events: begun({ type: "response.output_text.delta", delta: "Yes." }) },
  ],
  ["a block that nobody knows", "anthropic", messages({ type: "tide_table", rows: [1] })],
  ["a server's own call", "anthropic", messages({ type: "thinking", thinking: "Hm." }, { type: "server_tool_use", id: "s" })],
  ["sound", "openai-chat", chat({ audio: { id: "a", data: "AAAA" } })],
  ["pictures", "openai-chat", chat({ content: "", images: [{ type: "image_url", image_url: { url: "data:," } }] })],
  ["a call as it was once written", "openai-chat", chat({ function_call: { name: "look", arguments: "{}" } })],
  ["text in pieces behind reasoning", "openai-chat", chat({ content: [{ type: "thinking" }, { type: "text", text: "Yes." }] })],
  ["code that ran", "gemini", gemini({ text: "Hm.", thought: true }, { executableCode: { code: "1" } })],
  ["a part that nobody knows", "gemini", gemini({ tideTable: { rows: [1] } })],
];

/** Answers with only reasoning: these say nothing. */
const SILENT: readonly (readonly [string, Wire, Forms])[] = [
  ["reasoning alone", "openai-responses", responses(THOUGHT)],
  ["reasoning that is only begun", "openai-responses", { ...responses(THOUGHT), events: begun({ item: THOUGHT }) }],
  ["thinking alone", "anthropic", messages({ type: "thinking", thinking: "Hm.", signature: "s" }, { type: "text", text: " " })],
  [
    "reasoning in fields of its own",
    "openai-chat",
    chat({
      ...{ reasoning_content: "Hm.", thinking_blocks: [{ type: "thinking", thinking: "Hm." }], annotations: [], audio: null },
      ...{ tool_calls: [], provider_specific_fields: { refusal: null, reasoning: "Hm." }, function_call: null },
    }),
  ],
  ["a thought alone", "gemini", gemini({ text: "Hm.", thought: true })],
];

async function proxied(wire: Wire) {
  const compaction = proxyInMemory(OPTIONS);
  const bodyText = JSON.stringify(bodyOf(wire, [ITEM_FORMS[wire].said("Go.")]));
  const prepared = await compaction.prepare({ path: pathOf(wire), headers: { session_id: "one" }, bodyText, signal: NEVER });
  await compaction.close();
  if (prepared === null) throw new Error("a request that passes as it is");
  return prepared;
}

const streamOf = ({ events }: Forms) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

describe.each(ANSWERS)("%s on %s", (_, wire, forms) => {
  test("is passed on by the proxy, whole and streamed", async () => {
    const prepared = await proxied(wire);
    expect(prepared.cutOff(forms.whole)).toBeNull();
    expect(await prepared.cutOffStream(streamOf(forms))).toBeNull();
  });

  test("is taken by a drop-in, asked once", async () => {
    expect(await askedByDropIn(wire, forms.whole)).toBe(1);
  });
});

const ASKED = ANSWERS.flatMap(([name, wire, forms]) => (wire === "gemini" ? [] : [[name, wire, forms] as const]));
test.each(ASKED)("%s on %s is taken by a session and an agent, asked once", async (_, wire, forms) => {
  expect(await askedBySession(wire, forms.whole)).toBe(1);
  const { complete, requests } = client(wire, forms);
  expect(await complete()).toBeNull();
  expect(requests()).toBe(1);
});

test.each(SILENT)("%s on %s says nothing: less is sent", async (_, wire, forms) => {
  const prepared = await proxied(wire);
  expect(prepared.cutOff(forms.whole)).not.toBeNull();
  expect(await prepared.cutOffStream(streamOf(forms))).not.toBeNull();
});

/** Turns before the one whose answer is at stake: less could be sent. */
const TURNS = 8;
const LONG = "some words of a person ".repeat(200);

/** A history of turns. */
function historyOf(wire: KeptName): Fields[] {
  const { said, replied } = ITEM_FORMS[wire];
  const turns = Array.from({ length: TURNS }, (_, turn) => [said(`${turn}: ${LONG}`), replied(`Yes, ${turn}.`)]);
  return [...turns.flat(), said("Go.")].map(fieldsOf);
}

/** A server that counts its requests, and answers all alike. */
function counting(answer: Fields) {
  const seen = { requests: 0 };
  const call = async () => {
    seen.requests += 1;
    return given(answer);
  };
  return { call, requests: () => seen.requests };
}

async function askedByDropIn(wire: Wire | "langchain", answer: Fields): Promise<number> {
  const { call, requests } = counting(answer);
  await COMPACTORS[wire](OPTIONS).send(historyOf(wire), call);
  return requests();
}

const YES: { readonly [wire in SessionWire]: Forms } = {
  anthropic: messages({ type: "text", text: "Yes." }),
  "openai-chat": chat({ content: "Yes." }),
  "openai-responses": responses({ type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] }),
};

async function askedBySession(wire: SessionWire, answer: Fields): Promise<number> {
  const session = await WIRE_SESSIONS[wire]({ ...OPTIONS, model: "m" });
  for (let turn = 0; turn < TURNS; turn += 1) {
    session.user(`${turn}: ${LONG}`);
    await session.send(counting(YES[wire].whole).call);
  }
  const { call, requests } = counting(answer);
  session.user("Go.");
  await session.send(call);
  return requests();
}

const DECODED = {
  anthropic: [decodeAnthropic, decodeAnthropicStream],
  "openai-chat": [decodeOpenAiChat, decodeOpenAiChatStream],
  "openai-responses": [decodeOpenAiResponse, decodeOpenAiResponsesStream],
} as const;

/** An agent behind our client, which streams; its run's error. */
function client(wire: keyof typeof DECODED, { whole, events }: Forms) {
  const { call, requests } = counting(whole);
  const [decode, decodeStream] = DECODED[wire];
  const driver = {
    source: { provider: "test", key: "none" },
    rules: OPENAI_CHAT_WIRE_RULES,
    maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
    encode: () => ({}),
    send: call,
    stream: async () => {
      await call();
      return (async function* () {
        yield* events;
      })();
    },
    decode,
    decodeStream: (all: AsyncIterable<unknown>): AsyncIterable<DriverEvent> => decodeStream(all),
  };
  const retry = { maximumAttempts: 3, firstWaitMs: 0, maximumWaitMs: 0 };
  const complete = async () => {
    const agent = await startAgent({
      session: { kind: "new", sessionId: "s", system: "" },
      sessions: createMemorySessionStore(),
      artifacts: createMemoryArtifactStore(),
      model: {
        client: createModelClient(driver, { retry, wait: async () => undefined }),
        modelId: "m",
        limits: OPTIONS.limits,
      },
      ...{ policy: PLIMSOLL_POLICY, tools: [], nowMs: () => 0 },
    });
    return (await agent.submit("Go.")).error;
  };
  return { complete, requests };
}

test("a library's message with a call that it could not read is an answer", async () => {
  const message = { content: "", response_metadata: { finish_reason: "stop" } };
  expect(await askedByDropIn("langchain", { ...message, invalid_tool_calls: [{ name: "look", args: "{", id: "c" }] })).toBe(1);
  expect(await askedByDropIn("langchain", message)).toBeGreaterThan(1);
});

const START = { type: "stream-start", warnings: [] };
const SOURCE = { type: "source", sourceType: "url", id: "s", url: "https://example.com" };
const FINISH = {
  ...{ type: "finish", finishReason: { unified: "stop" } },
  usage: { inputTokens: { total: 10 }, outputTokens: { total: 1 } },
};
const streamError = (error: unknown) => [START, { type: "error", error }, FINISH];

test.each<[string, readonly unknown[], number]>([
  ["with a source alone is passed on as it came", [START, SOURCE, FINISH], 1],
  ["with an error that nothing mends, too", streamError({ type: "authentication_error", message: "key" }), 1],
  ["with a text for an error, too", streamError("invalid_api_key"), 1],
  ["that is refused for its size is asked for with less", streamError({ error: { message: "prompt is too long" } }), 2],
])("a stream of a library %s", async (_, all, expected) => {
  const { wrapStream } = createCompactionMiddleware(OPTIONS);
  const parts = given(all);
  let requests = 0;
  const model = new MockLanguageModelV3({
    doStream: async () => {
      requests += 1;
      return { stream: convertArrayToReadableStream(requests === 1 ? parts : given([START, SOURCE, FINISH])) };
    },
  });
  const params = given({ prompt: historyOf("ai-sdk") });
  const { stream } = await wrapStream({
    params,
    model,
    doGenerate: () => model.doGenerate(params),
    doStream: () => model.doStream(params),
  });
  expect(await convertReadableStreamToArray(stream)).toEqual(expected === 1 ? all : [START, SOURCE, FINISH]);
  expect(requests).toBe(expected);
});
