import { usageOf } from "@plimsoll/core";
import { isRecord, option } from "@plimsoll/core/extend";
import type { LanguageModelMiddleware } from "ai";
import { ReportedError } from "../client/failure.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { toolSpecsOf } from "../wire/tools.ts";
import { inTurn, joinedSystem, type TurnRules } from "../wire/turns.ts";
import type { ArrayRequest } from "./array-compactor.ts";
import { changedMessages, encoded, leftMessages, MODEL_MESSAGES, turnsOf } from "./model-messages.ts";
import { type CompactorOptions, vendorHistoryIn } from "./request.ts";
import { WHOLE_ITEMS, type WireArray } from "./wire-array.ts";
import { createWrapper, type Offered } from "./wrapper.ts";

type Generate = NonNullable<LanguageModelMiddleware["wrapGenerate"]>;
type Stream = NonNullable<LanguageModelMiddleware["wrapStream"]>;
type StreamPart = Awaited<ReturnType<Stream>>["stream"] extends ReadableStream<infer Part> ? Part : never;
type Params = Parameters<Generate>[0]["params"];
type Model = Pick<Parameters<Generate>[0]["model"], "modelId">;
/** A message of a model's prompt. */
export type PromptMessage = Params["prompt"][number];

/** A middleware for `wrapLanguageModel`, with the further functions of its compactor. */
export type CompactionMiddleware = Required<
  Pick<LanguageModelMiddleware, "specificationVersion" | "wrapGenerate" | "wrapStream">
> &
  Offered<PromptMessage>;

/** Options of the middleware. */
export interface MiddlewareOptions extends CompactorOptions {
  /**
   * Names a call's conversation: a user's or a thread's id. By default, or if it returns `null`, the call's `providerOptions.plimsoll.conversation` is the name; without
   * that the history decides.
   */
  readonly conversation?: (params: Params) => string | null;
}

/**
 * Makes a language-model middleware that sends a compacted prompt in place of the whole one. If the provider says that it does not fit, it compacts
 * further and sends again, as often as the policy allows. It keeps the call's model, and the requested reply (by default that of `limits`) as long as that fits beside the prompt. One middleware serves any number of conversations at once.
 *
 * @throws PlimsollError `bad-input` if the SDK is installed in an unsupported version.
 */
export function createCompactionMiddleware(options: MiddlewareOptions): CompactionMiddleware {
  const { compactor, offered, noteVendors, hidden, replyFacts, ...wrapper } = createWrapper(PROMPTS, ["ai"], options);
  const keyOf = (params: Params) => {
    const own = recordAt(params.providerOptions, "plimsoll");
    if (own !== null) option.check("providerOptions.plimsoll", OWN_OPTIONS, own);
    return wrapper.keyOf(params) ?? stringAt(own, "conversation");
  };
  /** True if the provider's own options name a history that the vendor keeps: `plimsoll.conversation` is none. */
  const isAtVendor = (params: Params) => {
    const { plimsoll: _, ...providers } = params.providerOptions ?? {};
    const named = Object.values(providers)
      .map(vendorHistoryIn)
      .find((each) => each !== null);
    if (named !== undefined && named !== null) noteVendors(named, keyOf(params));
    return named !== undefined;
  };
  const requestOf = (params: Params, { modelId }: Model, reply: Reply): ArrayRequest<unknown> => {
    const key = keyOf(params);
    const { abortSignal: signal } = params;
    const asked = replyFacts(params.maxOutputTokens, (tokens) => {
      reply.maxOutputTokens = tokens;
    });
    return {
      ...asked,
      modelId,
      tools: toolSpecsOf(params.tools),
      isRepeated: true,
      ...(key === null ? {} : { conversation: key }),
      ...(signal === undefined ? {} : { signal }),
    };
  };
  const wrapGenerate: Generate = async ({ params, model }) => {
    if (isAtVendor(params)) return await model.doGenerate({ ...params, prompt: hidden(params.prompt) });
    const reply: Reply = {};
    return await compactor.send(
      params.prompt,
      (prompt) => model.doGenerate({ ...params, ...reply, prompt: promptFor(model, prompt) }),
      requestOf(params, model, reply),
    );
  };
  const wrapStream: Stream = async ({ params, model }) => {
    if (isAtVendor(params)) return await model.doStream({ ...params, prompt: hidden(params.prompt) });
    let sent: readonly PromptMessage[] = [];
    const reply: Reply = {};
    let refused: Awaited<ReturnType<typeof begun>> | null = null;
    const begun = async (prompt: PromptMessage[]) => {
      const { stream: whole, ...given } = await model.doStream({ ...params, ...reply, prompt: promptFor(model, prompt) });
      return { ...given, ...(await held(whole)) };
    };
    const call = async (prompt: PromptMessage[]) => {
      sent = prompt;
      const answer = await begun(prompt);
      if (answer.failure === undefined) return answer;
      refused = answer;
      throw answer.failure;
    };
    // An error that nothing mends is the stream's, as it came.
    const answered = compactor.send(params.prompt, call, requestOf(params, model, reply)).catch((error: unknown) => {
      if (refused === null || refused.failure !== error) throw error;
      return refused;
    });
    const { stream, finishReason: _reason, text: _text, failure: _failure, ...rest } = await answered;
    // This request was answered: a report that could not be written is written with the next one, which fails if that cannot be, either.
    const tell = (answer: unknown) => void compactor.observe(sent, answer).catch(() => undefined);
    return { ...rest, stream: stream.pipeThrough(observed(tell)) };
  };
  return Object.assign(offered, { specificationVersion: "v3", wrapGenerate, wrapStream } as const);
}

const OWN_OPTIONS = option.schema<{ readonly conversation?: string | null }>({
  conversation: option.text.nullable().optional(),
});

type Reply = { maxOutputTokens?: number };

/** A reply that its window ended has a word or two; chosen. */
const HELD_CHARS = 64;

/** Parts that say nothing yet. */
const PRELUDE: readonly unknown[] = ["stream-start", "response-metadata", "text-start", "text-end", "raw"];

/** A stream whose beginning was held back until its first content; one that ended before says how, as a whole answer does, and one that began with an error gives that. */
async function held(
  whole: ReadableStream<StreamPart>,
): Promise<{ stream: ReadableStream<StreamPart>; finishReason?: unknown; text?: string; failure?: Error }> {
  const reader = whole.getReader();
  const parts: StreamPart[] = [];
  let text = "";
  let ending: Extract<StreamPart, { readonly type: "finish" }> | null = null;
  let failure: Error | null = null;
  while (text.length <= HELD_CHARS) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    if (value.type === "finish") ending = value;
    if (value.type === "error" && text === "") failure = failureIn(value.error);
    if (value.type === "text-delta") text += value.delta;
    else if (!PRELUDE.includes(value.type)) break;
  }
  reader.releaseLock();
  const rest = new TransformStream<StreamPart, StreamPart>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
    },
  });
  const stream = whole.pipeThrough(rest);
  if (failure !== null) return { stream, failure };
  return ending === null ? { stream } : { stream, finishReason: ending.finishReason, text };
}

function failureIn(error: unknown): Error {
  if (error instanceof Error) return error;
  return new ReportedError(recordAt(error, "error") ?? (isRecord(error) ? error : { message: String(error) }));
}

function observed(tell: (answer: unknown) => void): TransformStream<StreamPart, StreamPart> {
  let response: unknown = null;
  return new TransformStream({
    transform: (part, controller) => {
      if (part.type === "response-metadata") response = part;
      if (part.type === "finish") tell({ usage: part.usage, response });
      controller.enqueue(part);
    },
  });
}

/** The prompt in the model's own form, and as the provider's wire needs it: user and assistant in turn, the user first. */
function promptFor(model: { readonly provider: string }, given: PromptMessage[]): PromptMessage[] {
  const prompt =
    stringAt(model, "specificationVersion") === TAGGED_VERSION ? given.map(withTaggedFiles).filter(isPrompt) : given;
  const turns = turnsOf(model.provider);
  return turns === null ? prompt : [...inTurn(prompt, { ...PROMPT_TURNS, ...turns })];
}

const PROMPT_TURNS: TurnRules<PromptMessage> = {
  roleOf: ({ role }) => role,
  said: (role, text) => ({ role, content: [{ type: "text", text }] }),
  join: (first, second) => {
    if (first.role === "user" && second.role === "user")
      return { ...first, ...second, content: [...first.content, ...second.content] };
    return first.role === "system" && second.role === "system" ? joinedSystem(first, second) : null;
  },
  userAfterTool: "reject",
};

/** The version of a model's prompts, with version 7 of the SDK, in which the bytes and addresses of files are tagged with their kind. */
const TAGGED_VERSION = "v4";

/** The message with its files' data tagged; data from the SDK is tagged already, and stays unchanged. */
function withTaggedFiles(message: PromptMessage): unknown {
  const isPlain = ({ type, data }: Fields) => type === "file" && (typeof data === "string" || data instanceof URL);
  const parts = message.role === "user" ? recordsAt(message, "content") : [];
  if (!parts.some(isPlain)) return message;
  const tagged = ({ data }: Fields) => (data instanceof URL ? { type: "url", url: data } : { type: "data", data });
  return { ...message, content: parts.map((part) => (isPlain(part) ? { ...part, data: tagged(part) } : part)) };
}

/** Versions 6 and 7 of the SDK differ only in the types of a prompt's files, and the present one is found at run time. */
function isPrompt(message: unknown): message is PromptMessage {
  return stringAt(message, "role") !== null;
}

/** The prompts of a model's calls, and the usage of its answers. */
export const PROMPTS: WireArray<PromptMessage, unknown> = {
  ...WHOLE_ITEMS,
  ...MODEL_MESSAGES,
  encode: (messages) => messages.map((message): unknown => encoded(message)).filter(isPrompt),
  changed: changedMessages,
  left: leftMessages,
  turns: PROMPT_TURNS,
  observed: (answer) => {
    const usage = recordAt(answer, "usage");
    const input = recordAt(usage, "inputTokens");
    const output = recordAt(usage, "outputTokens");
    const response = recordAt(answer, "response");
    if (usage === null) return null;
    return {
      requestId: stringAt(response, "id") ?? "",
      modelId: stringAt(response, "modelId") ?? "",
      usage: usageOf({
        totalInputTokens: numberAt(input, "total"),
        uncachedTokens: numberAt(input, "noCache"),
        cacheReadTokens: numberAt(input, "cacheRead"),
        cacheWriteTokens: numberAt(input, "cacheWrite"),
        cacheWriteOneHourTokens: numberAt(recordAt(recordAt(usage, "raw"), "cache_creation"), "ephemeral_1h_input_tokens"),
        outputTokens: numberAt(output, "total"),
        reasoningTokens: numberAt(output, "reasoning"),
        raw: jsonValueOf(usage),
      }),
    };
  },
};
