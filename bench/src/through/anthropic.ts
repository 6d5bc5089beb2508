import { createMessagesCompactor } from "@plimsoll/providers/drop-in/anthropic";
import { inputOf, piecesOf, type Reader, sealOf, startedAround } from "./reader.ts";

const PIECES = {
  text: (text: string) => ({ type: "text", text }),
  media: (url: string, mediaType: string) => ({
    type: mediaType === "application/pdf" ? "document" : "image",
    source: url.startsWith("data:")
      ? { type: "base64", media_type: mediaType, data: url.slice(url.indexOf(",") + 1) }
      : { type: "url", url },
  }),
};

/** Messages of `@anthropic-ai/sdk`. */
export const reader: Reader = {
  reply: ({ parts }) => [
    {
      role: "assistant",
      content: parts.map((part) => {
        if (part.type === "text") return PIECES.text(part.text);
        if (part.type === "reasoning") return { type: "thinking", thinking: part.text, ...sealOf(part.opaque, "signature") };
        return { type: "tool_use", id: part.callId, name: part.toolName, input: inputOf(part.argumentsJson) };
      }),
    },
  ],
  results: (messages) => [
    {
      role: "user",
      content: messages.map((message) => ({
        type: "tool_result",
        tool_use_id: message.callId,
        is_error: message.isError,
        content: piecesOf(message, PIECES),
      })),
    },
  ],
  said: (message) => [{ role: "user", content: piecesOf(message, PIECES) }],
  start: (options) =>
    startedAround(createMessagesCompactor(options, "unused"), ({ requestId, modelId, ...tokens }) => ({
      id: requestId,
      model: modelId,
      type: "message",
      role: "assistant",
      content: [],
      stop_reason: "tool_use",
      usage: {
        input_tokens: tokens.inputTokens,
        output_tokens: tokens.outputTokens,
        output_tokens_details: { thinking_tokens: tokens.reasoningTokens },
      },
    })),
};
