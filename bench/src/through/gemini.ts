import { createContentsCompactor } from "@plimsoll/providers/drop-in/google-genai";
import { inputOf, piecesOf, type Reader, sealOf, startedAround } from "./reader.ts";

const PIECES = {
  text: (text: string) => ({ text }),
  media: (url: string, mimeType: string) =>
    url.startsWith("data:")
      ? { inlineData: { mimeType, data: url.slice(url.indexOf(",") + 1) } }
      : { fileData: { mimeType, fileUri: url } },
};

/** Contents of `@google/genai`. */
export const reader: Reader = {
  reply: ({ parts }) => [
    {
      role: "model",
      parts: parts.map((part) => {
        if (part.type === "text") return { text: part.text };
        if (part.type === "reasoning") return { text: part.text, thought: true, ...sealOf(part.opaque, "thoughtSignature") };
        return { functionCall: { id: part.callId, name: part.toolName, args: inputOf(part.argumentsJson) } };
      }),
    },
  ],
  results: (messages) => [
    {
      role: "user",
      parts: messages.map(({ callId: id, toolName: name, isError, parts }) => {
        const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
        const media = piecesOf({ parts: parts.filter(({ type }) => type !== "text") }, PIECES);
        const response = { [isError ? "error" : "output"]: texts.join("\n") };
        return { functionResponse: { id, name, response, ...(media.length === 0 ? {} : { parts: media }) } };
      }),
    },
  ],
  said: (message) => [{ role: "user", parts: piecesOf(message, PIECES) }],
  start: (options) =>
    startedAround(createContentsCompactor(options, "unused"), ({ requestId, modelId, ...tokens }) => ({
      responseId: requestId,
      modelVersion: modelId,
      usageMetadata: {
        promptTokenCount: tokens.inputTokens,
        candidatesTokenCount: tokens.outputTokens - tokens.reasoningTokens,
        thoughtsTokenCount: tokens.reasoningTokens,
      },
    })),
};
