export type { ResponsesOptions } from "./client.ts";
export { createOpenAiResponsesClient } from "./client.ts";
