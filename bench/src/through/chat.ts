import { createChatCompactor } from "@plimsoll/providers/drop-in/openai-chat";
import { piecesOf, plainText, type Reader, startedAround } from "./reader.ts";

const PIECES = {
  text: (text: string) => ({ type: "text", text }),
  media: (url: string) => ({ type: "image_url", image_url: { url } }),
};

/** Messages of Chat Completions, of `openai`. */
export const reader: Reader = {
  reply: ({ parts }) => {
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const thoughts = parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : []));
    const calls = parts.flatMap((part) =>
      part.type === "tool-call"
        ? [{ type: "function", id: part.callId, function: { name: part.toolName, arguments: part.argumentsJson } }]
        : [],
    );
    return [
      {
        role: "assistant",
        content: texts.length === 0 ? null : texts.join("\n"),
        ...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join("\n") }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      },
    ];
  },
  results: (messages) =>
    messages.map((message) => ({
      role: "tool",
      tool_call_id: message.callId,
      content: plainText(message) ?? piecesOf(message, PIECES),
    })),
  said: (message) => [{ role: "user", content: plainText(message) ?? piecesOf(message, PIECES) }],
  start: (options) => {
    const compactor = createChatCompactor(options, "unused");
    const { send, conversations } = startedAround(compactor, ({ requestId, modelId, ...tokens }) => ({
      id: requestId,
      model: modelId,
      choices: [{ finish_reason: "tool_calls", message: { role: "assistant", content: null } }],
      usage: {
        prompt_tokens: tokens.inputTokens,
        completion_tokens: tokens.outputTokens,
        completion_tokens_details: { reasoning_tokens: tokens.reasoningTokens },
      },
    }));
    return {
      send: (items, { system, ...request }, call) =>
        send(system === "" ? items : [{ role: "system", content: system }, ...items], { ...request, system: "" }, call),
      conversations,
    };
  },
};
