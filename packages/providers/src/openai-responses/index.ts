export { responsesUsage } from "../openai/usage.ts";
export type { ResponsesOptions } from "./client.ts";
export { createOpenAiResponsesClient } from "./client.ts";
export { decodeOpenAiResponse } from "./decode.ts";
export type { ResponsesBody } from "./encode.ts";
export { encodeOpenAiResponses } from "./encode.ts";
export { decodeOpenAiResponsesStream } from "./stream.ts";
export { OPENAI_RESPONSES_WIRE_RULES } from "./wire-rules.ts";
