import type {
  ArtifactStore,
  ContextEvent,
  ContextManagerOptions,
  FitInput,
  Message,
  ModelLimits,
  OutputCategory,
  Policy,
  SessionEntry,
  SessionView,
  Summarizer,
} from "@plimsoll/core";
import { admitToolResult, createDigest, createMemoryArtifactStore, isHuman } from "@plimsoll/core";
import type { SessionStore } from "@plimsoll/core/agent";
import type { Kinds } from "@plimsoll/core/build";
import { BUILT_IN_KINDS, requireFallback } from "@plimsoll/core/build";
import type {
  Conversation,
  ConversationFit,
  ConversationName,
  ConversationRequest,
  Conversations,
  FoundConversation,
  Rejection,
  ReportedUsage,
} from "@plimsoll/core/conversation";
import { createConversation, createConversations, setupChange, setupChangeEntry } from "@plimsoll/core/conversation";
import type { Recalled, RecallRange } from "@plimsoll/core/internal";
import { recallArtifact } from "@plimsoll/core/internal";
import { rejectedReport } from "../client/failure.ts";
import { modelPriors } from "../priors/model-priors.ts";

/** What belongs to one conversation: what stays verbatim, its live state, its files, and who is asked before a compaction. */
export type ConversationContext = Pick<ContextManagerOptions, "pinned" | "stateProviders" | "fileTracker" | "beforeCompaction">;

/** What a drop-in is made of. */
export interface CompactorOptions {
  readonly policy: Policy;
  /** What the policy may name, in addition to what comes with core, and how results are cut; made by `withKinds`. */
  readonly kinds?: Kinds;
  readonly limits: ModelLimits;
  /** Writes the summaries; the deterministic digest, which asks no model, if it is left out. */
  readonly summarizer?: Summarizer;
  readonly onEvent?: (event: ContextEvent, conversation: ConversationName) => void;
  /** What each conversation has of its own, by its key. Requests need a key then. */
  readonly context?: (conversation: string) => ConversationContext;
  /** Where the logs are kept, so that a conversation goes on after a restart. Requests need a key then. */
  readonly sessions?: SessionStore;
  /** Keeps results that are cut to the policy's cap when they arrive; a store in memory for each conversation if it is left out. */
  readonly artifacts?: ArtifactStore;
  /** What a tool's output looks like, which decides how it is cut; "generic" for all if it is left out. */
  readonly categoryOf?: (toolName: string) => OutputCategory;
  /** The clock; the system's if it is left out. */
  readonly nowMs?: () => number | null;
  /** Most conversations in memory; {@link DEFAULT_MAXIMUM_CONVERSATIONS} if it is left out. */
  readonly maximumConversations?: number;
  /** Most characters of messages in memory, over all conversations; {@link DEFAULT_MAXIMUM_CHARS} if it is left out. */
  readonly maximumChars?: number;
}

/** Conversations in memory; chosen: a busy server's, at the memory of one long session. */
export const DEFAULT_MAXIMUM_CONVERSATIONS = 1_000;

/** Characters in memory; chosen: about 200 MB of text. */
export const DEFAULT_MAXIMUM_CHARS = 100_000_000;

/** What one request is fitted with, in addition to its messages. */
export interface RequestFacts {
  /** The limits of this request's model; those of the options if they are left out. */
  readonly limits?: ModelLimits;
  readonly signal?: AbortSignal;
}

/** A conversation's log as it is now. */
export interface ConversationLog extends ConversationName {
  readonly entries: readonly SessionEntry[];
}

/** A conversation that was fitted, and the view to send. */
export interface FittedLog {
  readonly found: FoundConversation;
  readonly view: SessionView;
}

/** The logs of the conversations whose arrays a compactor is given, and what they are kept with. */
export interface ArrayConversations {
  readonly options: CompactorOptions;
  readonly policy: Policy;
  readonly kinds: Kinds;
  readonly nowMs: () => number | null;
  readonly conversations: Conversations;
  /** Where the cut results of conversations are that were worked on. */
  readonly artifacts: WeakMap<Conversation, ArtifactStore>;
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * No conversations yet.
 *
 * @throws PlimsollError `bad-policy` for a policy without a fallback.
 */
export function createArrayConversations(options: CompactorOptions): ArrayConversations {
  const { kinds = BUILT_IN_KINDS, summarizer = createDigest(), onEvent, context, sessions = null, nowMs = Date.now } = options;
  const policy = requireFallback(options.policy);
  const conversations = createConversations({
    sessions,
    needsKey: sessions !== null ? "sessions" : context !== undefined ? "context" : null,
    nowMs,
    maximumCount: options.maximumConversations ?? DEFAULT_MAXIMUM_CONVERSATIONS,
    maximumChars: options.maximumChars ?? DEFAULT_MAXIMUM_CHARS,
    begin: (name, log) =>
      createConversation({
        ...log,
        policy,
        kinds,
        summarizer,
        modelPriors,
        nowMs,
        // The caller brings the whole history again: what a log ends with is what comes next.
        repairs: "none",
        ...(name.key === null ? {} : context?.(name.key)),
        ...(onEvent === undefined ? {} : { onEvent: (event) => onEvent(event, name) }),
      }),
  });
  return { options, policy, kinds, nowMs, conversations, artifacts: new WeakMap() };
}

/** One request of a caller. */
export interface AskedRequest extends RequestFacts {
  readonly request: ConversationRequest;
}

/** Takes what is new of the request into its conversation, and fits it. `reported` is what the newest reply's request measured. */
export function fitRequest(
  logs: ArrayConversations,
  asked: AskedRequest & { readonly reported: ReportedUsage | null },
): Promise<FittedLog> {
  const { request, reported, signal } = asked;
  const work = async (found: FoundConversation): Promise<FittedLog> => {
    const { conversation } = found;
    const { manager } = conversation;
    if (reported !== null && isNewReply(request, conversation)) await conversation.report(manager.view(), reported);
    await take(asked, conversation, logs);
    await conversation.fit(inputAt("before-step", asked, logs), signal ?? NEVER_ABORTED);
    return { found, view: manager.view() };
  };
  return logs.conversations.goOn(request, work, signal);
}

/** Compacts after a rejection of `view`; `null` if there is nothing new to send. */
export function recoverRequest(
  logs: ArrayConversations,
  asked: AskedRequest & { readonly rejection: Rejection; readonly recovery: number; readonly view: SessionView },
): Promise<FittedLog | null> {
  const { request, rejection, recovery, view, signal } = asked;
  const { promptTokens, limitTokens: observedLimitTokens } = rejection;
  const work = async (found: FoundConversation): Promise<FittedLog | null> => {
    const { conversation } = found;
    const { manager } = conversation;
    if (conversation.messageIds().length < request.messages.length) await take(asked, conversation, logs);
    // Another request compacted the same history meanwhile: that is what to send.
    if (manager.view().viewHash !== view.viewHash) return { found, view: manager.view() };
    if (promptTokens !== null) await conversation.report(view, rejectedReport(manager.view(), promptTokens));
    const observed = { observedLimitTokens, observedPromptTokens: promptTokens, recovery };
    const input = { ...inputAt("on-overflow", asked, logs), ...observed };
    const outcome = await conversation.fit(input, signal ?? NEVER_ABORTED);
    return outcome.kind === "compacted" ? { found, view: manager.view() } : null;
  };
  return logs.conversations.goOn(request, work, signal);
}

/** Looks for what a handle names in these conversations: first in their logs, then among results that were cut. */
export async function recallIn(
  logs: ArrayConversations,
  all: readonly FoundConversation[],
  { handle, range }: { readonly handle: string; readonly range: RecallRange },
): Promise<Recalled | null> {
  for (const { conversation } of all) {
    const recalled = await conversation.manager.recall(handle, range);
    if (recalled !== null) return recalled;
  }
  for (const { conversation } of all) {
    const recalled = await recallArtifact(handle, range, artifactsOf(conversation, logs));
    if (recalled !== null) return recalled;
  }
  return null;
}

/** Appends all messages of the request that are new. A human message at the end is seen by the gate before it is. */
async function take(asked: AskedRequest, conversation: Conversation, logs: ArrayConversations): Promise<void> {
  const { request, signal = NEVER_ABORTED } = asked;
  noteSetup(conversation, request, logs.nowMs());
  const known = conversation.messageIds().length;
  // Taken up from a store or from a fork: results that were cut then are kept again, so that their handles find them.
  const isNew = !logs.artifacts.has(conversation);
  const kept = artifactsOf(conversation, logs) === logs.options.artifacts || !isNew ? [] : request.messages.slice(0, known);
  for (const message of kept) await admitted(message, conversation, logs);
  const fresh = request.messages.slice(known);
  const last = fresh.at(-1);
  const submitted = last !== undefined && isHuman(last) ? [last] : [];
  for (const message of fresh.slice(0, fresh.length - submitted.length))
    conversation.add({ type: "message", message: answering(await admitted(message, conversation, logs), conversation) });
  const gate = submitted.length > 0 ? "before-submit" : "after-tool-batch";
  await conversation.fit({ ...inputAt(gate, asked, logs), pending: submitted }, signal);
  for (const message of submitted) conversation.add({ type: "message", message });
  await conversation.flush();
}

function inputAt(gate: FitInput["gate"], { limits }: RequestFacts, { options }: ArrayConversations): ConversationFit {
  return { gate, pending: [], model: limits ?? options.limits };
}

function artifactsOf(conversation: Conversation, { options, artifacts }: ArrayConversations): ArtifactStore {
  const store = options.artifacts ?? artifacts.get(conversation) ?? createMemoryArtifactStore();
  artifacts.set(conversation, store);
  return store;
}

/** The message as it enters the log: a result cut to the policy's cap. */
async function admitted(message: Message, conversation: Conversation, logs: ArrayConversations): Promise<Message> {
  if (message.role !== "tool-result") return message;
  const { options, policy, kinds } = logs;
  const known = { ...message, category: options.categoryOf?.(message.toolName) ?? "generic" };
  const artifacts = artifactsOf(conversation, logs);
  return (await admitToolResult(known, { policy, artifacts, truncations: kinds.truncations })).message;
}

/** Records system text and tools if they are no longer those of the log. */
function noteSetup({ manager, add }: Conversation, { system, tools }: ConversationRequest, nowMs: number | null): void {
  const view = manager.view();
  if (setupChange(view, { system, tools }) !== null) add(setupChangeEntry(view, { system, tools }, nowMs));
}

/** A reply under the id of the request that it answers, if one request alone was answered since the message before it. */
function answering(message: Message, { manager }: Conversation): Message {
  const [requestId, ...others] = manager.state().answeredRequestIds;
  return message.role === "assistant" && requestId !== undefined && others.length === 0 ? { ...message, requestId } : message;
}

/** True if the first message that is new is a reply whose request was not reported. */
function isNewReply({ messages }: ConversationRequest, { manager, messageIds }: Conversation): boolean {
  return messages[messageIds().length]?.role === "assistant" && manager.state().answeredRequestIds.length === 0;
}
