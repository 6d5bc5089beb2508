export type { CacheTimeToLive } from "./cache-breakpoints.ts";
export type { AnthropicOptions } from "./client.ts";
export { createAnthropicClient } from "./client.ts";
export { decodeAnthropic } from "./decode.ts";
export type { AnthropicBody, AnthropicEncoding } from "./encode.ts";
export { encodeAnthropic } from "./encode.ts";
export { decodeAnthropicStream } from "./stream.ts";
export { anthropicUsage } from "./usage.ts";
export { ANTHROPIC_WIRE_RULES } from "./wire-rules.ts";
