// The exports for a user of the package. Builders of parts and loops take `./extend`.

export type { Amount, Trigger } from "./budget.ts";
export type { BeforeCompaction, FitInput, FitOutcome } from "./engine/fit-input.ts";
export type { CompactionEntry, Gate, ModelLimits, SessionEntry, UsageEntry } from "./entry.ts";
export { isPlimsollError, PlimsollError } from "./error.ts";
export { createDigest } from "./memory/digest.ts";
export type { BoundReasoning, IsBoundReasoning } from "./message/bound-reasoning.ts";
export type {
  AssistantMessage,
  Context,
  ImagePart,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultMessage,
  UserMessage,
} from "./message/message.ts";
export { isHuman, textOf, toolCallsOf } from "./message/message.ts";
export { repairMessages } from "./message/repair.ts";
export type { RequestLimits } from "./message/size.ts";
export type { Policy } from "./policy/policy.ts";
export { KLAUDE_CODE_POLICY } from "./policy/presets/klaude-code.ts";
export { NONE_POLICY } from "./policy/presets/none.ts";
export { OPAL_POLICY } from "./policy/presets/opal.ts";
export { PI_POLICY, piPolicy } from "./policy/presets/pi.ts";
export { PLIMSOLL_MODEL_POLICY, PLIMSOLL_POLICY } from "./policy/presets/plimsoll.ts";
export { PRESETS, presetNamed } from "./policy/presets/presets.ts";
export { SVEN_POLICY, svenPolicy } from "./policy/presets/sven.ts";
export { definePolicy, type WrittenPolicy } from "./policy/written-policy.ts";
export type {
  ArtifactStore,
  EntryListener,
  ModelClient,
  ModelEvent,
  ModelReply,
  ModelRequest,
  OpenedSession,
  SessionBranch,
  SessionStore,
  SessionSummary,
  SessionWriter,
  StateProvider,
  StoredSession,
  Summarizer,
  Summary,
  SummaryRequest,
} from "./ports.ts";
export { decodeLog, encodeLog } from "./session/codec.ts";
export { type ContextTools, contextTools } from "./session/context-tools.ts";
export type { ContextEvent } from "./session/events.ts";
export { createKeyRedactor, createRedactor, isCredentialName } from "./session/hidden-keys.ts";
export { createSession } from "./session/open-session.ts";
export { admitToolResult, createMemoryArtifactStore } from "./session/recall.ts";
export type { Session, SessionOptions } from "./session/session.ts";
export type { SessionView } from "./session/view.ts";
export { createModelSummarizer } from "./summarizer/model-summarizer.ts";
export type { OutputCategory, PathAccess, ToolSpec } from "./tool.ts";
export type { Usage } from "./usage.ts";
export { UNREPORTED_USAGE, usageOf } from "./usage.ts";
