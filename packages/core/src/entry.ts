import { failureText } from "./error.ts";
import type { BoundReasoning, RemovedReasoning } from "./message/bound-reasoning.ts";
import type { Message, Part } from "./message/message.ts";
import type { CoverageCount, RequestLimits } from "./message/size.ts";
import type { ToolSpec } from "./tool.ts";
import type { Usage } from "./usage.ts";

/** One line of the append-only session log: no line that was written ever changes or goes. All lines in order make the context. */
export type SessionEntry =
  | SessionStartEntry
  | SetupChangeEntry
  | { readonly type: "message"; readonly message: Message }
  | UsageEntry
  | ModelChangeEntry
  | CompactionEntry
  | AttemptEntry
  | RevertEntry
  | ContextCallEntry;

/**
 * The version of the log format in new logs. Each addition to the format, even an optional key, raises it. Version 1 lacks attempts; 2 lacks the replacer of spans,
 * and limits that a provider named; 3 lacks messages that the agent declares in mid-conversation, reasoning that an entry removes, and the choice how bound
 * reasoning is treated; 4 lacks summaries of the vendor; 5 lacks calls of context tools, and the usage of steps without effect. Logs of all versions open as they are.
 */
export const LOG_VERSION = 6;

/** The first entry of a log: the beginning of every request of the session, before its messages. */
export interface SessionStartEntry {
  readonly type: "session";
  /** Version of the log's format. */
  readonly version: 1 | 2 | 3 | 4 | 5 | 6;
  readonly id: string;
  readonly createdMs: number | null;
  /** System text, empty if a recorded session does not have it. */
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** For the log of a sub-agent: its parent's log, and the call that started it if it is known. */
  readonly parent: { readonly sessionId: string; readonly callId: string | null } | null;
  /** The agent that wrote it, with its version if known. */
  readonly agent: { readonly name: string; readonly version: string | null } | null;
}

/** The field of an entry that changes the beginning of requests, if the model binds reasoning to it. */
interface RemovesReasoning {
  /**
   * Reasoning that was produced after a prefix that is no longer sent. It leaves the view with this entry and never returns. Absent if none
   * does.
   */
  readonly removedReasoning?: readonly RemovedReasoning[] | undefined;
}

/** The session goes on with another system text or other tools: these hold for every request from here on. */
export interface SetupChangeEntry extends RemovesReasoning, Pick<SessionStartEntry, "id" | "system" | "tools"> {
  readonly type: "setup-change";
  readonly atMs: number | null;
  /** Where reasoning that an entry makes invalid goes from here on; absent if that stays as it was. */
  readonly boundReasoning?: BoundReasoning | undefined;
}

/**
 * One model call, written before the reply that it produced: `usage` measured the context through `throughMessageId` (the
 * newest message that was sent, `null` for none). A call without a reported size has a usage of nulls. A request that was rejected with its size has that size, billed at
 * zero, and no reply.
 */
export interface UsageEntry {
  readonly type: "usage";
  readonly requestId: string;
  readonly modelId: string;
  readonly throughMessageId: string | null;
  /** Hash of system and tools as they were sent; `null` if a recorded session does not have them. */
  readonly overheadHash: string | null;
  /** Hash of the view that was sent; `null` in imported logs. */
  readonly viewHash: string | null;
  readonly usage: Usage;
  readonly atMs: number | null;
}

/** The session goes on with another model. */
export interface ModelChangeEntry extends RemovesReasoning {
  readonly type: "model-change";
  readonly id: string;
  readonly modelId: string;
  readonly limits: ModelLimits | null;
  readonly atMs: number | null;
}

/** Limits of a model in tokens; `null` if one is not known. The window holds input and output together. */
export interface ModelLimits {
  readonly contextWindowTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** Limits of a request in other units; left out if nothing is known. Logs do not keep it. */
  readonly request?: RequestLimits | undefined;
}

/** Returns the limits that a log keeps: window and longest reply, without `request`. */
export function loggedLimits({ contextWindowTokens, maxOutputTokens }: ModelLimits): ModelLimits {
  return { contextWindowTokens, maxOutputTokens };
}

/** The log entry of a compaction. Its edits change the context made by all entries through `throughEntryId` (for readers: `foldEntry` applies them to the view as it is); later entries stay as they are. */
export interface CompactionEntry extends RemovesReasoning {
  readonly type: "compaction";
  readonly id: string;
  readonly throughEntryId: string | null;
  readonly edits: readonly AppliedEdit[];
  readonly record: CompactionRecord;
  readonly atMs: number | null;
}

/**
 * A compaction that was tried and changed nothing, or that a hook cancelled. It is logged so that a resumed session does not try, or pay for, the same again
 * before something new arrives, unless the next request is expected not to fit. A cut that would not pay is not logged.
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
export interface RevertEntry extends RemovesReasoning {
  readonly type: "revert";
  readonly id: string;
  readonly compactionId: string;
  readonly atMs: number | null;
}

/**
 * A call of a context tool by the model; `unpin` is the undo of a pin. `text` is the passage, focus, handle, words or pin that it was about, empty for none. Only an
 * answered call has an effect.
 */
export interface ContextCallEntry {
  readonly type: "context-call";
  readonly id: string;
  readonly tool: "remaining" | "recall" | "pin" | "compact" | "unpin";
  readonly text: string;
  readonly outcome: "answered" | "refused";
  readonly atMs: number | null;
}

/** Why the engine acted. */
export type CompactionReason = (typeof COMPACTION_REASONS)[number];

/** Each reason for which the engine acts. */
export const COMPACTION_REASONS = [
  "threshold",
  "emergency",
  "overflow",
  "over-budget",
  "manual",
  "downshift",
  "hand-off",
  "repair",
  "recorded",
] as const;

/** The place in the agent's loop where a trigger is checked: with a person's message pending, before a request, once a reply's results are all there, or after a refusal. */
export type Gate = "before-submit" | "before-step" | "after-tool-batch" | "on-overflow";

/**
 * The outcome of one strategy, or other step, of a compaction (no step of the agent); `detail` says more about it in words, `null` for nothing. `usage` is that of a
 * call that was paid for without effect.
 */
export interface StepOutcome {
  readonly strategy: string;
  readonly outcome: "applied" | "not-applicable" | "failed" | "no-progress" | "released";
  readonly detail: string | null;
  readonly usage?: Usage | undefined;
  /** The error of a step that failed, with its stack; not enumerable: a log has only its text. */
  readonly cause?: unknown;
}

/** The step of a part that failed. */
export function failedStep(strategy: string, cause: unknown, paid: Pick<StepOutcome, "usage"> = {}): StepOutcome {
  const step = { strategy, outcome: "failed", detail: failureText(cause), ...paid } as const;
  return Object.defineProperty(step, "cause", { value: cause });
}

/** The record of a compaction: the tried steps, their work, and sizes of requests as the named estimator expected them: reports before a cut say nothing of the size after. */
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
  /** The limit that a provider named when it refused the context; absent if that is not why, or it named none. */
  readonly observedLimitTokens?: number | undefined;
}

/** Work done, for bounds that tests can assert: UTF-16 code units read, messages looked at, calls of a tokenizer. */
export interface WorkCount {
  readonly charactersScanned: number;
  readonly messagesVisited: number;
  readonly tokenizerCalls: number;
}

/** A work count in which every count is 0. */
export const NO_WORK: WorkCount = { charactersScanned: 0, messagesVisited: 0, tokenizerCalls: 0 };

/** The id by which other entries name this one. */
export function entryIdOf(entry: SessionEntry): string {
  if (entry.type === "message") return entry.message.id;
  return entry.type === "usage" ? entry.requestId : entry.id;
}

/** True for an entry that changes the beginning of requests, or messages that were sent. */
export function isOfView({ type }: SessionEntry): boolean {
  return type === "setup-change" || type === "compaction" || type === "revert";
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

/** Spans give way to a model's summary, a digest that needs none, a summary of the vendor's, a notice that counts the removed messages, or nothing. */
type SpanAnswer = "summary" | "digest" | "vendor" | "notice" | "nothing";

/** An edit as the log keeps it: it can be applied again without a model, a clock or a policy. */
export type AppliedEdit = AppliedReplaceSpans | AppliedReplacePart | AppliedReplaceHistory;

/** Spans replaced by nothing, or by one message in the place where the first span began; `moved` and `note` go to the view's end. */
export interface AppliedReplaceSpans {
  readonly kind: "replace-spans";
  readonly spans: readonly PromptedSpan[];
  readonly by: SpanAnswer;
  /** `null` only for `nothing`. */
  readonly message: Message | null;
  /** Covered messages that stay all the same, at the view's end: a vendor's block must be followed by the message behind its span. Absent for none. */
  readonly moved?: readonly string[] | undefined;
  /** Facts behind them; absent for none. */
  readonly note?: Message | undefined;
  readonly covered: CoverageCount;
  /** Usage of the summary's own request; `null` for a message that no model wrote. */
  readonly usage: Usage | null;
  /** The prompts used for it, each as `id@version`; absent for none. */
  readonly prompts?: readonly string[] | undefined;
  /** Names of the repairs to the model's answer; absent if there were none. */
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
  /** The newest message that was replaced: messages appended after it stay. `null` replaces the whole view. */
  readonly through: string | null;
  readonly messages: readonly Message[];
  readonly covered: CoverageCount;
}

/** Lists the whole messages that an edit put into the context; none for an edit of one part of a message. */
export function messagesWrittenBy(edit: AppliedEdit): readonly Message[] {
  if (edit.kind === "replace-history") return edit.messages;
  if (edit.kind === "replace-part") return [];
  return [edit.message, edit.note].flatMap((message) => message ?? []);
}

/** The usage of a compaction's own calls, including those without effect. */
export function summaryUsages(entry: CompactionEntry | AttemptEntry): readonly Usage[] {
  const edits = entry.type === "compaction" ? entry.edits : [];
  const written = edits.flatMap((edit) => (edit.kind === "replace-spans" && edit.usage !== null ? [edit.usage] : []));
  const { steps } = entry.type === "compaction" ? entry.record : entry;
  return [...written, ...steps.flatMap(({ usage = null }) => (usage === null ? [] : [usage]))];
}
