// For parts of one's own, by kind.

// Strategies, and where they may cut.

export { safeCutAtOrBefore, safeCuts } from "./cut-point.ts";
export type { StrategyKind } from "./strategy/strategy.ts";
export { defineStrategy } from "./strategy/strategy.ts";

// Keep rules, and their readers of old text.

export { amountSchema } from "./budget.ts";
export type { KeepRuleKind, MessagesRule } from "./keep/keep-rule.ts";
export { defineKeepRule } from "./keep/keep-rule.ts";
export { planAfter } from "./memory/facts.ts";
export { planIn } from "./memory/plan.ts";
export { createRecallIndex } from "./memory/recall-index.ts";
export { textLines } from "./memory/text-lines.ts";
export { useFeatures } from "./memory/use-features.ts";

// Estimators, and their lessons from reports.

export { createEstimator } from "./tokens/built-in-estimators.ts";
export { CHAR_CLASSES, countClasses } from "./tokens/char-class.ts";
export type { EstimatorKind } from "./tokens/estimator.ts";
export { defineEstimator, defineMeasure, EMPTY_LEDGER } from "./tokens/estimator.ts";
export { measuredBy } from "./tokens/ledger/ledger-estimator.ts";
export { createWorkCounter, pooledPriors } from "./tokens/measure.ts";

// Prompts and truncations.

export type { Prompt } from "./ports.ts";
export { SUMMARY_HEADER } from "./prompts/notices.ts";
export type { Truncation } from "./truncation/span.ts";
export { truncateMessage } from "./truncation/truncate-text.ts";

// Importers and metrics: messages with their ids, calls by their files, the fold of a log, sizes.

export { fileBegun, serverOf } from "./engine/window-parts.ts";
export { entryIdOf, LOG_VERSION, summaryUsages } from "./entry.ts";
export type { ToolTable } from "./memory/call-shape.ts";
export { callShape, toolShapeOf } from "./memory/call-shape.ts";
export { scriptCalls } from "./memory/script-calls.ts";
export { readsAsFailed } from "./message/failed-text.ts";
export { partHandle } from "./message/handle.ts";
export {
  canonicalContent,
  type MessageDraft,
  sharedPrefixCount,
  wellFormedContext,
  wellFormedMessage,
  withId,
  withIds,
} from "./message/message.ts";
export { coverageOf, lowestLimits, messageChars, pixelSizeOf, REQUEST_UNITS } from "./message/size.ts";
export { sequenceOf } from "./sequence.ts";
export { sessionEntrySchema } from "./session/entry-schema.ts";
export { createRedaction } from "./session/redaction.ts";
export { foldLedger } from "./session/session-state.ts";
export { EMPTY_VIEW, foldEntry, foldUnhashed, modelChangeEntry, setupChange, setupChangeEntry } from "./session/view.ts";

// Tools: their input and output, and texts.

export type { AgentTool, ToolEffect, ToolOutput } from "./agent-tool.ts";
export {
  canonicalJson,
  isNestedDeeper,
  isRecord,
  type JsonValue,
  jsonIn,
  MOST_JSON_LEVELS,
  parseJson,
  stringEnd,
  wellFormed,
  writtenJson,
} from "./json.ts";
export { fencedText } from "./message/transcript-text.ts";
export { characterBoundaryAtOrBefore, createLineSplitter, shortHash } from "./text.ts";
export { OUTPUT_CATEGORIES } from "./tool.ts";

// Wires: rules of messages, and a vendor's reports.

export type { WireRules } from "./message/check.ts";
export { checkMessages, followingChecks, isUsableCallId } from "./message/check.ts";
export { isRejectedUsage, measuredUsage, rejectedUsage } from "./usage.ts";

// Loops: a session with its limits, and recovery from refusals.

export {
  budgetOf,
  LEAST_REPLY_TOKENS,
  limitsWithin,
  REPLY_RATIO,
  replyBeside,
  triggerTokens,
  withReplyWithin,
} from "./budget.ts";
export { recoveriesOf } from "./engine/goal.ts";
export { closedError } from "./error.ts";
export { askDynamicContext, clockDoor, passed, untilAborted } from "./port-door.ts";
export { createConversations } from "./session/conversations.ts";
export { compactionKind, PART_WORDS, unkeptIn } from "./session/events.ts";
export {
  afterAnswer,
  afterRejection,
  believedAt,
  believedLimits,
  learnedInLog,
  learnedWindowTokens,
  NOTHING_LEARNED,
  nextTry,
  withoutRefuted,
} from "./session/learned-limit.ts";
export { openSession } from "./session/open-session.ts";
export { MAXIMUM_RECALL_CHARS, recallArtifact } from "./session/recall.ts";
export type { Rejection } from "./session/recovery.ts";
export { answerOf, attempted, outcomeOfReply, rejectionIn, sendWithRecovery, withCount } from "./session/recovery.ts";
export { replaceHistory } from "./session/replace-history.ts";

// Stores: lines of a log, handles, and work one after the other.

export { createQueue } from "./port-door.ts";
export { decodeEntry, lineTooLong, MAXIMUM_LINE_BYTES, MORE_FOLLOWS } from "./session/codec.ts";
export { artifactHandle } from "./session/recall.ts";

// Options and files written by a user: their mistakes, and the nearest right name.

// biome-ignore lint/performance/noReExportAll: an import and an export would put all of this file into each bundle that has it
export * as option from "./option.ts";
export { suggestion } from "./schema-problems.ts";

// Policies: kinds, knobs, and the allowed keys of files.

export type { Kinds } from "./policy/kinds.ts";
export { BUILT_IN_KINDS, withKinds } from "./policy/kinds.ts";
export { amountOf, isKnobPath, KNOBS, knobText, sizeOf, withKnob } from "./policy/knobs.ts";
export { POLICY_OVERLAYS } from "./policy/overlays.ts";
export type { EnginePolicy } from "./policy/policy.ts";
export { encodingsOf, policySchema } from "./policy/policy.ts";
export { RECORDED_POLICY } from "./policy/presets/none.ts";
export { retired } from "./policy/retired.ts";
export { changesPreset, keepsByRule, readWritten, requireFallback } from "./policy/written-policy.ts";
