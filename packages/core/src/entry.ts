import type { Message, Part } from "./message/message.ts";
import type { ToolSpec } from "./tool.ts";
import type { Usage } from "./usage.ts";

/** One line of the append-only session log. The log's fold is the context; nothing in it is ever changed or removed. */
export type SessionEntry =
  | SessionStartEntry
  | SetupChangeEntry
  | MessageEntry
  | UsageEntry
  | ModelChangeEntry
  | CompactionEntry
  | AttemptEntry
  | RevertEntry;

/** Version of the log's format that new logs carry. Version 1 has no attempts; it opens as it is. */
export const LOG_VERSION = 2;

/** The first entry of a log: what every request of the session sends before its messages. */
export interface SessionStartEntry {
  readonly type: "session";
  /** Version of the log's format. */
  readonly version: 1 | 2;
  readonly id: string;
  readonly createdMs: number | null;
  /** System text, empty if a recorded session does not tell it. */
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** For the log of a sub-agent: its parent's log, and the call that started it if it is known. */
  readonly parent: { readonly sessionId: string; readonly callId: string | null } | null;
  /** The agent that wrote it, with its version if known. */
  readonly agent: { readonly name: string; readonly version: string | null } | null;
}

/** The session goes on with another system text or other tools: these hold for every request from here on. */
export interface SetupChangeEntry {
  readonly type: "setup-change";
  readonly id: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly atMs: number | null;
}

/** A message that entered history. Its entry id is the message's id. */
export interface MessageEntry {
  readonly type: "message";
  readonly message: Message;
}

/**
 * One model call, written before the reply that it produced: `usage` measured the context through `throughMessageId` (the
 * newest message that was sent, `null` for none). A call whose size was not reported carries a usage of nulls; a request that was rejected
 * with its size carries that size, billed at zero, and has no reply.
 */
export interface UsageEntry {
  readonly type: "usage";
  readonly requestId: string;
  readonly modelId: string;
  readonly throughMessageId: string | null;
  /** Hash of system and tools as they were sent; `null` if a recorded session does not tell them. */
  readonly overheadHash: string | null;
  /** Hash of the view that was sent; `null` in imported logs. */
  readonly viewHash: string | null;
  readonly usage: Usage;
  readonly atMs: number | null;
}

/** The session goes on with another model. */
export interface ModelChangeEntry {
  readonly type: "model-change";
  readonly id: string;
  readonly modelId: string;
  readonly limits: ModelLimits | null;
  readonly atMs: number | null;
}

/** What a model takes: `null` if it is not known. The window holds input and output together. */
export interface ModelLimits {
  readonly contextWindowTokens: number | null;
  readonly maxOutputTokens: number | null;
}

/** A compaction: edits that the fold applies to the view of everything through `throughEntryId`; what came later stays. */
export interface CompactionEntry {
  readonly type: "compaction";
  readonly id: string;
  readonly throughEntryId: string | null;
  readonly edits: readonly AppliedEdit[];
  readonly record: CompactionRecord;
  readonly atMs: number | null;
}

/**
 * A compaction that was tried and changed nothing. It is logged so that a resumed session does not try, or pay for, the same again before
 * something new arrives.
 */
export interface AttemptEntry {
  readonly type: "attempt";
  readonly id: string;
  readonly reason: CompactionReason;
  readonly outcome: "failed" | "irreducible" | "cancelled";
  readonly steps: readonly StepOutcome[];
  /** Estimate of the view when it was tried, in tokens of the policy's own measure. */
  readonly estimatedTokens: number;
  readonly atMs: number | null;
}

/** Undoes the latest compaction that is still active; it must be the one named. */
export interface RevertEntry {
  readonly type: "revert";
  readonly id: string;
  readonly compactionId: string;
  readonly atMs: number | null;
}

/** A span of messages of a view, both ends included, by message id. */
export interface MessageSpan {
  readonly from: string;
  readonly through: string;
}

/** A span and the prompt that its text is to be written with; `null` if no text is. */
export interface PromptedSpan extends MessageSpan {
  readonly promptId: string | null;
}

/**
 * What is put in the place of spans: a summary that a model writes, a digest that needs none, a notice that counts what went, or nothing, so
 * that the record alone counts it.
 */
export type SpanAnswer = "summary" | "digest" | "notice" | "nothing";

/** An edit with everything that is needed to fold it again: no model, no clock, no policy. */
export type AppliedEdit = AppliedReplaceSpans | AppliedReplacePart | AppliedReplaceHistory;

/** Spans replaced by nothing, or by one message in the place where the first span began. */
export interface AppliedReplaceSpans {
  readonly kind: "replace-spans";
  readonly spans: readonly PromptedSpan[];
  readonly by: SpanAnswer;
  /** `null` for `nothing` alone. */
  readonly message: Message | null;
  readonly covered: CoverageCount;
  /** Usage of the summary's own request; `null` for a message that no model wrote. */
  readonly usage: Usage | null;
  /** The prompts that it was written with, each as `id@version`; absent if none was used. */
  readonly prompts?: readonly string[] | undefined;
  /** What was put right in the model's answer; absent if nothing was. */
  readonly repairs?: readonly string[] | undefined;
}

/** One part replaced by a shorter one; `handle` finds the original again. */
export interface AppliedReplacePart {
  readonly kind: "replace-part";
  readonly messageId: string;
  readonly partIndex: number;
  readonly part: Part;
  readonly handle: string;
  readonly removedChars: number;
}

/** The whole view replaced: a compaction that another agent recorded, or a caller that supplied a new history. */
export interface AppliedReplaceHistory {
  readonly kind: "replace-history";
  /** The newest message that was replaced: what was appended after it stays. `null` replaces the whole view. */
  readonly through: string | null;
  readonly messages: readonly Message[];
  readonly covered: CoverageCount;
}

/** What an edit took out of the view: whole messages, their parts, and UTF-16 code units of their text. */
export interface CoverageCount {
  readonly messages: number;
  readonly parts: number;
  readonly chars: number;
}

/** Why the engine acted. */
export type CompactionReason =
  | "threshold"
  | "emergency"
  | "overflow"
  | "over-budget"
  | "manual"
  | "downshift"
  | "hand-off"
  | "repair"
  | "recorded";

/** Where in the agent's loop a trigger is checked. */
export type Gate = "before-submit" | "before-step" | "after-tool-batch" | "on-overflow";

/** What happened at one step of the chain. */
export interface StepOutcome {
  readonly strategy: string;
  readonly outcome: "applied" | "not-applicable" | "failed" | "no-progress" | "released";
  readonly detail: string | null;
}

/** The record of a compaction: sizes by the named estimator, what was tried, and the work that it took. */
export interface CompactionRecord {
  readonly policy: string;
  readonly reason: CompactionReason;
  readonly gate: Gate | null;
  readonly steps: readonly StepOutcome[];
  readonly estimator: string;
  readonly cutEstimator: string | null;
  readonly modelId: string | null;
  readonly budgetTokens: number | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly work: WorkCount;
  /** The step of the turn at whose gate it was made: 0 before the submit; absent if the caller does not count. */
  readonly step?: number | undefined;
}

/** Work done, for bounds that tests can assert: UTF-16 code units read, messages looked at, calls of a tokenizer. */
export interface WorkCount {
  readonly charactersScanned: number;
  readonly messagesVisited: number;
  readonly tokenizerCalls: number;
}

/** No work. */
export const NO_WORK: WorkCount = { charactersScanned: 0, messagesVisited: 0, tokenizerCalls: 0 };

/** The id by which other entries name this one. */
export function entryIdOf(entry: SessionEntry): string {
  switch (entry.type) {
    case "message":
      return entry.message.id;
    case "usage":
      return entry.requestId;
    case "session":
    case "setup-change":
    case "model-change":
    case "compaction":
    case "attempt":
    case "revert":
      return entry.id;
    default:
      return entry satisfies never;
  }
}

/** The messages that an edit wrote into the view. */
export function messagesWrittenBy(edit: AppliedEdit): readonly Message[] {
  switch (edit.kind) {
    case "replace-spans":
      return edit.message === null ? [] : [edit.message];
    case "replace-history":
      return edit.messages;
    case "replace-part":
      return [];
    default:
      return edit satisfies never;
  }
}
