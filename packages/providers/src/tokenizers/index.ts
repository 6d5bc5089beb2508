export type { EncodingName } from "./load-encoding.ts";
export { ENCODING_NAMES, loadTokenCounter } from "./load-encoding.ts";
export { createTokenizerLoader } from "./load-tokenizers.ts";
export {
  openAiMessageTokens,
  openAiOverheadTokens,
  openAiPromptTokens,
  openAiReplyTokens,
} from "./openai-prompt-tokens.ts";
export type { TokenCounter } from "./token-counter.ts";
