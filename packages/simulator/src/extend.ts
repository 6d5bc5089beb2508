export { ANTHROPIC_WIRE } from "./anthropic-wire.ts";
export { OPENAI_CHAT_WIRE } from "./openai-chat.ts";
export { OPENAI_RESPONSES_WIRE } from "./openai-responses.ts";
export { encryptedReasoning } from "./openai-responses-items.ts";
export { minimumCachedTokens } from "./options.ts";
export { countByLength, createSizer, totalTokens } from "./prompt-cache.ts";
export type { WireName } from "./reply.ts";
export type { SimulatedWire } from "./wire.ts";
