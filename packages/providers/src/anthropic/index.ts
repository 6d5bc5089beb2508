export { createAnthropicClient } from "./client.ts";
export type { AnthropicSession, AnthropicSessionOptions } from "./session.ts";
export { createAnthropicSession } from "./session.ts";
