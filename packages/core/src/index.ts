// Values and words

// Tokens and budget
export type { Amount, Budget } from "./budget.ts";
export { budgetOf, resolveAmount } from "./budget.ts";
// Cutting and editing
export type { Boundary } from "./cut-point/boundary.ts";
export { cutAtBoundary } from "./cut-point/boundary.ts";
export { cutExceedingTokens, cutKeepingMessages, cutKeepingTokens, forcedCut } from "./cut-point/recent.ts";
export { safeCutAtOrAfter, safeCutAtOrBefore, safeCuts } from "./cut-point/safe-cuts.ts";
export type { SplitTurn } from "./cut-point/split-turn.ts";
export { splitTurnAt } from "./cut-point/split-turn.ts";
// Economics
export type { CacheRequest, CacheRules, CacheUse, ModelPrices, PreviousRequest, PriceTier } from "./economics.ts";
export { cacheUse, outputUsd, promptUsd, uncachedPromptUsd } from "./economics.ts";
export { applyEdits } from "./edit/apply-edits.ts";
export type { DropEdit, Edit, ReplacePartEdit, SummarizeEdit } from "./edit/edit.ts";
// Engine
export { execute } from "./engine/execute.ts";
export type { BeforeCompaction, CompactionNotice, FitInput, FitOutcome, FitState, SizedPart } from "./engine/fit-input.ts";
export { recoveriesOf } from "./engine/goal.ts";
export type { Plan, PlanInput, Rung } from "./engine/plan.ts";
export { ladderOf, plan } from "./engine/plan.ts";
// Session log
export type {
  AppliedDrop,
  AppliedEdit,
  AppliedReplaceHistory,
  AppliedReplacePart,
  AppliedSummarize,
  CompactionEntry,
  CompactionReason,
  CompactionRecord,
  CoverageCount,
  Gate,
  MessageEntry,
  MessageSpan,
  ModelChangeEntry,
  ModelLimits,
  RevertEntry,
  SessionEntry,
  SessionStartEntry,
  SetupChangeEntry,
  StepOutcome,
  UsageEntry,
  WorkCount,
} from "./entry.ts";
export { entryIdOf, NO_WORK } from "./entry.ts";
export type { PlimsollErrorCode } from "./error.ts";
export { isPlimsollError, PlimsollError } from "./error.ts";
export type { CallOutcome } from "./facts/errors.ts";
export { lastErrors } from "./facts/errors.ts";
export type { Facts } from "./facts/facts.ts";
export { foldFacts, NO_FACTS, withTrackedFiles } from "./facts/facts.ts";
export { fileOperations } from "./facts/file-operations.ts";
export { sha256Hex, shortHash } from "./hash.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { canonicalJson, isRecord } from "./json.ts";
export type { WireRules, WireViolation, WireViolationCode } from "./message/check.ts";
export { checkMessages, isUsableCallId, STRICT_WIRE_RULES } from "./message/check.ts";
// Facts and handles
export { parseHandle, parseSpanHandle, partHandle, spanHandle } from "./message/handle.ts";
export type { MessageDraft } from "./message/ids.ts";
export { canonicalContent, chainId, extendViewHash, overheadHash, withId } from "./message/ids.ts";
// Messages
export type {
  AssistantMessage,
  Context,
  ImagePart,
  ImageSource,
  Message,
  Origin,
  Part,
  ReasoningPart,
  StopReason,
  TextPart,
  ToolCallPart,
  ToolResultMessage,
  UserMessage,
} from "./message/message.ts";
export { isHuman, textOf, toolCallsOf } from "./message/message.ts";
export { sharedPrefixCount } from "./message/prefix.ts";
export type { RepairedMessages } from "./message/repair.ts";
export { MISSING_RESULT_TEXT, repairMessages } from "./message/repair.ts";
export type { Repair, RepairAction } from "./message/repair-record.ts";
export { coverageOf, messageChars, partChars } from "./message/size.ts";
export type { TranscriptLabel, TranscriptLabels, TranscriptStyle } from "./message/transcript-text.ts";
export { fencedText, transcriptText } from "./message/transcript-text.ts";
export { wellFormed, wellFormedContext } from "./message/well-formed.ts";
// Strategies and policies
export { encodingsOf } from "./policy/encodings.ts";
export type { PolicyOverlay } from "./policy/overlays.ts";
export { POLICY_OVERLAYS, piKnobsSchema, svenKnobsSchema } from "./policy/overlays.ts";
export type { Keep, Policy, SummaryRequestForm } from "./policy/policy.ts";
export { policySchema } from "./policy/policy.ts";
export type { KlaudeCodeSizes } from "./policy/presets/klaude-code.ts";
export {
  KLAUDE_CODE_DOCUMENT_POLICY,
  KLAUDE_CODE_POLICY,
  klaudeCodeSizes,
  klaudeCodeTrigger,
} from "./policy/presets/klaude-code.ts";
export { BRACKETED_LABELS, SPOKEN_LABELS } from "./policy/presets/labels.ts";
export { NONE_POLICY } from "./policy/presets/none.ts";
export { OPAL_POLICY } from "./policy/presets/opal.ts";
export type { PiKnobs, ResolvedWindow, WindowSources } from "./policy/presets/pi.ts";
export {
  CHECKPOINT_SECTIONS,
  PI_DEFAULTS,
  PI_POLICY,
  piPolicy,
  piSummaryBudgets,
  resolveContextWindow,
} from "./policy/presets/pi.ts";
export { PLIMSOLL_MODEL_POLICY, PLIMSOLL_POLICY } from "./policy/presets/plimsoll.ts";
export { PRESETS, presetNamed } from "./policy/presets/presets.ts";
export { RECORDED_POLICY } from "./policy/presets/recorded.ts";
export type { SvenKnobs } from "./policy/presets/sven.ts";
export {
  STRUCTURED_SECTIONS,
  SVEN_CI_POLICY,
  SVEN_DEFAULTS,
  SVEN_INTERACTIVE_POLICY,
  SVEN_POLICY,
  svenKeptMessages,
  svenPolicy,
  svenThresholdRatio,
} from "./policy/presets/sven.ts";
// Summaries
export type {
  ArtifactStore,
  FileTracker,
  ModelClient,
  ModelEvent,
  ModelReply,
  ModelRequest,
  StateProvider,
  Summarizer,
  Summary,
  SummaryRequest,
  TrackedFile,
  Wait,
} from "./ports.ts";
export type { KeptState } from "./prompts/facts.ts";
export { factsText, NO_KEPT_STATE } from "./prompts/facts.ts";
export { summaryText } from "./prompts/header.ts";
export type { Prompt } from "./prompts/prompt.ts";
export { PROMPTS, promptFor } from "./prompts/registry.ts";
export { SUMMARIZER_ROLE, SUMMARY_RULES, SUMMARY_RULES_VERSION } from "./prompts/rules.ts";
export { TRUNCATE_NOTICE, truncateText } from "./prompts/truncate.ts";
export type { ReportedTokens } from "./reported-tokens.ts";
export { isSilentOverflow, measuredUsage, reportedTokens } from "./reported-tokens.ts";
export type { Sequence } from "./sequence.ts";
export { sequenceOf } from "./sequence.ts";
export type { Admission, AdmittedResult } from "./session/admit.ts";
export { admitToolResult, recallArtifact } from "./session/admit.ts";
export type { DecodedLog } from "./session/codec.ts";
export { decodeEntry, decodeLog, encodeEntry, encodeLog } from "./session/codec.ts";
export type { CompactionFigures } from "./session/compaction-log-line.ts";
export { compactionFigures, compactionKind, compactionLogLine } from "./session/compaction-log-line.ts";
// Session
export type { ContextManager } from "./session/context-manager.ts";
export { createContextManager } from "./session/context-manager.ts";
export type { ContextManagerOptions } from "./session/context-manager-options.ts";
export { sessionEntrySchema } from "./session/entry-schema.ts";
export type { ContextEvent, ContextListener, SilentTruncationEvent } from "./session/events.ts";
export { firstKeptId } from "./session/first-kept.ts";
export type { KeptBrief } from "./session/kept-brief.ts";
export { keptBrief } from "./session/kept-brief.ts";
export { foldLedger } from "./session/ledger.ts";
export { artifactHandle, createMemoryArtifactStore } from "./session/memory-artifact-store.ts";
export type { LoggedMessages, LogPlaces } from "./session/message-index.ts";
export type { Recalled, RecallRange } from "./session/recall.ts";
export { MAXIMUM_RECALL_CHARS, pieceOf, recall } from "./session/recall.ts";
export type { SummaryFiles } from "./session/summary-files.ts";
export { summaryFiles } from "./session/summary-files.ts";
export type { SessionView } from "./session/view.ts";
export { EMPTY_VIEW, foldEntries, foldEntry } from "./session/view.ts";
export { dropOldest } from "./strategy/drop-oldest.ts";
export type {
  DropOldestSpec,
  Strategy,
  StrategyAnswer,
  StrategyInput,
  StrategySpec,
  SummarizeSpec,
} from "./strategy/strategy.ts";
export { summarize } from "./strategy/summarize.ts";
export type { DigestOptions } from "./summarizer/digest.ts";
export { createDigest, DEFAULT_DIGEST_OPTIONS } from "./summarizer/digest.ts";
export type { ModelSummarizerOptions } from "./summarizer/model-summarizer.ts";
export { createModelSummarizer } from "./summarizer/model-summarizer.ts";
export type { SummaryPart, SummaryPrompt } from "./summarizer/summary-request.ts";
export { summaryPrompt } from "./summarizer/summary-request.ts";
export type { RepairedSummary, SummaryRepair, SummaryRules } from "./summarizer/validate.ts";
export { repairedSummary, validSummaryText } from "./summarizer/validate.ts";
export {
  characterBoundaryAtOrAfter,
  characterBoundaryAtOrBefore,
  codePointCount,
  isSurrogatePairAt,
  lineCount,
  utf8Bytes,
} from "./text.ts";
export type { BpeSpec } from "./tokens/bpe.ts";
export type { CalibratedEmaSpec } from "./tokens/calibrated-ema.ts";
export { nextFactor } from "./tokens/calibrated-ema.ts";
export type { CharClassSpec } from "./tokens/char-class.ts";
export { charClass } from "./tokens/char-class.ts";
export type { ClassCounts } from "./tokens/char-classes.ts";
export { CHAR_CLASSES, countClasses } from "./tokens/char-classes.ts";
export type { CharsPerTokenSpec } from "./tokens/chars-per-token.ts";
export { charsPerToken } from "./tokens/chars-per-token.ts";
export type { Estimator, EstimatorSources, EstimatorSpec, Overhead, Prediction } from "./tokens/estimator.ts";
export { createEstimator } from "./tokens/estimator.ts";
export type { AreaRule, ImageRule, TileRule } from "./tokens/image-rule.ts";
export type { Measured } from "./tokens/ledger/learn-from-report.ts";
export { measuredBy } from "./tokens/ledger/learn-from-report.ts";
export { EMPTY_LEDGER } from "./tokens/ledger.ts";
export type { MessageMeasure } from "./tokens/measure.ts";
export type { MeasureSpec } from "./tokens/measure-spec.ts";
export type { ModelPrior, ModelPriors } from "./tokens/model-prior.ts";
export { POOLED_PRIOR, pooledPriors } from "./tokens/model-prior.ts";
export type { CountTokens, Tokenizers } from "./tokens/tokenizer.ts";
export type { WorkCounter } from "./tokens/work.ts";
export { createWorkCounter, workBetween } from "./tokens/work.ts";
export type { OutputCategory, PathAccess, ToolSpec } from "./tool.ts";
export { OUTPUT_CATEGORIES } from "./tool.ts";
export type { Trigger } from "./trigger.ts";
export { fires, triggerTokens } from "./trigger.ts";
// Truncation
export { cutFileContent } from "./truncation/file-content.ts";
export { cutGeneric } from "./truncation/generic.ts";
export { cutHeadTail } from "./truncation/head-tail.ts";
export { cutMatchList } from "./truncation/match-list.ts";
export type { NoticeForm, Omission } from "./truncation/notice.ts";
export { OMISSION_NOTICE, omissionNotice } from "./truncation/notice.ts";
export type { Cutter, CutterInput, Span } from "./truncation/span.ts";
export type { TruncatedMessage } from "./truncation/truncate-message.ts";
export { truncateMessage } from "./truncation/truncate-message.ts";
export type { TruncatedText, TruncationRequest } from "./truncation/truncate-text.ts";
export { CAP_BYTES_PER_TOKEN, truncateToolResult } from "./truncation/truncate-text.ts";
export type { BilledUsage, InputUsage, OutputUsage, Usage, UsageParts } from "./usage.ts";
export { isRejectedUsage, rejectedUsage, UNREPORTED_USAGE, usageOf } from "./usage.ts";
