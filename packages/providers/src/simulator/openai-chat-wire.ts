import type { JsonObject } from "@plimsoll/core/internal";
import { readOpenAiChat } from "./openai-chat-request.ts";
import { errorObject, OPENAI_ERRORS } from "./openai-errors.ts";
import type { Answer, Counts, SimulatedWire, WireEvent } from "./wire.ts";
import { halves } from "./wire.ts";

/** The Chat Completions wire: platform.openai.com/docs/api-reference/chat and /chat-streaming. */
export const OPENAI_CHAT_WIRE: SimulatedWire = {
  ...OPENAI_ERRORS,
  name: "openai-chat",
  read: readOpenAiChat,
  overflow: ({ promptTokens, maxOutputTokens, windowTokens }) => ({
    status: 400,
    type: "invalid_request_error",
    code: "context_length_exceeded",
    param: "messages",
    message:
      maxOutputTokens === 0
        ? `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`
        : `This model's maximum context length is ${windowTokens} tokens. However, you requested ${promptTokens + maxOutputTokens} tokens (${promptTokens} in the messages, ${maxOutputTokens} in the completion). Please reduce the length of the messages or completion.`,
  }),
  whole: (answer) => ({
    ...headOf(answer, "chat.completion"),
    choices: [{ index: 0, message: messageOf(answer), logprobs: null, finish_reason: finishReasonOf(answer) }],
    ...(answer.counts === null ? {} : { usage: usageOf(answer.counts) }),
  }),
  events: eventsOf,
  errorEvent: (error) => ({ name: null, data: { error: errorObject(error) } }),
};

function headOf({ serial, modelId, createdSeconds }: Answer, object: string): JsonObject {
  return { id: `chatcmpl-simulated-${serial}`, object, created: createdSeconds, model: modelId };
}

function messageOf(answer: Answer): JsonObject {
  const text = textOf(answer, "text");
  const reasoning = textOf(answer, "reasoning");
  const calls = callsOf(answer);
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function textOf({ reply }: Answer, type: "text" | "reasoning"): string {
  return reply.parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
}

function callsOf({ reply, serial, callId }: Answer) {
  return reply.parts.flatMap((part, index) =>
    part.type === "tool-call"
      ? [
          {
            id: callId(index, `call_simulated_${serial}_${index}`),
            type: "function",
            function: { name: part.toolName, arguments: part.argumentsJson },
          },
        ]
      : [],
  );
}

function eventsOf(answer: Answer, { wantsUsage }: { readonly wantsUsage: boolean }): readonly WireEvent[] {
  const chunk = (delta: JsonObject, finishReason: string | null = null): WireEvent => ({
    name: null,
    data: {
      ...headOf(answer, "chat.completion.chunk"),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(wantsUsage ? { usage: null } : {}),
    },
  });
  const calls = callsOf(answer).flatMap(({ id, type, function: called }, index) => [
    chunk({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] }),
    ...halves(called.arguments).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]);
  const usage =
    wantsUsage && answer.counts !== null
      ? [{ name: null, data: { ...headOf(answer, "chat.completion.chunk"), choices: [], usage: usageOf(answer.counts) } }]
      : [];
  return [
    chunk({ role: "assistant", content: "" }),
    ...halves(textOf(answer, "reasoning")).map((piece) => chunk({ reasoning_content: piece })),
    ...halves(textOf(answer, "text")).map((content) => chunk({ content })),
    ...calls,
    chunk({}, finishReasonOf(answer)),
    ...usage,
    { name: null, data: "[DONE]" },
  ];
}

function usageOf(counts: Counts): JsonObject {
  const { promptTokens, outputTokens, readTokens, reasoningTokens } = counts;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: readTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, audio_tokens: 0 },
  };
}

function finishReasonOf({ reply }: Answer): string {
  if (reply.stop === "length" || reply.stop === "window-full") return "length";
  if (reply.stop === "refusal") return "content_filter";
  return reply.parts.some((part) => part.type === "tool-call") ? "tool_calls" : "stop";
}
