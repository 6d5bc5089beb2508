export {
  type CompactionLoss,
  compactionLoss,
  messageShares,
  type TokensOf,
  takenRatio,
} from "../drop-in/compaction-loss.ts";
export { afterUndoWords, wishAnswer } from "../drop-in/person-wishes.ts";
export { type Fields, parseRecord } from "../fields.ts";
export { type AnswerReader, createAnswerReader } from "./answer-reader.ts";
export { type ConversationKeys, createConversationKeys, type KeyNote } from "./conversation-keys.ts";
export { type Fault, type MendingRules, mendItems } from "./mend-items.ts";
export type { EventOrigin, PreparedRequest, UpstreamFailure } from "./prepared-request.ts";
export { createProxyCompaction, type ProxyCompaction, type ProxyConversation } from "./proxy.ts";
export { summaryQuestion } from "./summary-question.ts";
export { failureIn, wireAt } from "./wires.ts";
