import type Anthropic from "@anthropic-ai/sdk";
import type { LanguageModelMiddleware } from "ai";
import { MockLanguageModelV3 } from "ai/test";
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
      const model = new MockLanguageModelV3({
        doGenerate: async ({ prompt }) => {
          const total = await provider(JSON.stringify(prompt));
          return {
            content: [{ type: "text", text: "seen" }],
            finishReason: { unified: "stop", raw: "stop" },
            usage: {
              inputTokens: { total, noCache: undefined, cacheRead: total, cacheWrite: 0 },
              outputTokens: { total: 10, text: 10, reasoning: 0 },
            },
            response: { id: requestIdOf(turns), modelId: "simulated" },
            warnings: [],
          };
        },
      });
      const providerOptions = key === undefined ? {} : { providerOptions: { plimsoll: { conversation: key } } };
      const params: Params = { prompt: items(turns), ...providerOptions };
      const doGenerate = () => model.doGenerate(params);
      const doStream = () => model.doStream(params);
      await middleware.wrapGenerate({ params, model, doGenerate, doStream });
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
  return {
    id,
    type: "message",
    role: "assistant",
    model: "claude-simulated",
    content: [{ type: "text", text: "seen", citations: null }],
    stop_reason: "end_turn",
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      input_tokens: tokens - cache_read_input_tokens,
      output_tokens: 10,
      cache_creation: null,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens,
      inference_geo: null,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: null,
      speed: null,
    },
  };
}

/** The answer on this wire. */
export function chatAnswer(id: string, prompt_tokens: number, cached_tokens: number = prompt_tokens): OpenAI.ChatCompletion {
  const prompt_tokens_details = { cached_tokens };
  return {
    id,
    object: "chat.completion",
    created: 0,
    model: "simulated",
    choices: [],
    usage: { prompt_tokens, completion_tokens: 10, total_tokens: prompt_tokens + 10, prompt_tokens_details },
  };
}

/** The answer on this wire. */
export function responsesAnswer(
  id: string,
  input_tokens: number,
  cached_tokens: number = input_tokens,
): OpenAI.Responses.Response {
  const [input_tokens_details, output_tokens_details] = [{ cached_tokens, cache_write_tokens: 0 }, { reasoning_tokens: 0 }];
  const usage = {
    input_tokens,
    output_tokens: 10,
    total_tokens: input_tokens + 10,
    input_tokens_details,
    output_tokens_details,
  };
  return {
    id,
    object: "response",
    created_at: 0,
    model: "simulated",
    output: [],
    output_text: "",
    usage,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: null,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
  };
}
