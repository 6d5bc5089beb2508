export { createOpenAiResponsesClient } from "./client.ts";
export type { ResponsesSession, ResponsesSessionOptions } from "./session.ts";
export { createResponsesSession } from "./session.ts";
