import type {
  ArtifactStore,
  BoundReasoning,
  ContextEvent,
  ModelLimits,
  OutputCategory,
  Policy,
  SessionOptions,
  SessionStore,
  Summarizer,
} from "@plimsoll/core";
import type { ConversationName, Kinds, LearnedLimits } from "@plimsoll/core/extend";

/** State of one conversation: texts that stay verbatim, its live state, its files, and a hook that is asked before a compaction. */
export type ConversationContext = Pick<SessionOptions, "pinned" | "stateProviders" | "fileTracker" | "beforeCompaction">;

/** Options of every drop-in. */
export interface CompactorOptions {
  readonly policy: Policy;
  /** Kinds that the policy may name in addition to core's, and how results are cut; made by `withKinds`. */
  readonly kinds?: Kinds;
  /** The model's limits, or those of the model that a request names (`null` if it names none). */
  readonly limits: ModelLimits | ((modelId: string | null) => ModelLimits);
  /** Writes the summaries; the deterministic digest, which asks no model, if it is left out. */
  readonly summarizer?: Summarizer;
  readonly onEvent?: (event: ContextEvent, conversation: ConversationName) => void;
  /** Gives the state of one conversation by its key and the id of its log: histories under one key that part have logs of their own. Requests need a key then. */
  readonly context?: (conversation: string, sessionId: string) => ConversationContext;
  /** Where the logs are kept, so that a conversation goes on after a restart. Requests need a key then. */
  readonly sessions?: SessionStore;
  /** Keeps results that are cut to the policy's cap when they arrive; a store in memory for each conversation if it is left out. */
  readonly artifacts?: ArtifactStore;
  /** Names the form of a tool's output, which decides how it is cut; told by a call's arguments if it is left out. */
  readonly categoryOf?: (toolName: string) => OutputCategory;
  /**
   * True for the text of a message in the user's role that your program put in (instructions, lists of skills). Without it everything in that role is a person's,
   * which policies keep first. The same text needs the same answer each time.
   */
  readonly isInjected?: (text: string) => boolean;
  /** Stores the window sizes that rejections taught; in memory, by conversation, if it is left out. */
  readonly learned?: LearnedLimits;
  /**
   * How reasoning is treated that the model takes only behind unchanged messages, once these change: removed if this is left out, or sent for the vendor to drop.
   * Each request to Anthropic says so then, for as long as the conversation lives: `thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior:
   * "drop_block" } }` under the header `anthropic-beta: thinking-binding-controls-2026-08-01`. OpenAI drops it unasked.
   */
  readonly boundReasoning?: BoundReasoning;
  /** Returns milliseconds since 1970, `null` if not known; the system's clock if it is left out. */
  readonly nowMs?: () => number | null;
  /** Most conversations in memory; 1,000 if it is left out. */
  readonly maximumConversations?: number;
  /** Most characters of messages in memory, over all conversations; 100 million if it is left out. */
  readonly maximumChars?: number;
}

/** Conversations in memory; chosen: a busy server's, at the memory of one long session. */
export const DEFAULT_MAXIMUM_CONVERSATIONS = 1_000;

/** Characters in memory; chosen: about 200 MB of text. */
export const DEFAULT_MAXIMUM_CHARS = 100_000_000;

/** Facts that one request is fitted with, in addition to its messages. */
export interface RequestFacts {
  /** The model that this request asks. Limits learned from a rejection hold for it alone. */
  readonly modelId?: string;
  /** The limits of this request's model; those of the options if they are left out. */
  readonly limits?: ModelLimits;
  /** The largest reply that this request asks for (`max_tokens`, `max_output_tokens`); the limits' own if it is left out. */
  readonly maxOutputTokens?: number;
  /** True if `maxOutputTokens` is a guess and not asked for: then it shrinks in proportion with a window that a refusal taught. */
  readonly isReplyGuessed?: boolean;
  readonly signal?: AbortSignal;
}

/** The limits that hold for a request: its own, else those of the options, with the reply that it asks for. */
export function limitsOf({ modelId, limits, maxOutputTokens }: RequestFacts, options: CompactorOptions): ModelLimits {
  const known = limits ?? (typeof options.limits === "function" ? options.limits(modelId ?? null) : options.limits);
  return maxOutputTokens === undefined ? known : { ...known, maxOutputTokens };
}

/**
 * Share of the window that may be filled where an overflow cannot be mended: estimates are off by little once a step was reported.
 * Over 200 steps the worst of all presets was off by 0.1 % of the window; chosen with room.
 */
const UNMENDED_WINDOW_RATIO = 0.98;

/** A model's limits with a part of the window left free, for hooks that cannot send a request again. */
export function withMargin(limits: ModelLimits): ModelLimits {
  const { contextWindowTokens } = limits;
  return contextWindowTokens === null
    ? limits
    : { ...limits, contextWindowTokens: Math.floor(contextWindowTokens * UNMENDED_WINDOW_RATIO) };
}
