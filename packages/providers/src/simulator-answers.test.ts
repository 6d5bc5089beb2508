import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { type SimulatedReply, startSimulator } from "@plimsoll/simulator";
import { generateText, type LanguageModel, streamText } from "ai";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  validateChatChunks,
  validateChatResponse,
  validateMessagesEvents,
  validateMessagesResponse,
  validateResponsesEvents,
  validateResponsesResponse,
} from "../testing/vendor-rules/index.ts";
import { startRecorder } from "../testing/vendor-rules/recorder.ts";

const TEXT = { type: "text", text: "Two files are there." } as const;
const REASONING = { type: "reasoning", text: "The folder needs a look." } as const;
const CALL = { type: "tool-call", toolName: "read", argumentsJson: '{"path":"src/a.ts"}' } as const;
const OTHER_CALL = { ...CALL, argumentsJson: "{}" } as const;

const REPLIES: readonly (SimulatedReply & { readonly name: string })[] = [
  { name: "words", parts: [TEXT] },
  { name: "reasoning and words", parts: [REASONING, TEXT] },
  { name: "reasoning, words and two calls", parts: [REASONING, TEXT, CALL, OTHER_CALL] },
  { name: "a call alone", parts: [CALL] },
  { name: "words that were cut", parts: [TEXT], stop: "length" },
  { name: "a refusal", parts: [TEXT], stop: "refusal" },
  { name: "nothing", parts: [] },
];

/** A reply as a reader found it: its words, its reasoning and the arguments of its calls; the words of a refusal are words. */
interface Read {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly unknown[];
}

interface Addresses {
  readonly url: string;
  readonly openAiUrl: string;
}

/** Reads one reply through an SDK, whole or as a stream. */
interface Reader {
  readonly reader: string;
  /** Chat Completions have no field for reasoning that the vendor's SDK knows. */
  readonly reasoning?: "not-told";
  readonly judge: (answer: unknown) => readonly unknown[];
  readonly read: (addresses: Addresses) => Promise<Read>;
}

const joined = (pieces: readonly string[]) => pieces.join("");
const eventsOf = (judge: (events: readonly unknown[]) => readonly unknown[]) => (answer: unknown) =>
  judge(Array.isArray(answer) ? answer : [answer]);

const messagesBody: Anthropic.MessageCreateParamsNonStreaming = {
  model: "claude-opus-5",
  max_tokens: 2_000,
  messages: [{ role: "user", content: "go" }],
};
const chatBody: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: "a-model",
  messages: [{ role: "user", content: "go" }],
};
const responsesBody = { model: "gpt-5", store: false, input: "go" };

const messagesOf = ({ url }: Addresses) => new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0 }).messages;
const openAiOf = ({ openAiUrl }: Addresses) => new OpenAI({ apiKey: "k", baseURL: openAiUrl, maxRetries: 0 });

function messageRead({ content }: Anthropic.Message): Read {
  return {
    text: joined(content.flatMap((block) => (block.type === "text" ? [block.text] : []))),
    reasoning: joined(content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []))),
    calls: content.flatMap((block) => (block.type === "tool_use" ? [block.input] : [])),
  };
}

function completionRead({ choices }: OpenAI.ChatCompletion): Read {
  const [message] = choices.map((choice) => choice.message);
  const calls = message?.tool_calls ?? [];
  return {
    text: message?.content ?? "",
    reasoning: "",
    calls: calls.flatMap((call) => (call.type === "function" ? [JSON.parse(call.function.arguments)] : [])),
  };
}

function responseRead({ output }: Pick<OpenAI.Responses.Response, "output">): Read {
  const contents = output.flatMap((item) => (item.type === "message" ? item.content : []));
  return {
    text: joined(contents.map((part) => (part.type === "output_text" ? part.text : part.refusal))),
    reasoning: joined(output.flatMap((item) => (item.type === "reasoning" ? item.summary.map(({ text }) => text) : []))),
    calls: output.flatMap((item) => (item.type === "function_call" ? [JSON.parse(item.arguments)] : [])),
  };
}

async function readWhole(model: LanguageModel): Promise<Read> {
  const { text, reasoningText, toolCalls } = await generateText({ model, prompt: "go", maxRetries: 0 });
  return { text, reasoning: reasoningText ?? "", calls: toolCalls.map(({ input }) => input) };
}

async function readStream(model: LanguageModel): Promise<Read> {
  const failures: unknown[] = [];
  const onError = ({ error }: { readonly error: unknown }) => void failures.push(error);
  const stream = streamText({ model, prompt: "go", maxRetries: 0, onError });
  const [text, reasoningText, toolCalls] = await Promise.all([stream.text, stream.reasoningText, stream.toolCalls]);
  expect(failures).toEqual([]);
  return { text, reasoning: reasoningText ?? "", calls: toolCalls.map(({ input }) => input) };
}

const claudeOf = ({ url }: Addresses) => createAnthropic({ apiKey: "k", baseURL: `${url}/v1` })("claude-opus-5");
const compatibleOf = ({ openAiUrl }: Addresses) =>
  createOpenAICompatible({ name: "served", apiKey: "k", baseURL: openAiUrl, includeUsage: true })("a-model");

const READERS: readonly Reader[] = [
  {
    reader: "@anthropic-ai/sdk, messages.create",
    judge: validateMessagesResponse,
    read: async (addresses) => messageRead(await messagesOf(addresses).create(messagesBody)),
  },
  {
    reader: "@anthropic-ai/sdk, messages.stream",
    judge: eventsOf(validateMessagesEvents),
    read: async (addresses) => messageRead(await messagesOf(addresses).stream(messagesBody).finalMessage()),
  },
  {
    reader: "openai, chat.completions.create",
    reasoning: "not-told",
    judge: validateChatResponse,
    read: async (addresses) => completionRead(await openAiOf(addresses).chat.completions.create(chatBody)),
  },
  {
    reader: "openai, chat.completions.stream",
    reasoning: "not-told",
    judge: eventsOf(validateChatChunks),
    read: async (addresses) =>
      completionRead(
        await openAiOf(addresses)
          .chat.completions.stream({ ...chatBody, stream: true })
          .finalChatCompletion(),
      ),
  },
  {
    reader: "openai, responses.create",
    judge: validateResponsesResponse,
    read: async (addresses) => responseRead(await openAiOf(addresses).responses.create(responsesBody)),
  },
  {
    reader: "openai, responses.stream",
    judge: eventsOf(validateResponsesEvents),
    read: async (addresses) => responseRead(await openAiOf(addresses).responses.stream(responsesBody).finalResponse()),
  },
  {
    reader: "@ai-sdk/anthropic, generateText",
    judge: validateMessagesResponse,
    read: (addresses) => readWhole(claudeOf(addresses)),
  },
  {
    reader: "@ai-sdk/anthropic, streamText",
    judge: eventsOf(validateMessagesEvents),
    read: (addresses) => readStream(claudeOf(addresses)),
  },
  {
    reader: "@ai-sdk/openai-compatible, generateText",
    judge: validateChatResponse,
    read: (addresses) => readWhole(compatibleOf(addresses)),
  },
  {
    reader: "@ai-sdk/openai-compatible, streamText",
    judge: eventsOf(validateChatChunks),
    read: (addresses) => readStream(compatibleOf(addresses)),
  },
];

function expectedOf({ reasoning }: Reader, { parts }: SimulatedReply): Read {
  const thought = joined(parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])));
  return {
    text: joined(parts.flatMap((part) => (part.type === "text" ? [part.text] : []))),
    reasoning: reasoning === "not-told" ? "" : thought,
    calls: parts.flatMap((part) => (part.type === "tool-call" ? [JSON.parse(part.argumentsJson)] : [])),
  };
}

/** Plays one reply, and returns how the reader read it and how the judge judged it. */
async function played({ read, judge }: Reader, reply: SimulatedReply) {
  const simulator = await startSimulator({ replies: [reply], maximumOutputTokens: 128_000 });
  onTestFinished(() => simulator.close());
  const recorder = await startRecorder(simulator.url);
  onTestFinished(() => recorder.close());
  const found = await read({ url: recorder.url, openAiUrl: `${recorder.url}/v1` });
  return { found, broken: recorder.exchanges().flatMap(({ answer }) => judge(answer)) };
}

test.each([
  ["whole", (openAi: OpenAI) => openAi.responses.create(responsesBody), validateResponsesResponse],
  [
    "as a stream",
    (openAi: OpenAI) => openAi.responses.stream(responsesBody).finalResponse(),
    eventsOf(validateResponsesEvents),
  ],
] as const)("a call of a tool whose input is text is read %s on the Responses wire", async (_, ask, judge) => {
  const script = 'text(await tools.exec_command({ cmd: "ls" }));';
  const reply: SimulatedReply = { parts: [{ type: "tool-call", toolName: "exec", argumentsJson: script, form: "text" }] };
  const simulator = await startSimulator({ replies: [reply], maximumOutputTokens: 128_000 });
  onTestFinished(() => simulator.close());
  const recorder = await startRecorder(simulator.url);
  onTestFinished(() => recorder.close());
  const { output } = await ask(openAiOf({ url: recorder.url, openAiUrl: `${recorder.url}/v1` }));
  expect(output).toMatchObject([{ type: "custom_tool_call", name: "exec", input: script }]);
  expect(recorder.exchanges().flatMap(({ answer }) => judge(answer))).toEqual([]);
});

describe.each(READERS)("$reader", (reader) => {
  test.each(REPLIES)("reads $name, as the vendor's documents tell it", async (reply) => {
    expect(await played(reader, reply)).toEqual({ found: expectedOf(reader, reply), broken: [] });
  });
});
