// Tokenizers
export type { EncodingName } from "./tokenizers/load-encoding.ts";
export { ENCODING_NAMES, loadEncoding, loadTokenCounter } from "./tokenizers/load-encoding.ts";
export {
  openAiMessageTokens,
  openAiOverheadTokens,
  openAiPromptTokens,
  openAiReplyTokens,
} from "./tokenizers/openai-prompt-tokens.ts";
export { MAX_PIECE_CHARS } from "./tokenizers/pieces.ts";
export type { CountTokens, Encoding, PieceObserver, TokenCounter } from "./tokenizers/token-counter.ts";
export { createTokenCounter } from "./tokenizers/token-counter.ts";
