import { createItemsCompactor } from "@plimsoll/providers/drop-in/openai-responses";
import { piecesOf, plainText, type Reader, sealOf, startedAround } from "./reader.ts";

const PIECES = {
  text: (text: string) => ({ type: "input_text", text }),
  media: (url: string) => ({ type: "input_image", detail: "auto", image_url: url }),
};

/** Items of the Responses API, of `openai`. */
export const reader: Reader = {
  reply: ({ id, parts }) =>
    parts.map((part, place) => {
      if (part.type === "text")
        return { type: "message", role: "assistant", content: [{ type: "output_text", text: part.text }] };
      if (part.type === "tool-call")
        return { type: "function_call", call_id: part.callId, name: part.toolName, arguments: part.argumentsJson };
      const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
      return { type: "reasoning", id: `rs_${id}_${place}`, summary, ...sealOf(part.opaque, "encrypted_content") };
    }),
  results: (messages) =>
    messages.map((message) => ({
      type: "function_call_output",
      call_id: message.callId,
      output: plainText(message) ?? piecesOf(message, PIECES),
    })),
  said: (message) => [{ type: "message", role: "user", content: piecesOf(message, PIECES) }],
  start: (options) =>
    startedAround(createItemsCompactor(options, "unused"), ({ requestId, modelId, ...tokens }) => ({
      id: requestId,
      model: modelId,
      object: "response",
      output: [],
      usage: {
        input_tokens: tokens.inputTokens,
        output_tokens: tokens.outputTokens,
        output_tokens_details: { reasoning_tokens: tokens.reasoningTokens },
      },
    })),
};
