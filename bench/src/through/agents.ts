import { createCompactingModel } from "@plimsoll/providers/drop-in/openai-agents";
import { type CallModel, ofSdk, piecesOf, plainText, type Reader } from "./reader.ts";

type Model = Parameters<typeof createCompactingModel>[0];
type Request = Parameters<Model["getResponse"]>[0];

const PIECES = {
  text: (text: string) => ({ type: "input_text", text }),
  media: (url: string) => ({ type: "input_image", image: url }),
};

/** Items of `@openai/agents`, whose model is called. */
export const reader: Reader = {
  reply: ({ parts }) =>
    parts.map((part) => {
      if (part.type === "text")
        return { role: "assistant", status: "completed", content: [{ type: "output_text", text: part.text }] };
      if (part.type === "reasoning") return { type: "reasoning", content: [{ type: "input_text", text: part.text }] };
      const { callId, toolName: name, argumentsJson } = part;
      return { type: "function_call", callId, name, arguments: argumentsJson, status: "completed" };
    }),
  results: (messages) =>
    messages.map((message) => ({
      type: "function_call_result",
      callId: message.callId,
      name: message.toolName,
      status: message.isError ? "incomplete" : "completed",
      output: plainText(message) ?? piecesOf(message, PIECES),
    })),
  said: (message) => [{ role: "user", content: plainText(message) ?? piecesOf(message, PIECES) }],
  start: (options) => {
    let callNow: CallModel = () => Promise.reject(new Error("nothing is asked"));
    const model = {
      getResponse: async ({ input }: Request) => {
        const { requestId, modelId, ...tokens } = await callNow(ofSdk<readonly object[]>(input));
        const { inputTokens, outputTokens, reasoningTokens } = tokens;
        return {
          responseId: requestId,
          output: [],
          providerData: { model: modelId },
          usage: { inputTokens, outputTokens, outputTokensDetails: [{ reasoning_tokens: reasoningTokens }] },
        };
      },
    };
    const { getResponse, conversations } = createCompactingModel(ofSdk<Model>(model), options);
    return {
      send: (input, { system: systemInstructions, tools: all }, call) => {
        callNow = call;
        const tools = all.map(({ name, description, parametersJson }) => ({
          type: "function",
          name,
          description,
          parameters: ofSdk<object>(JSON.parse(parametersJson)),
        }));
        return getResponse(ofSdk<Request>({ input, systemInstructions, tools, handoffs: [], modelSettings: {} }));
      },
      conversations,
    };
  },
};
