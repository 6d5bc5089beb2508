import Anthropic from "@anthropic-ai/sdk";
import type { SimulatedReply, Simulator } from "@plimsoll/simulator";
import OpenAI from "openai";
import { createAnthropicSession } from "../src/anthropic/session.ts";
import { createChatSession } from "../src/openai-chat/session.ts";
import { createResponsesSession } from "../src/openai-responses/session.ts";
import type { SdkSession, SdkSessionOptions } from "../src/session/session.ts";

/** The name of a wire that has sessions. */
export type SessionWire = "anthropic" | "openai-chat" | "openai-responses";
/** A session of any wire, whose requests and answers pass unread. */
type AnySession = SdkSession<unknown, never>;

/** Options of a session on any wire. Its requests ask for the longest reply of the limits. */
interface WireSessionOptions extends SdkSessionOptions {
  readonly model: string;
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly parameters: { readonly type: "object"; readonly properties?: object };
  }[];
}

const mostOf = ({ limits }: SdkSessionOptions) => limits?.maxOutputTokens ?? 1_000;

/** Opens a session on each wire. */
export const WIRE_SESSIONS: { readonly [wire in SessionWire]: (options: WireSessionOptions) => Promise<AnySession> } = {
  anthropic: async ({ model, tools = [], ...options }) => {
    const own = tools.map(({ parameters, ...named }) => ({ ...named, input_schema: { ...parameters } }));
    return await createAnthropicSession({ ...options, request: { model, max_tokens: mostOf(options), tools: own } });
  },
  "openai-chat": async ({ model, tools = [], ...options }) => {
    const own = tools.map(({ parameters, ...named }) => ({ ...named, parameters: { ...parameters } }));
    const functions = own.map((each) => ({ type: "function" as const, function: each }));
    return await createChatSession({
      ...options,
      request: { model, max_completion_tokens: mostOf(options), tools: functions },
    });
  },
  "openai-responses": async ({ model, tools = [], ...options }) => {
    const own = tools.map(({ parameters, ...named }) => ({ ...named, parameters: { ...parameters } }));
    const functions = own.map((each) => ({ type: "function" as const, strict: false, ...each }));
    return await createResponsesSession({
      ...options,
      request: { model, max_output_tokens: mostOf(options), tools: functions },
    });
  },
};

/** Names of the wires that have sessions. */
export const SESSION_WIRES: readonly SessionWire[] = ["anthropic", "openai-chat", "openai-responses"];

/** Asks a server for a whole answer, or for a streamed one, by the vendor's own client. Its types are its wire's. */
export function askedOf(wire: SessionWire, { url, openAiUrl }: Simulator, how: "whole" | "streamed"): never {
  const { messages } = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
  const { chat, responses } = new OpenAI({ apiKey: "key", baseURL: openAiUrl, maxRetries: 0 });
  const usage = { stream_options: { include_usage: true } };
  const calls = {
    anthropic: {
      whole: (body: Anthropic.MessageCreateParamsNonStreaming) => messages.create(body),
      streamed: (body: Anthropic.MessageStreamParams) => messages.stream(body).finalMessage(),
    },
    "openai-chat": {
      whole: (body: OpenAI.ChatCompletionCreateParamsNonStreaming) => chat.completions.create(body),
      streamed: (body: OpenAI.ChatCompletionCreateParamsNonStreaming) =>
        chat.completions.stream({ ...body, ...usage, stream: true }).finalChatCompletion(),
    },
    "openai-responses": {
      whole: (body: OpenAI.Responses.ResponseCreateParamsNonStreaming) => responses.create(body),
      streamed: (body: Parameters<typeof responses.stream>[0]) => responses.stream(body).finalResponse(),
    },
  };
  return calls[wire][how] as never;
}

/** Two calls a reply, behind what is said before them; a text at the end. */
export function readsTwo(replyIndex: number, steps: number, said: SimulatedReply["parts"] = []): SimulatedReply {
  const calls = ["a", "b"].map((name) => {
    const argumentsJson = JSON.stringify({ path: `${name}-${replyIndex}.ts` });
    return { type: "tool-call", toolName: "read_file", argumentsJson } as const;
  });
  return { parts: replyIndex < steps ? [...said, ...calls] : [{ type: "text", text: "All files are read." }] };
}
