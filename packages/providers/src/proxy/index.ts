export { parseRecord } from "../fields.ts";
export { type AnswerReader, createAnswerReader } from "./answer-reader.ts";
export { type ConversationKeys, createConversationKeys, type KeyNote } from "./conversation-keys.ts";
export { createProxyCompaction, type PreparedRequest, type ProxyCompaction, type UpstreamFailure } from "./proxy.ts";
export { summaryQuestion } from "./summary-question.ts";
export { failureIn, wireAt } from "./wires.ts";
