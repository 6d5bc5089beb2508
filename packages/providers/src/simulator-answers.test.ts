import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { type SimulatedReply, startSimulator } from "@plimsoll/simulator";
import { generateText, type LanguageModel, streamText } from "ai";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { HEADERS } from "../testing/media-loop.ts";

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
  readonly read: (addresses: Addresses) => Promise<Read>;
}

const joined = (pieces: readonly string[]) => pieces.join("");
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
    read: async (addresses) => messageRead(await messagesOf(addresses).create(messagesBody)),
  },
  {
    reader: "@anthropic-ai/sdk, messages.stream",
    read: async (addresses) => messageRead(await messagesOf(addresses).stream(messagesBody).finalMessage()),
  },
  {
    reader: "openai, chat.completions.create",
    reasoning: "not-told",
    read: async (addresses) => completionRead(await openAiOf(addresses).chat.completions.create(chatBody)),
  },
  {
    reader: "openai, chat.completions.stream",
    reasoning: "not-told",
    read: async (addresses) =>
      completionRead(
        await openAiOf(addresses)
          .chat.completions.stream({ ...chatBody, stream: true })
          .finalChatCompletion(),
      ),
  },
  {
    reader: "openai, responses.create",
    read: async (addresses) => responseRead(await openAiOf(addresses).responses.create(responsesBody)),
  },
  {
    reader: "openai, responses.stream",
    read: async (addresses) => responseRead(await openAiOf(addresses).responses.stream(responsesBody).finalResponse()),
  },
  { reader: "@ai-sdk/anthropic, generateText", read: (addresses) => readWhole(claudeOf(addresses)) },
  { reader: "@ai-sdk/anthropic, streamText", read: (addresses) => readStream(claudeOf(addresses)) },
  { reader: "@ai-sdk/openai-compatible, generateText", read: (addresses) => readWhole(compatibleOf(addresses)) },
  { reader: "@ai-sdk/openai-compatible, streamText", read: (addresses) => readStream(compatibleOf(addresses)) },
];

function expectedOf({ reasoning }: Reader, { parts }: SimulatedReply): Read {
  const thought = joined(parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])));
  return {
    text: joined(parts.flatMap((part) => (part.type === "text" ? [part.text] : []))),
    reasoning: reasoning === "not-told" ? "" : thought,
    calls: parts.flatMap((part) => (part.type === "tool-call" ? [JSON.parse(part.argumentsJson)] : [])),
  };
}

async function started(reply: SimulatedReply): Promise<Addresses> {
  const simulator = await startSimulator({ replies: [reply], maximumOutputTokens: 128_000 });
  onTestFinished(() => simulator.close());
  return simulator;
}

test.each([
  ["whole", (openAi: OpenAI) => openAi.responses.create(responsesBody)],
  ["as a stream", (openAi: OpenAI) => openAi.responses.stream(responsesBody).finalResponse()],
] as const)("a call of a tool whose input is text is read %s on the Responses wire", async (_, ask) => {
  const script = 'text(await tools.exec_command({ cmd: "ls" }));';
  const call = { type: "tool-call", toolName: "exec", argumentsJson: script, form: "text" } as const;
  const { output } = await ask(openAiOf(await started({ parts: [call] })));
  expect(output).toMatchObject([{ type: "custom_tool_call", name: "exec", input: script }]);
});

describe.each(READERS)("$reader", (reader) => {
  test.each(REPLIES)("reads $name", async (reply) => {
    expect(await reader.read(await started(reply))).toEqual(expectedOf(reader, reply));
  });
});

const [word, count] = [expect.any(String), expect.any(Number)];

// The fields as the vendors' documents have them: a field that no SDK reads is missed too.
test.each([
  [
    "/v1/messages",
    messagesBody,
    {
      ...{ id: word, type: "message", role: "assistant", model: word, stop_reason: "tool_use", stop_sequence: null },
      content: [
        { type: "thinking", thinking: REASONING.text, signature: word },
        { type: "text", text: TEXT.text },
        { type: "tool_use", id: word, name: "read", input: { path: "src/a.ts" } },
      ],
      usage: {
        ...{ input_tokens: count, output_tokens: count, cache_read_input_tokens: count, cache_creation_input_tokens: count },
        cache_creation: { ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count },
      },
    },
  ],
  [
    "/v1/chat/completions",
    chatBody,
    {
      ...{ id: word, object: "chat.completion", created: count, model: word },
      choices: [
        {
          ...{ index: 0, logprobs: null, finish_reason: "tool_calls" },
          message: {
            ...{ role: "assistant", content: TEXT.text, refusal: null, reasoning_content: REASONING.text },
            tool_calls: [{ id: word, type: "function", function: { name: "read", arguments: CALL.argumentsJson } }],
          },
        },
      ],
      usage: {
        ...{ prompt_tokens: count, completion_tokens: count, total_tokens: count },
        prompt_tokens_details: { cached_tokens: count },
        completion_tokens_details: { reasoning_tokens: count },
      },
    },
  ],
  [
    "/v1/responses",
    responsesBody,
    {
      ...{ id: word, object: "response", created_at: count, model: word, status: "completed" },
      ...{ error: null, incomplete_details: null },
      output: [
        { type: "reasoning", id: word, summary: [{ type: "summary_text", text: REASONING.text }] },
        {
          type: "message",
          id: word,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: TEXT.text }],
        },
        { type: "function_call", id: word, call_id: word, name: "read", arguments: CALL.argumentsJson, status: "completed" },
      ],
      usage: {
        ...{ input_tokens: count, output_tokens: count, total_tokens: count },
        input_tokens_details: { cached_tokens: count },
        output_tokens_details: { reasoning_tokens: count },
      },
    },
  ],
])("%s: an answer has each field of the vendor's", async (path, body, expected) => {
  const { url } = await started({ parts: [REASONING, TEXT, CALL] });
  const answer = await fetch(`${url}${path}`, { method: "POST", headers: HEADERS, body: JSON.stringify(body) });
  expect(await answer.json()).toMatchObject(expected);
});

test("events of the Responses wire are numbered as they come", async () => {
  const { url } = await started({ parts: [REASONING, TEXT, CALL] });
  const body = JSON.stringify({ ...responsesBody, stream: true });
  const events = (await (await fetch(`${url}/v1/responses`, { method: "POST", headers: HEADERS, body })).text()).match(
    /^data: \{.*$/gm,
  );
  const numbers = (events ?? []).map((event) => /"sequence_number":(\d+)/.exec(event)?.[1]);
  expect(numbers.length).toBeGreaterThan(10);
  expect(numbers).toEqual(numbers.map((_, at) => String(at)));
});
