import { GenerateContentResponse } from "@google/genai";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { type SimulatedReply, startSimulator } from "@plimsoll/simulator";
import { convertArrayToReadableStream, convertReadableStreamToArray, MockLanguageModelV3 } from "ai/test";
import { describe, expect, onTestFinished, test } from "vitest";
import { MATRIX_COLUMNS } from "../testing/matrix-runs.ts";
import { fileText, matrixScript, question, READ_TOOL, SYSTEM } from "../testing/matrix-script.ts";
import { askedOf, SESSION_WIRES, WIRE_SESSIONS } from "../testing/wire-sessions.ts";
import { createCompactionMiddleware } from "./drop-in/ai-sdk.ts";
import { type ArrayCompactor, createArrayCompactor } from "./drop-in/array-compactor.ts";
import { createContentsCompactor } from "./drop-in/google-genai.ts";
import { LANGCHAIN_MESSAGES } from "./drop-in/langchain-messages.ts";

type LanguageModelV3CallOptions = Parameters<MockLanguageModelV3["doGenerate"]>[0];

/** Answers of servers whose window leaves no room for a reply. */
const CUTS: readonly (readonly [string, SimulatedReply])[] = [
  ["length after a word", { parts: [{ type: "text", text: "Wo" }], stop: "length" }],
  ["length after nothing", { parts: [], stop: "length" }],
  ["length without usage", { parts: [{ type: "text", text: "Wo" }], stop: "length", usage: "missing" }],
  [
    "a window stop",
    { parts: [{ type: "text", text: "Words that are some more than a few, up to the window's end." }], stop: "window-full" },
  ],
  ["an end after nothing", { parts: [] }],
];

const TRUE_TOKENS = 20_000;
const STEPS = 14;
const LIMITS = { contextWindowTokens: 100_000, maxOutputTokens: 2_048 };

/** A server that cuts replies to requests larger than its window, which it does not state. */
async function cuttingServer(cut: SimulatedReply) {
  const script = matrixScript("off");
  const seen = { requests: [] as { readonly promptTokens: number; readonly isCut: boolean }[], answered: 0 };
  const simulator = await startSimulator({
    contextWindowTokens: 200_000,
    nowMs: () => 0,
    replies: ({ promptTokens }) => {
      const isCut = promptTokens > TRUE_TOKENS;
      seen.requests.push({ promptTokens, isCut });
      return isCut ? cut : script({ replyIndex: seen.answered++ });
    },
  });
  onTestFinished(() => simulator.close());
  return { simulator, seen };
}

/** Every cut was asked again with less, and no cut reply was taken. */
function expectGoneOn({ seen: { requests, answered } }: Awaited<ReturnType<typeof cuttingServer>>): void {
  const cuts = requests.flatMap(({ isCut }, index) => (isCut ? [index] : []));
  expect(cuts.length).toBeGreaterThan(0);
  expect(answered).toBeGreaterThanOrEqual(STEPS);
  expect(answered + cuts.length).toBe(requests.length);
  for (const at of cuts) {
    const next = requests.slice(at).find(({ isCut }) => !isCut);
    expect(next?.promptTokens).toBeLessThan(requests[at]?.promptTokens ?? 0);
  }
}

const columns = MATRIX_COLUMNS.filter(({ thinking, sdk }) => thinking === "off" && sdk !== "proxy");

describe.each(columns.map((column) => [`${column.sdk}, ${column.wire}, roles ${column.roles}`, column] as const))(
  "%s",
  (_, { play, sdk, wire }) => {
    // An empty reply is asked for anew by our client, with waits; the AI SDK's own provider takes no message without usage.
    const isPlayed = ([name]: (typeof CUTS)[number]) =>
      !(sdk === "own client" && name === "an end after nothing") &&
      !(sdk.startsWith("AI SDK") && wire === "anthropic" && name === "length without usage");
    test.each(CUTS.filter(isPlayed))("goes on with less after %s", { timeout: 60_000 }, async (__, cut) => {
      const server = await cuttingServer(cut);
      const { simulator, seen } = server;
      const { contextWindowTokens: windowTokens } = LIMITS;
      await play({ simulator, policy: PLIMSOLL_POLICY, steps: STEPS, replied: () => seen.answered, windowTokens });
      expectGoneOn(server);
    });
  },
);

const OPTIONS = { policy: PLIMSOLL_POLICY, limits: LIMITS, system: SYSTEM };
const MODELS = { anthropic: "claude-opus-4-5", "openai-chat": "a-model", "openai-responses": "gpt-5" };

describe.each(SESSION_WIRES)("a session on %s", (wire) => {
  test.each(CUTS)("goes on with less after %s", async (__, cut) => {
    const server = await cuttingServer(cut);
    const session = await WIRE_SESSIONS[wire]({ ...OPTIONS, model: MODELS[wire], tools: [READ_TOOL] });
    for (let turn = 0; server.seen.answered < STEPS; turn++) {
      session.user(question(turn));
      let calls = 0;
      do {
        await session.send(askedOf(wire, server.simulator, "whole"));
        calls = session.calls.length;
        for (const { callId, argumentsJson } of session.calls) session.result(callId, fileText(argumentsJson));
      } while (calls > 0);
    }
    expectGoneOn(server);
  });
});

const said = (turn: number) => `${turn}: ${"some words of a person ".repeat(170)}`;

/** Turns of a thousand tokens over an array; a whole answer of a library, or one that the window cut, comes from `answerOf`. */
async function playArray<Item, Answer>(
  compactor: Pick<ArrayCompactor<Item, Answer>, "send">,
  forms: {
    readonly items: (turn: number) => readonly Item[];
    readonly answerOf: (isCut: boolean, promptTokens: number) => Answer;
  },
): Promise<readonly boolean[]> {
  const history: Item[] = [];
  const sizes: { tokens: number; isCut: boolean }[] = [];
  for (let turn = 0; turn < 24; turn++) {
    history.push(...forms.items(turn));
    await compactor.send(history, async (items) => {
      const tokens = Math.ceil(JSON.stringify(items).length / 4);
      sizes.push({ tokens, isCut: tokens > 12_000 });
      return forms.answerOf(tokens > 12_000, tokens);
    });
    expect(sizes.at(-1)?.isCut).toBe(false);
  }
  return sizes.map(({ isCut }) => isCut);
}

describe.each([
  ["after a word", "Wo"],
  ["after nothing", ""],
])("a library whose reply ends %s goes on with less:", (_, text) => {
  test("Gemini contents", async () => {
    const compactor = createContentsCompactor({ policy: PLIMSOLL_POLICY, limits: LIMITS }, "unused");
    const cuts = await playArray(compactor, {
      items: (turn) => [
        ...(turn === 0 ? [] : [{ role: "model", parts: [{ text: "Yes." }] }]),
        { role: "user", parts: [{ text: said(turn) }] },
      ],
      answerOf: (isCut, promptTokenCount) =>
        Object.assign(new GenerateContentResponse(), {
          candidates: [
            {
              finishReason: isCut ? "MAX_TOKENS" : "STOP",
              content: { role: "model", parts: [{ text: isCut ? text : "Yes." }] },
            },
          ],
          usageMetadata: { promptTokenCount, candidatesTokenCount: 1 },
        }),
    });
    expect(cuts).toContain(true);
  });

  test.each([
    ["finish_reason", "length", "stop"],
    ["stop_reason", "max_tokens", "end_turn"],
  ])("LangChain messages with a %s", async (key, cut, end) => {
    const compactor = createArrayCompactor(LANGCHAIN_MESSAGES, { policy: PLIMSOLL_POLICY, limits: LIMITS });
    const cuts = await playArray<BaseMessage, BaseMessage>(compactor, {
      items: (turn) => [...(turn === 0 ? [] : [new AIMessage("Yes.")]), new HumanMessage(said(turn))],
      answerOf: (isCut, input_tokens) =>
        Object.assign(new AIMessage(isCut ? text : "Yes."), {
          response_metadata: { [key]: isCut ? cut : end },
          usage_metadata: { input_tokens, output_tokens: 1, total_tokens: input_tokens + 1 },
        }),
    });
    expect(cuts).toContain(true);
  });

  test.each(["stream", "generate"] as const)("AI SDK's middleware, %s", async (form) => {
    const { wrapGenerate, wrapStream } = createCompactionMiddleware({ policy: PLIMSOLL_POLICY, limits: LIMITS });
    const prompts: { readonly tokens: number; readonly text: string }[] = [];
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        const { content, finishReason, usage } = answered(prompt);
        return { content: [{ type: "text", text: content }], finishReason, usage, warnings: [] };
      },
      doStream: async ({ prompt }) => {
        const { content, finishReason, usage } = answered(prompt);
        return {
          stream: convertArrayToReadableStream([
            { type: "stream-start", warnings: [] },
            { type: "text-start", id: "0" },
            ...(content === "" ? [] : [{ type: "text-delta", id: "0", delta: content } as const]),
            { type: "text-end", id: "0" },
            { type: "finish", finishReason, usage },
          ]),
        };
      },
    });
    const answered = (prompt: unknown) => {
      const tokens = Math.ceil(JSON.stringify(prompt).length / 4);
      const isCut = tokens > 12_000;
      const content = isCut ? text : "Yes.";
      prompts.push({ tokens, text: content });
      const finishReason = { unified: isCut ? "length" : "stop", raw: undefined } as const;
      const usage = {
        inputTokens: { total: tokens, noCache: tokens, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      };
      return { content, finishReason, usage };
    };
    const params: LanguageModelV3CallOptions = { prompt: [] };
    for (let turn = 0; turn < 24; turn++) {
      params.prompt.push({ role: "user", content: [{ type: "text", text: said(turn) }] });
      const given = { params, model, doGenerate: () => model.doGenerate(params), doStream: () => model.doStream(params) };
      if (form === "generate") await wrapGenerate(given);
      else {
        const { stream } = await wrapStream(given);
        const parts = await convertReadableStreamToArray(stream);
        expect(parts.map(({ type }) => type)).toEqual(["stream-start", "text-start", "text-delta", "text-end", "finish"]);
      }
      params.prompt.push({ role: "assistant", content: [{ type: "text", text: "Yes." }] });
      expect(prompts.at(-1)?.text).toBe("Yes.");
    }
    expect(prompts.map(({ text: each }) => each)).toContain(text);
  });
});
