// For parts of one's own, for loops of one's own, and for our other packages.

export type { AgentTool, ToolCallContext, ToolEffect, ToolOutput } from "./agent-tool.ts";
export {
  amountSchema,
  budgetOf,
  LEAST_REPLY_TOKENS,
  limitsWithin,
  REPLY_RATIO,
  replyBeside,
  resolveAmount,
  shorterReply,
  triggerTokens,
  withReplyWithin,
} from "./budget.ts";
export { safeCutAtOrAfter, safeCutAtOrBefore, safeCuts } from "./cut-point.ts";
export type { CacheRules, CacheUse, ModelPrices, PriceTier } from "./economics.ts";
export { cacheUse, outputUsd, promptUsd, tierFor, uncachedPromptUsd } from "./economics.ts";
export { recoveriesOf } from "./engine/goal.ts";
export { fileBegun, serverOf } from "./engine/window-parts.ts";
export type { AppliedEdit, AppliedReplaceSpans, SessionStartEntry, StepOutcome } from "./entry.ts";
export { entryIdOf, LOG_VERSION, messagesWrittenBy, NO_WORK } from "./entry.ts";
export { closedError } from "./error.ts";
export {
  canonicalJson,
  isJsonValue,
  isNestedDeeper,
  isRecord,
  type JsonObject,
  type JsonValue,
  jsonIn,
  MOST_JSON_LEVELS,
  parseJson,
  stringEnd,
  wellFormed,
  writtenJson,
} from "./json.ts";
export type { KeepRuleSpec } from "./keep/built-in-keep-rules.ts";
export type { KeepRuleKind, UnitFacts } from "./keep/keep-rule.ts";
export { defineKeepRule } from "./keep/keep-rule.ts";
export type { KindSpec } from "./kind.ts";
export type { ToolTable } from "./memory/call-shape.ts";
export { callShape, toolShapeOf } from "./memory/call-shape.ts";
export { type PlanItem, planAfter } from "./memory/facts.ts";
export { planIn } from "./memory/plan.ts";
export { createRecallIndex } from "./memory/recall-index.ts";
export { scriptCalls } from "./memory/script-calls.ts";
export { lineHash, textLines } from "./memory/text-lines.ts";
export type { Unit } from "./memory/units.ts";
export type { UseFeature } from "./memory/use-features.ts";
export { USE_FEATURE_NAMES, USE_FEATURES } from "./memory/use-features.ts";
export type { FollowingCheck, WireRules, WireViolation } from "./message/check.ts";
export { checkMessages, followingChecks, isUsableCallId, STRICT_WIRE_RULES } from "./message/check.ts";
export { readsAsFailed } from "./message/failed-text.ts";
export { isHandleMeant, partHandle } from "./message/handle.ts";
export {
  canonicalContent,
  chainId,
  extendViewHash,
  identified,
  isDeclared,
  type MessageDraft,
  overheadHash,
  type StopReason,
  sharedPrefixCount,
  wellFormedContext,
  wellFormedMessage,
  withId,
  withIds,
} from "./message/message.ts";
export type { RequestUnit } from "./message/size.ts";
export {
  coverageOf,
  lowestLimits,
  messageChars,
  partChars,
  pixelSizeOf,
  REQUEST_UNITS,
  requestSizeOf,
  UNIT_WORDS,
} from "./message/size.ts";
export { fencedText } from "./message/transcript-text.ts";
export type { Kinds } from "./policy/kinds.ts";
export { BUILT_IN_KINDS, withKinds } from "./policy/kinds.ts";
export { amountOf, isKnobPath, KNOBS, knobText, sizeOf, withKnob } from "./policy/knobs.ts";
export type { PolicyOverlay } from "./policy/overlays.ts";
export { POLICY_OVERLAYS } from "./policy/overlays.ts";
export type { EnginePolicy } from "./policy/policy.ts";
export { asksModel, encodingsOf, policySchema, requireFallback, triggerSchema } from "./policy/policy.ts";
export { RECORDED_POLICY } from "./policy/presets/none.ts";
export { goneText, RETIRED_PRESETS, refuseRetired } from "./policy/retired.ts";
export type { WrittenProblem } from "./policy/written-policy.ts";
export { changesPreset, keepsByRule, readWritten } from "./policy/written-policy.ts";
export { askDynamicContext, clockDoor, createQueue, passed, untilAborted } from "./port-door.ts";
export type { Prompt } from "./ports.ts";
export { SUMMARY_HEADER } from "./prompts/notices.ts";
export type { Sequence } from "./sequence.ts";
export { sequenceOf } from "./sequence.ts";

export { decodeEntry, encodeEntry, isJson, lineTooLong, MAXIMUM_LINE_BYTES, MORE_FOLLOWS } from "./session/codec.ts";
export type { ConversationName, ConversationRequest, Conversations, FoundConversation } from "./session/conversations.ts";
export { createConversations } from "./session/conversations.ts";
export { sessionEntrySchema } from "./session/entry-schema.ts";
export { compactionKind, compactionLogLine, overWords, replyLowered } from "./session/events.ts";
export type { LearnedLimit, LearnedLimits, LimitEvent } from "./session/learned-limit.ts";
export {
  afterAnswer,
  afterRejection,
  believedAt,
  believedLimits,
  createLearnedLimits,
  learnedInLog,
  learnedWindowTokens,
  NOTHING_LEARNED,
  nextTry,
  withoutRefuted,
} from "./session/learned-limit.ts";
export { openSession } from "./session/open-session.ts";
export type { Recalled, RecallRange } from "./session/recall.ts";
export { artifactHandle, MAXIMUM_RECALL_CHARS, recallArtifact } from "./session/recall.ts";
export type { Attempt, EndedReply, Recovery, RecoveryFacts, Rejection, RequestOutcome, Tried } from "./session/recovery.ts";
export {
  answerOf,
  attempted,
  outcomeOfReply,
  rejectionIn,
  sendWithRecovery,
  TOO_MANY_TOKENS,
  withCount,
} from "./session/recovery.ts";
export { replaceHistory } from "./session/replace-history.ts";
export type { ReportedUsage, SessionInput } from "./session/session.ts";
export { foldLedger } from "./session/session-state.ts";
export type { SetupChange } from "./session/view.ts";
export {
  EMPTY_VIEW,
  foldEntries,
  foldEntry,
  foldUnhashed,
  modelChangeEntry,
  setupChange,
  setupChangeEntry,
} from "./session/view.ts";
export type { StrategyKind } from "./strategy/strategy.ts";
export { defineStrategy } from "./strategy/strategy.ts";
export type { SummarizeSpec } from "./strategy/summarize.ts";
export {
  characterBoundaryAtOrAfter,
  characterBoundaryAtOrBefore,
  createLineSplitter,
  lineCount,
  sha256Hex,
  shortHash,
  utf8Bytes,
} from "./text.ts";
export type { EstimatorOptions, EstimatorSpec, Tokenizers } from "./tokens/built-in-estimators.ts";
export { BUILT_IN_ESTIMATORS, createEstimator } from "./tokens/built-in-estimators.ts";
export { CHAR_CLASSES, charClass, countClasses } from "./tokens/char-class.ts";
export type { CharsPerTokenSpec } from "./tokens/chars-per-token.ts";
export { charsPerToken } from "./tokens/chars-per-token.ts";
export type { CountTokens, Estimator, EstimatorKind, Prediction } from "./tokens/estimator.ts";
export { defineEstimator, defineMeasure, EMPTY_LEDGER } from "./tokens/estimator.ts";
export type { Measured } from "./tokens/ledger/ledger-estimator.ts";
export { measuredBy } from "./tokens/ledger/ledger-estimator.ts";
export type { ClassCounts, ImageRule, MessageMeasure, ModelPrior, ModelPriors } from "./tokens/measure.ts";
export { createWorkCounter, pooledPriors } from "./tokens/measure.ts";
export { OUTPUT_CATEGORIES } from "./tool.ts";
export type { Truncation } from "./truncation/span.ts";
export { truncateMessage } from "./truncation/truncate-text.ts";
export { isRejectedUsage, isSilentOverflow, measuredUsage, rejectedUsage } from "./usage.ts";
