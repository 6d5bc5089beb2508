export type { Conversation, ConversationFit, ConversationSetting, ReportedUsage } from "./conversation.ts";
export { createConversation } from "./conversation.ts";
export type { Conversations } from "./conversations.ts";
export { createConversations } from "./conversations.ts";
export type { ConversationName, ConversationRequest, FoundConversation } from "./history-tree.ts";
export { openConversation } from "./open-conversation.ts";
export type { Attempt, RecoveryFacts, Rejection } from "./recovery.ts";
export { sendWithRecovery } from "./recovery.ts";
export { setupChange, setupChangeEntry } from "./setup-change.ts";
