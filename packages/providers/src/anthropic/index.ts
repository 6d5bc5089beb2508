export type { CacheTimeToLive } from "./cache-breakpoints.ts";
export type { AnthropicOptions } from "./client.ts";
export { createAnthropicClient } from "./client.ts";
export type { AnthropicSession, AnthropicSessionOptions } from "./session.ts";
export { createAnthropicSession } from "./session.ts";
