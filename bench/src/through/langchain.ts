import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createLangChainMiddleware } from "@plimsoll/providers/drop-in/langchain";
import { inputOf, ofSdk, piecesOf, plainText, type Reader, sealOf } from "./reader.ts";

type Wrap = NonNullable<ReturnType<typeof createLangChainMiddleware>["wrapModelCall"]>;

const PIECES = {
  text: (text: string) => ({ type: "text" as const, text }),
  media: (url: string) => ({ type: "image_url" as const, image_url: { url } }),
};

/** Messages of `@langchain/core`, for the middleware of an agent. */
export const reader: Reader = {
  reply: ({ parts }) => {
    const content = parts.flatMap((part): { readonly type: string; readonly [key: string]: string }[] => {
      if (part.type === "text") return [PIECES.text(part.text)];
      return part.type === "reasoning" ? [{ type: "thinking", thinking: part.text, ...sealOf(part.opaque, "signature") }] : [];
    });
    const tool_calls = parts.flatMap((part) =>
      part.type === "tool-call"
        ? [{ type: "tool_call" as const, id: part.callId, name: part.toolName, args: { ...inputOf(part.argumentsJson) } }]
        : [],
    );
    return [new AIMessage({ content, tool_calls })];
  },
  results: (messages) =>
    messages.map(
      (message) =>
        new ToolMessage({
          content: plainText(message) ?? [...piecesOf(message, PIECES)],
          tool_call_id: message.callId,
          name: message.toolName,
          ...(message.isError ? { status: "error" as const } : {}),
        }),
    ),
  said: (message) => [new HumanMessage({ content: plainText(message) ?? [...piecesOf(message, PIECES)] })],
  start: (options) => {
    const { wrapModelCall, conversations } = createLangChainMiddleware(options);
    return {
      send: async (messages, { system, tools: all, modelId }, call) => {
        const tools = all.map(({ name, description, parametersJson }) => ({
          type: "function",
          function: { name, description, parameters: ofSdk<object>(JSON.parse(parametersJson)) },
        }));
        const request = { messages, systemPrompt: system, tools, model: { model: modelId }, state: {}, runtime: {} };
        await wrapModelCall?.(ofSdk<Parameters<Wrap>[0]>(request), async (sent) => {
          const report = await call(sent.messages);
          const { inputTokens: input_tokens, outputTokens: output_tokens } = report;
          const fields = {
            id: report.requestId,
            content: "",
            response_metadata: { model_name: report.modelId },
            usage_metadata: {
              input_tokens,
              output_tokens,
              total_tokens: input_tokens + output_tokens,
              output_token_details: { reasoning: report.reasoningTokens },
            },
          };
          return new AIMessage(ofSdk<ConstructorParameters<typeof AIMessage>[0] & object>(fields));
        });
      },
      conversations,
    };
  },
};
