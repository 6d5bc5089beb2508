import type { SessionEntry, SessionStartEntry } from "./entry.ts";
import type { JsonValue } from "./json.ts";
import type { BoundReasoning } from "./message/bound-reasoning.ts";
import type { AssistantMessage, Context, Message, StopReason } from "./message/message.ts";
import type { TranscriptLabels, TranscriptStyle } from "./message/transcript-text.ts";
import type { Usage } from "./usage.ts";

/** A prompt for summaries. A change of its wording raises its version. */
export interface Prompt {
  readonly id: string;
  readonly version: number;
  /** True for a prompt about the beginning of an unfinished turn: its text has no sections, and follows the text about the older history. */
  readonly isOfTurnPrefix?: boolean;
  /** Returns the model's task for the titles of the policy's sections. */
  instructions(sections: readonly string[]): string;
}

/** A request for one summary: the covered messages, in order, and the form of the text. */
export interface SummaryRequest {
  /** One part per span; each names the prompt for its text. */
  readonly parts: readonly { readonly promptId: string; readonly messages: readonly Message[] }[];
  /** All messages of the parts' context; those in no part stay, word for word. Absent if unknown. */
  readonly view?: readonly Message[];
  /** The available prompts; the built-in ones by default. */
  readonly prompts?: readonly Prompt[];
  /** Section titles that the summary must have, in order. */
  readonly sections: readonly string[];
  readonly maxTokens: number;
  /** Most tokens of an answer with its reasoning, within the window; absent if unknown. */
  readonly replyTokens?: number;
  /** The reasoning effort that the policy sets; absent for none. */
  readonly reasoning?: ModelRequest["reasoning"] | undefined;
  /** Most tokens of the text about a split turn's older part, if it is a separate part. */
  readonly turnPrefixMaxTokens: number;
  /** The subject that the person asked the summary to concentrate on. */
  readonly focus: string | null;
  /** Cap of each tool result in a serialised request, in characters; `null` for none. */
  readonly resultCapChars: number | null;
  /** The labels before and after each piece of a serialised history. */
  readonly labels: TranscriptLabels;
  /** How calls are written, the text for parts without one, and the joint between parts; see `TranscriptStyle`. */
  readonly calls?: TranscriptStyle["calls"];
  readonly textless?: TranscriptStyle["textless"];
  readonly joints?: TranscriptStyle["joints"];
  /** The conversation through the newest covered message, for a request that continues it; absent for fenced text. */
  readonly conversation?: Context;
  /** The model to ask in place of the summariser's own, at the same provider. */
  readonly modelId?: string;
}

/** A summariser's result. The engine validates it before it becomes part of a context. */
export interface Summary {
  readonly text: string;
  /** Usage of the summary's own request; `null` if no model was asked. */
  readonly usage: Usage | null;
  readonly stopReason: StopReason;
  /** The prompts used for it, each as `id@version`; absent for none. */
  readonly prompts?: readonly string[];
  /** Names of the repairs to the model's answer. */
  readonly repairs?: readonly string[];
  /** True for a text, such as a digest, that quotes its messages without a model: calls and turns in it are quotations. */
  readonly isQuoted?: true;
}

/** Writes summaries. Rejects on failure: an error never becomes text. */
export type Summarizer = (request: SummaryRequest, signal: AbortSignal) => Promise<Summary>;

/** Resolves after so many milliseconds; rejects when the signal aborts before. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Keeps output that was cut before it entered history. Unusable or missing answers are `bad-input` errors that name the function. A handle is its text's hash. */
export interface ArtifactStore {
  /** Stores the text and resolves to its handle. Storing the same text again changes nothing. */
  put(text: string): Promise<string>;
  /** The text that a handle names; `null` for an unknown handle. */
  get(handle: string): Promise<string | null>;
}

/**
 * The live state of something that compaction must not forget (a todo list, running sub-agents); `null` if there is none. Must answer at once. If it fails or answers
 * with anything else, compaction goes on without it, and its record has a failed step.
 */
export type StateProvider = () => { readonly title: string; readonly text: string } | null;

/** A file that the agent tracks in addition to its calls. `state` is its last known state (a version, a time), as text. */
export interface TrackedFile {
  readonly path: string;
  readonly access: "read" | "modify";
  readonly state: string | null;
}

/** Asked for all tracked files at each compaction. Answers at once; one that fails is treated as a {@link StateProvider} that does. */
export type FileTracker = () => readonly TrackedFile[];

/** One request to a model. */
export interface ModelRequest {
  readonly context: Context;
  readonly modelId: string;
  readonly maxOutputTokens: number;
  /** The model's reasoning effort; absent for its own default. Wires without such a setting omit it. */
  readonly reasoning?: "low" | "medium" | "high";
  /** True if `reasoning` is only a preference: a wire omits it for a model that does not reason, or reasons only on request. */
  readonly isReasoningWished?: boolean;
  /** The part of `maxOutputTokens` reserved for reasoning beside the text; absent if none is. */
  readonly thinkingTokens?: number;
}

/** A reply before it has an id in a log; `draft.requestId` joins it to its usage entry. */
export interface ModelReply {
  readonly requestId: string;
  readonly draft: Omit<AssistantMessage, "id">;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** Characters of its text; `null` if the answer holds more than text and reasoning, even if no part shows it. Counted in the parts if it is left out. */
  readonly saidChars?: number | null;
  /** True if the provider says that the reply was cut off because the context window was full. */
  readonly isWindowFull?: boolean;
}

/**
 * An event of a streamed request, in order. Deltas are for display; only the reply, always last, counts. A `retry` voids everything before it. `class` is the class of
 * the provider's failure.
 */
export type ModelEvent =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "tool-call-start"; readonly callId: string; readonly toolName: string }
  | { readonly type: "retry"; readonly attempt: number; readonly class: string; readonly waitMs: number }
  | { readonly type: "reply"; readonly reply: ModelReply };

/** A summary that the vendor wrote of a whole request: the block that it wants back unchanged, and its text; empty if that is encrypted. */
export interface VendorSummary {
  readonly block: JsonValue;
  readonly text: string;
  readonly usage: Usage;
}

/**
 * A model behind a provider's wire. Rejects with `context-overflow` if the provider says that the prompt does not fit, `unsendable` for
 * messages that its wire rejects, `aborted` for the caller's abort and `provider-failed` for everything else. Never retries an overflow.
 */
export interface ModelClient {
  /** How reasoning is treated if messages before it changed and its model would refuse it: "vendor-drops" if the vendor is asked to drop it. If left out, it is removed. */
  readonly boundReasoning?: BoundReasoning;
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Has the vendor summarise the request's messages. Rejects if no summary comes back. Left out where the wire has no such request. */
  compact?(request: ModelRequest, signal: AbortSignal): Promise<VendorSummary>;
}

/**
 * Keeps session logs, one writer each. Every function rejects with
 *
 * - `session-conflict` if another writer has the log or wrote to it; `details` have the `sessionId` and the known facts of the other one. A store may refuse a
 *   second writer when it opens the log or at its first append. Nothing that either wrote is lost.
 * - `session-limit` if an entry or log is too large, or nested too deep, to be opened again. Nothing is written then.
 * - `bad-session` if a log is damaged, missing or cannot be written.
 * - `bad-input` for an id that cannot be used.
 *
 * If a function resolves to anything else, rejects with a foreign error or misses the deadline, callers get a `bad-input` error that names it and the answer.
 *
 * With `onEntry` a function hands over the entries one by one, in order, while it reads, and resolves to empty `entries`, so that no log has to be in memory whole. If it
 * rejects, those entries are void. It passes on an error that `onEntry` throws.
 */
export interface SessionStore {
  /** Creates a log that begins with this entry. Rejects if the id exists. */
  create(start: SessionStartEntry): Promise<SessionWriter>;
  /** Opens a log to continue it. A cut-off last line is removed and reported. Rejects if there is no such log. */
  open(sessionId: string, onEntry?: EntryListener): Promise<OpenedSession>;
  /** Reads the log as it is now without becoming its writer; `null` for an unknown log. */
  read(sessionId: string, onEntry?: EntryListener): Promise<StoredSession | null>;
  /** Lists all logs, the last written first. */
  list(): Promise<readonly SessionSummary[]>;
  /** Makes a new log that begins with a copy of another one, through the named entry. */
  branch(source: SessionBranch, onEntry?: EntryListener): Promise<OpenedSession>;
  /** Removes a log with everything that the store keeps for it. Rejects with `session-conflict` while a writer has it; does nothing if there is no such log. */
  delete(sessionId: string): Promise<void>;
}

/** Takes one entry of a log as it is read. */
export type EntryListener = (entry: SessionEntry) => void;

/** The one writer of a log. It notices at an append if another writer has changed the log since it was opened or last written. */
export interface SessionWriter {
  readonly sessionId: string;
  /**
   * Resolves when the entries are in the log. After a rejection the log is as it was before: entries of it that an unreachable store has are removed
   * when this writer appends again or closes. If another writer has changed the log, the append is a `session-conflict` whose `details` have
   * `expected` and `found`, in the store's own measure (bytes, entries).
   */
  append(entries: readonly SessionEntry[]): Promise<void>;
  /** Reads the entry at an index, counted from 0 over the whole log. Rejects with `bad-input` if the log has no such entry. */
  entryAt(index: number): Promise<SessionEntry>;
  /** Releases the log for other writers; may be called again. Rejects if it could not force entries to the disk. */
  close(): Promise<void>;
}

/** A log as read, and the remains of a last line after a crash. */
export interface StoredSession {
  /** All entries in order; none if an {@link EntryListener} took them. */
  readonly entries: readonly SessionEntry[];
  /** The cut-off last line that is not among the entries, or `null`. */
  readonly cutOff: { readonly line: number; readonly bytes: number } | null;
}

/** A log with its writer. */
export interface OpenedSession extends StoredSession {
  readonly writer: SessionWriter;
}

/** Names the beginning of a log that a new one copies: all entries through `throughEntryId`, the first with the new id. */
export interface SessionBranch {
  readonly sessionId: string;
  readonly throughEntryId: string;
  readonly newSessionId: string;
  readonly nowMs: number | null;
}

/** A log as a list shows it. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly createdMs: number | null;
  /** The time of the last write; `null` if the store does not know. */
  readonly updatedMs: number | null;
  readonly parentId: string | null;
  readonly bytes: number;
  /** Beginning of the first human message, or `null`. */
  readonly title: string | null;
}
