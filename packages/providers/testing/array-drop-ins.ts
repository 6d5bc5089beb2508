import type Anthropic from "@anthropic-ai/sdk";
import type { LanguageModelMiddleware } from "ai";
import { convertArrayToReadableStream, convertReadableStreamToArray, MockLanguageModelV3 } from "ai/test";
import type OpenAI from "openai";
import { createCompactionMiddleware } from "../src/drop-in/ai-sdk.ts";
import { createMessagesCompactor } from "../src/drop-in/anthropic.ts";
import type { ArrayCompactor } from "../src/drop-in/array-compactor.ts";
import { createChatCompactor } from "../src/drop-in/openai-chat.ts";
import { createItemsCompactor } from "../src/drop-in/openai-responses.ts";
import type { CompactorOptions } from "../src/drop-in/request.ts";
import type { ContractTurn } from "../src/testing/index.ts";
import { turnItems } from "./item-forms.ts";

/** Answers a request with its prompt's tokens, or rejects. */
export type Provider = (sentJson: string) => Promise<number>;

/** One request of a conversation: the whole history so far, as a caller resends it. */
export interface PlayedRequest {
  readonly turns: readonly ContractTurn[];
  readonly provider: Provider;
  /** The caller's key; the history decides if it is left out. */
  readonly key?: string;
}

/** A drop-in that is played by turns, with arrays of any kind. */
export interface PlayedDropIn {
  send(request: PlayedRequest): Promise<void>;
  close(): Promise<void>;
}

/** A kind of drop-in. */
export interface DropInKind {
  readonly name: string;
  readonly open: (options: CompactorOptions) => PlayedDropIn;
}

/** All drop-ins. */
export const DROP_INS: readonly DropInKind[] = [
  {
    name: "Anthropic messages",
    open: (options) => playing(createMessagesCompactor(options), turnItems("anthropic"), anthropicAnswer),
  },
  {
    name: "Chat Completions messages",
    open: (options) => playing(createChatCompactor(options), turnItems("openai-chat"), chatAnswer),
  },
  {
    name: "Responses items",
    open: (options) => playing(createItemsCompactor(options), turnItems("openai-responses"), responsesAnswer),
  },
  { name: "AI SDK middleware", open: playingMiddleware },
];

/** The items of turns, the same objects at each call: callers append to one array. */
function itemsOf<Item>(make: (turn: ContractTurn) => readonly Item[]): (turns: readonly ContractTurn[]) => Item[] {
  const made = new WeakMap<ContractTurn, readonly Item[]>();
  return (turns) =>
    turns.flatMap((turn) => {
      const items = made.get(turn) ?? make(turn);
      made.set(turn, items);
      return items;
    });
}

function playing<Item, Answer>(
  compactor: ArrayCompactor<Item, Answer>,
  make: (turn: ContractTurn) => readonly Item[],
  answerOf: (requestId: string, promptTokens: number, cachedTokens?: number) => Answer,
): PlayedDropIn {
  const items = itemsOf(make);
  return {
    send: async ({ turns, provider, key }) => {
      const call = async (sent: readonly Item[]) => answerOf(requestIdOf(turns), await provider(JSON.stringify(sent)));
      await compactor.send(items(turns), call, key === undefined ? {} : { conversation: key });
    },
    close: compactor.close,
  };
}

type Params = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0]["params"];

function playingMiddleware(options: CompactorOptions): PlayedDropIn {
  const middleware = createCompactionMiddleware(options);
  const items = itemsOf(turnItems("ai-sdk"));
  return {
    send: async ({ turns, provider, key }) => {
      const id = requestIdOf(turns);
      const answered = async (prompt: unknown) => {
        const total = await provider(JSON.stringify(prompt));
        const inputTokens = { total, noCache: undefined, cacheRead: total, cacheWrite: 0 };
        const usage = { inputTokens, outputTokens: { total: 10, text: 10, reasoning: 0 } };
        return { usage, finishReason: { unified: "stop", raw: "stop" } } as const;
      };
      const model = new MockLanguageModelV3({
        doGenerate: async ({ prompt }) => ({
          ...(await answered(prompt)),
          content: [{ type: "text", text: "seen" }],
          response: { id, modelId: "simulated" },
          warnings: [],
        }),
        doStream: async ({ prompt }) => {
          const finish = await answered(prompt);
          return {
            stream: convertArrayToReadableStream([
              { type: "response-metadata", id, modelId: "simulated" },
              { type: "text-delta", id: "0", delta: "seen" },
              { type: "finish", ...finish },
            ]),
          };
        },
      });
      const providerOptions = key === undefined ? {} : { providerOptions: { plimsoll: { conversation: key } } };
      const params: Params = { prompt: items(turns), ...providerOptions };
      const doGenerate = () => model.doGenerate(params);
      const doStream = () => model.doStream(params);
      const given = { params, model, doGenerate, doStream };
      // Every second request streams.
      if (turns.length % 2 === 1) await middleware.wrapGenerate(given);
      else await convertReadableStreamToArray((await middleware.wrapStream(given)).stream);
    },
    close: middleware.close,
  };
}

/** Distinguishes the requests of one conversation, and is the same for every player. */
function requestIdOf(turns: readonly ContractTurn[]): string {
  return `request_${turns.length}`;
}

/** An answer of the Messages API. */
export function anthropicAnswer(id: string, tokens: number, cache_read_input_tokens: number = tokens): Anthropic.Message {
  const cache = { cache_creation_input_tokens: 0, cache_read_input_tokens };
  return Object({
    ...{ id, type: "message", role: "assistant", model: "claude-simulated", stop_reason: "end_turn" },
    content: [{ type: "text", text: "seen" }],
    usage: { input_tokens: tokens - cache_read_input_tokens, output_tokens: 10, ...cache },
  });
}

/** The answer on this wire. */
export function chatAnswer(id: string, prompt_tokens: number, cached_tokens: number = prompt_tokens): OpenAI.ChatCompletion {
  const usage = { prompt_tokens, completion_tokens: 10, prompt_tokens_details: { cached_tokens } };
  return Object({ id, object: "chat.completion", model: "simulated", choices: [], usage });
}

/** The answer on this wire. */
export function responsesAnswer(
  id: string,
  input_tokens: number,
  cached_tokens: number = input_tokens,
): OpenAI.Responses.Response {
  const usage = { input_tokens, output_tokens: 10, input_tokens_details: { cached_tokens } };
  return Object({ id, object: "response", model: "simulated", output: [], usage });
}
