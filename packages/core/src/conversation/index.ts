export type {
  Conversation,
  ConversationFit,
  ConversationOptions,
  ConversationSetting,
  ReportedUsage,
} from "./conversation.ts";
export { createConversation } from "./conversation.ts";
export type { Conversations, ConversationsOptions } from "./conversations.ts";
export { createConversations } from "./conversations.ts";
export type { ConversationName, ConversationRequest, FoundConversation } from "./history-tree.ts";
export type { OpenedConversation } from "./open-conversation.ts";
export { openConversation } from "./open-conversation.ts";
export type { Attempt, Recovery, RecoveryFacts, Rejection } from "./recovery.ts";
export { sendWithRecovery } from "./recovery.ts";
export type { Setup, SetupChange } from "./setup-change.ts";
export { setupChange, setupChangeEntry } from "./setup-change.ts";
export type { UsageTotals } from "./tally.ts";
export { foldTotals, NO_USAGE } from "./tally.ts";
