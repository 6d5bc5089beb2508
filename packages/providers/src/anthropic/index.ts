export type { CacheTimeToLive } from "./cache-breakpoints.ts";
export type { AnthropicOptions } from "./client.ts";
export { createAnthropicClient } from "./client.ts";
