export { believedLimits, withoutRefuted } from "../session/learned-request-limits.ts";
export type { ConversationFit } from "./background.ts";
export type { Conversation, ConversationSetting, ReportedUsage } from "./conversation.ts";
export { createConversation } from "./conversation.ts";
export type { Conversations } from "./conversations.ts";
export { createConversations } from "./conversations.ts";
export type { ConversationName, ConversationRequest, FoundConversation } from "./history-tree.ts";
export type { LearnedLimit, LearnedLimits } from "./learned-limit.ts";
export {
  afterAnswer,
  afterRejection,
  believedAt,
  createLearnedLimits,
  learnedWindowTokens,
  NOTHING_LEARNED,
} from "./learned-limit.ts";
export type { LimitEvent } from "./limit-events.ts";
export { learnedInLog, nextTry } from "./limits-in-log.ts";
export { openConversation } from "./open-conversation.ts";
export type { EndedReply, Rejection, RequestOutcome } from "./outcome.ts";
export { outcomeOfReply, refusedUnit, rejectionIn, TOO_MANY_TOKENS, withCount } from "./outcome.ts";
export type { Attempt, Recovery, RecoveryFacts } from "./recovery.ts";
export { answerOf, attempted, sendWithRecovery } from "./recovery.ts";
export { setupChange, setupChangeEntry } from "./setup-change.ts";
