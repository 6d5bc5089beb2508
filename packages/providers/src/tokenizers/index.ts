export { createTokenizerLoader, ENCODING_NAMES, loadTokenCounter } from "./load-tokenizers.ts";
export { openAiMessageTokens, openAiOverheadTokens, openAiPromptTokens, openAiReplyTokens } from "./openai-prompt-tokens.ts";
export type { TokenCounter } from "./token-counter.ts";
