import { createCompactionMiddleware } from "@plimsoll/providers/drop-in/ai-sdk";
import { inputOf, ofSdk, piecesOf, type Reader, sealOf } from "./reader.ts";

type Middleware = ReturnType<typeof createCompactionMiddleware>;
type Call = Parameters<Middleware["wrapGenerate"]>[0];

const PIECES = {
  text: (text: string) => ({ type: "text", text }),
  media: (url: string, mediaType: string) => ({
    type: "file",
    mediaType,
    data: url.startsWith("data:") ? url.slice(url.indexOf(",") + 1) : new URL(url),
  }),
};

/** Messages of a model's prompt, of `ai`, whose middleware is called. */
export const reader: Reader = {
  reply: ({ parts }) => [
    {
      role: "assistant",
      content: parts.map((part) => {
        if (part.type === "text") return PIECES.text(part.text);
        if (part.type === "reasoning")
          return { type: "reasoning", text: part.text, providerOptions: { anthropic: sealOf(part.opaque, "signature") } };
        const { callId: toolCallId, toolName, argumentsJson } = part;
        return { type: "tool-call", toolCallId, toolName, input: inputOf(argumentsJson) };
      }),
    },
  ],
  results: (messages) => [
    {
      role: "tool",
      content: messages.map((message) => {
        const { callId: toolCallId, toolName, isError, parts } = message;
        const texts = parts.map((part) => (part.type === "text" ? part.text : "[image]"));
        const isText = parts.every(({ type }) => type === "text");
        const output = isText
          ? { type: isError ? "error-text" : "text", value: texts.join("\n") }
          : { type: "content", value: piecesOf(message, { ...PIECES, media: mediaOutput }) };
        return { type: "tool-result", toolCallId, toolName, output };
      }),
    },
  ],
  said: (message) => [{ role: "user", content: piecesOf(message, PIECES) }],
  start: (options) => {
    const { wrapGenerate, conversations } = createCompactionMiddleware(options);
    return {
      send: (items, { system, tools: all, modelId }, call) => {
        const tools = all.map(({ name, description, parametersJson }) => ({
          type: "function",
          name,
          description,
          inputSchema: ofSdk<object>(JSON.parse(parametersJson)),
        }));
        const prompt = system === "" ? items : [{ role: "system", content: system }, ...items];
        const doGenerate = async ({ prompt: sent }: { readonly prompt: readonly object[] }) => {
          const report = await call(sent);
          const { inputTokens, outputTokens, reasoningTokens } = report;
          const text = outputTokens - reasoningTokens;
          return {
            content: [],
            finishReason: { unified: "tool-calls", raw: undefined },
            usage: {
              inputTokens: { total: inputTokens },
              outputTokens: { total: outputTokens, text, reasoning: reasoningTokens },
            },
            response: { id: report.requestId, modelId: report.modelId },
            warnings: [],
          };
        };
        // The provider of a wire that takes roles in any order: what is sent is what the middleware makes.
        const model = { specificationVersion: "v3", provider: "openai.chat", modelId, doGenerate };
        return Promise.resolve(wrapGenerate(ofSdk<Call>({ params: { prompt, tools }, model })));
      },
      conversations,
    };
  },
};

function mediaOutput(url: string, mediaType: string): object {
  return url.startsWith("data:")
    ? { type: "image-data", mediaType, data: url.slice(url.indexOf(",") + 1) }
    : { type: "image-url", url };
}
