export { encryptedReasoning } from "./openai-responses-items.ts";
export { minimumCachedTokens } from "./options.ts";
export type { WireName } from "./reply.ts";
export { sizedPrompts } from "./sized-prompts.ts";
