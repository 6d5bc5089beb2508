import {
  type ArtifactStore,
  type BoundReasoning,
  type ContextEvent,
  type FitInput,
  type Message,
  type ModelLimits,
  type OutputCategory,
  PlimsollError,
  type Policy,
  type RequestLimits,
  type Session,
  type SessionOptions,
  type SessionStore,
  type SessionView,
  type Summarizer,
  type ToolCallPart,
  toolCallsOf,
} from "@plimsoll/core";
import {
  believedAt,
  believedLimits,
  type createConversations,
  isRecord,
  type Kinds,
  learnedInLog,
  limitsWithin,
  lowestLimits,
  option,
  requireFallback,
  setupChange,
  setupChangeEntry,
  withReplyWithin,
} from "@plimsoll/core/extend";
import { z } from "zod";
import { requestLimitsOf } from "../catalog/model-limits.ts";
import { catalogLimits, knownLimits } from "../catalog/resolve-model.ts";
import type { CutResult } from "../fit-report.ts";
import { type LearnedLimits, type LearnedWindow, learnedWindow } from "../learned-limits.ts";
import type { modelPriors } from "../priors/model-priors.ts";
import type { WireArray } from "./wire-array.ts";

/** The conversations of a drop-in. */
type Conversations = ReturnType<typeof createConversations>;
/** The key of one, and the id of its log. */
export type ConversationName = FoundConversation["name"];
/** One of them, and its name. */
export type FoundConversation = ReturnType<Conversations["all"]>[number];
/** The parts of a request by which its conversation is found. */
export type ConversationRequest = Parameters<Conversations["goOn"]>[0];

/** State of one conversation: texts that summaries repeat, its live state, its files, and a hook before compactions. */
export type ConversationContext = Pick<SessionOptions, "pinned" | "stateProviders" | "fileTracker" | "beforeCompaction">;

/** Options of every drop-in. */
export interface CompactorOptions {
  /** A policy, or the name of a preset. */
  readonly policy: Policy | string;
  /** The model of requests that name none. */
  readonly model?: string;
  /** Kinds that the policy may name in addition to core's, and truncations of results; made by `withKinds`. */
  readonly kinds?: Kinds;
  /** The limits of every model; by default `limitsOf` finds those of the request's model. */
  readonly limits?: ModelLimits;
  /** Finds the limits of a model, `null` for an unknown one; the catalogue's by default. */
  readonly limitsOf?: (modelId: string) => ModelLimits | null;
  /** Writes the summaries; the deterministic digest, which asks no model, by default. */
  readonly summarizer?: Summarizer;
  /** Hides texts in items, the log and summary requests; it redacts items before it finds a conversation by them. Redact system text beside the array yourself. */
  readonly redact?: SessionOptions["redact"];
  readonly onEvent?: (event: ContextEvent, conversation: ConversationName) => void;
  /** Returns the state of one conversation by its key and the id of its log: diverging histories under one key have their own logs. Requests then need a key. */
  readonly context?: (conversation: string, sessionId: string) => ConversationContext;
  /** Keeps the logs, so that a conversation continues after a restart. Requests then need a key. */
  readonly sessions?: SessionStore;
  /** Keeps the whole text of results that the policy's cap cuts on arrival; by default a store in memory for each conversation. */
  readonly artifacts?: ArtifactStore;
  /** Names the form of a tool's output, which decides its truncation; a call's arguments decide by default. */
  readonly categoryOf?: (toolName: string) => OutputCategory;
  /**
   * True for the text of a message in the user's role that your program put in (instructions, lists of skills). Without it all text in that role counts as a person's,
   * which policies keep first. The same text needs the same answer each time.
   */
  readonly isInjected?: (text: string) => boolean;
  /**
   * By default a call whose arguments are not a JSON object is sent with an empty object in their place, since vendors refuse the request. `off` sends it unchanged, as a
   * policy without compaction does.
   */
  readonly mending?: "on" | "off";
  /** Stores the window sizes that rejections taught; in memory, by conversation, by default. */
  readonly learned?: LearnedLimits;
  /**
   * The treatment of bound reasoning once the messages before it change: removed by default, or sent for the vendor to drop. Then each request to Anthropic must say so,
   * for as long as the conversation lives: `thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior:
   * "drop_block" } }` under the header `anthropic-beta: thinking-binding-controls-2026-08-01`. OpenAI drops it unasked.
   */
  readonly boundReasoning?: BoundReasoning;
  /** Returns milliseconds since 1970, `null` if not known; the system's clock by default. */
  readonly nowMs?: () => number | null;
  /** Most conversations in memory; 1,000 by default. */
  readonly maximumConversations?: number;
  /** Most characters of messages in memory, over all conversations; 100 million by default. */
  readonly maximumChars?: number;
}

const { fn, object, count, text } = option;

/** Schemas of {@link CompactorOptions}. */
export const COMPACTOR_KEYS: Parameters<typeof option.schema<CompactorOptions>>[0] = {
  policy: option.policy,
  model: text.optional(),
  limits: option.limits.optional(),
  sessions: option.having("create", "open", "read").optional(),
  artifacts: option.having("put", "get").optional(),
  learned: option.having("of", "learn").optional(),
  mending: z.enum(["on", "off"]).optional(),
  boundReasoning: z.enum(["leaves", "vendor-drops"]).optional(),
  kinds: option.kinds.optional(),
  ...option.optional(fn, "limitsOf", "summarizer", "redact", "onEvent", "context", "categoryOf", "isInjected", "nowMs"),
  ...option.optional(count, "maximumConversations", "maximumChars"),
};

/** Schema of {@link CompactorOptions}. */
export const COMPACTOR_OPTIONS: z.ZodType<CompactorOptions> = option.schema(COMPACTOR_KEYS);

/** The most that is in memory; chosen: a busy server's conversations, at the memory of one long session, and about 200 MB of text. */
export const DEFAULT_MAXIMA = { maximumConversations: 1_000, maximumChars: 100_000_000 } as const;

/** Facts for fitting one request, in addition to its messages. */
export interface RequestFacts {
  /** The model that this request asks. Limits learned from a rejection hold only for it. */
  readonly modelId?: string;
  /** The limits of this request's model; those of the options by default. */
  readonly limits?: ModelLimits;
  /** The largest reply that this request asks for (`max_tokens`, `max_output_tokens`); the limits' own by default. */
  readonly maxOutputTokens?: number;
  /** True if `maxOutputTokens` is a guess, not requested: then it shrinks in proportion with a window learned from a refusal. */
  readonly isReplyGuessed?: boolean;
  /**
   * Receives the longest reply that fits beside each new array, for callers that can ask for less; `null` if no limit is known. Without it the caller's own reply length
   * counts, and a prompt that does not fit beside it is cut.
   */
  readonly onReply?: (mostTokens: number | null) => void;
  readonly signal?: AbortSignal;
}

/** Schemas of {@link RequestFacts}. */
export const FACT_KEYS: Parameters<typeof option.schema<RequestFacts>>[0] = {
  modelId: text.optional(),
  limits: option.limits.optional(),
  maxOutputTokens: count.optional(),
  isReplyGuessed: z.boolean().optional(),
  onReply: fn.optional(),
  signal: object.optional(),
};

/** The sign that an array is only the newest part of a history: results, and no reply whose calls they answer. */
export const LONE_RESULTS = "results without their calls";

/** Finds the parameter by which a request, or its answer, names a history that OpenAI keeps; `null` for none. */
export function vendorHistoryIn(fields: unknown): string | null {
  if (!isRecord(fields)) return null;
  for (const name of ["previous_response_id", "previousResponseId", "conversation", "conversationId"])
    if ((fields[name] ?? null) !== null) return name;
  return null;
}

/** Tells once for each conversation that nothing is compacted in it, since the vendor keeps its history. `named` is the sign of that. */
export function createVendorNotes({ onEvent, policy, kinds }: CompactorOptions): (named: string, key?: string | null) => void {
  const told = new Set<string>();
  const { enabled } = requireFallback(policy, kinds);
  return (named, key = null) => {
    const sign = `${named}\n${key ?? ""}`;
    if (!enabled || told.has(sign)) return;
    if (told.size >= DEFAULT_MAXIMA.maximumConversations) told.clear();
    told.add(sign);
    option.heard(onEvent?.({ type: "compaction-off", why: "vendors-history", named }, { key, sessionId: "" }));
  };
}

/** The limits that hold for a request: its own, else those of the options, with the reply that it asks for. */
export function limitsOf({ modelId, limits, maxOutputTokens }: RequestFacts, options: LimitOptions): ModelLimits {
  const { limitsOf: known = (id) => catalogLimits(id, maxOutputTokens), model = null } = options;
  const given = limits ?? options.limits ?? knownLimits(named(modelId ?? model), known);
  return maxOutputTokens === undefined ? given : { ...given, maxOutputTokens };
}

type LimitOptions = Pick<CompactorOptions, "limits" | "limitsOf" | "model">;

function named(modelId: string | null): string {
  if (modelId !== null) return modelId;
  const give = 'give `model`, as "gpt-5.5", or `limits`, as { contextWindowTokens: 200_000, maxOutputTokens: 8_000 }';
  throw new PlimsollError("bad-input", `neither the request nor the options name a model: ${give}`, { key: "model" });
}

/** Collects the knowledge of one model; a conversation that is taken up again reads it from its log. */
function learnedOf(
  modelId: string | undefined,
  reserveTokens: number,
  { session, logs }: OfConversation,
): ReturnType<LearnedLimits["of"]> {
  const { learned } = logs;
  const nowMs = logs.nowMs();
  const known = believedAt(learned.of(session, modelId), nowMs);
  const isLimited = known.statedTokens !== null || known.refusedTokens !== null;
  const forgottenMs = learned.forgottenMs?.(modelId) ?? Number.NEGATIVE_INFINITY;
  const isKept = (event: ReturnType<Session["limitEvents"]>[number]) =>
    event.kind !== "refused" || (event.atMs ?? 0) > forgottenMs;
  const events = isLimited ? [] : session.limitEvents().filter(isKept);
  // Answers may name a model otherwise than requests do.
  const isNamed = events.some((event) => event.modelId === modelId);
  const logged = isNamed ? modelId : session.view().modelId;
  if (logged === undefined || logged === null) return known;
  const inLog = learnedInLog(events, { modelId: logged, reserveTokens, nowMs });
  return isLimited || known.answeredTokens > (inLog.statedTokens ?? inLog.refusedTokens ?? 0) ? known : inLog;
}

/** The call that a result answers: the newest before it of its id. */
export function callOf(messages: readonly Message[], index: number): ToolCallPart | null {
  const result = messages[index];
  if (result?.role !== "tool-result") return null;
  for (let at = index - 1; at >= 0; at -= 1) {
    const before = messages[at];
    const call = before === undefined ? undefined : toolCallsOf(before).find(({ callId }) => callId === result.callId);
    if (call !== undefined) return call;
  }
  return null;
}

/**
 * The messages from one on, with the time at which they came: when their request did. Replies are older than it, and so is everything before one in a
 * history that is met in its middle.
 */
export function arrived(messages: readonly Message[], known: number, nowMs: number | null): readonly Message[] {
  const first = known === 0 ? messages.findLastIndex(({ role }) => role === "assistant") : known;
  return messages
    .slice(known)
    .map((message, index) =>
      known + index < first || message.role === "assistant" ? message : { ...message, atMs: message.atMs ?? nowMs },
    );
}

/** Records system text, tools and where bound reasoning goes if they are no longer those of the log. */
export function noteSetup(
  { view: viewNow, append }: Session,
  to: Pick<SessionView, "system" | "tools" | "boundReasoning">,
  nowMs: number | null,
): void {
  const view = viewNow();
  if (setupChange(view, to) !== null || view.boundReasoning !== to.boundReasoning) append(setupChangeEntry(view, to, nowMs));
}

/** A reply with the time of its report, and under the id of the request that it answers if exactly one request was answered since the message before it. */
export function answering(message: Message, { state }: Session): Message {
  const { answeredRequestIds, reportedAtMs } = state();
  const [requestId, ...others] = answeredRequestIds;
  if (message.role !== "assistant" || requestId === undefined) return message;
  return { ...message, atMs: message.atMs ?? reportedAtMs, ...(others.length === 0 ? { requestId } : {}) };
}

/** True if the first message that is new is a reply whose request was not reported. */
export function isNewReply({ messages }: ConversationRequest, { state, messageIds }: Session): boolean {
  return messages[messageIds().length]?.role === "assistant" && state().answeredRequestIds.length === 0;
}

/** Knowledge of a conversation in addition to its log. */
export interface Known {
  /** The store of its cut results; left out before its first request. */
  artifacts?: ArtifactStore;
  /** Results cut on arrival by its newest fit. */
  cuts?: readonly CutResult[];
  /** The model that its newest request asks. */
  modelId?: string;
  /** The facts that its newest request was fitted with. */
  facts?: RequestFacts;
  /** How often it was fitted for a hook since its newest answer; one that was met in its middle begins with more. */
  unanswered: number;
  /** The longest reply that the model of its request gives, as a refusal taught. */
  reply?: { readonly modelId: string | undefined; readonly mostTokens: number } | undefined;
  /** Whether a lowering of its reply was reported. */
  isTold: boolean;
  /** Whether its newest cut was undone while a reply may still come that was made behind it. */
  isUndone: boolean;
  /** The function with which the request that is being fitted has the vendor write a summary; left out for none. */
  compact?: SessionOptions["compact"] | undefined;
}

/** Finds what is known of a conversation; nothing of none. */
export function knownOf({ known }: Pick<ArrayConversations, "known">, session: Session | null): Known {
  return (session === null ? undefined : known.get(session)) ?? { unanswered: 0, isTold: false, isUndone: false };
}

/** The logs of the conversations whose arrays a compactor is given, and their stores and settings. */
export interface ArrayConversations {
  readonly options: CompactorOptions;
  readonly wire: Pick<WireArray<never, never>, "tellsFailures" | "assumedModelId">;
  readonly policy: Policy;
  readonly kinds: Kinds;
  readonly nowMs: () => number | null;
  readonly conversations: Conversations;
  readonly known: WeakMap<Session, Known>;
  readonly learned: LearnedLimits;
  /** The limits in other units than tokens that vendors state, by the models that were asked. */
  readonly stated: Map<string, RequestLimits>;
  /** The estimates of a conversation that begins with a request. */
  readonly priors: WeakMap<ConversationRequest, typeof modelPriors>;
}

/** One of the conversations. */
export interface OfConversation {
  readonly session: Session;
  readonly logs: ArrayConversations;
}

/** The input of a fit at a gate, with the learned limits of the model. */
export function inputAt(gate: FitInput["gate"], asked: RequestFacts, of: OfConversation): Parameters<Session["fit"]>[0] {
  const { session, logs } = of;
  const { limits: known, learned } = learnedFor(asked, of);
  const modelId = asked.modelId ?? session.view().modelId ?? "";
  const stated = logs.stated.get(modelId) ?? requestLimitsOf(modelId);
  logs.stated.set(modelId, stated);
  const shared = believedLimits(logs.learned.of(session, asked.modelId).request, logs.nowMs());
  return {
    gate,
    pending: [],
    model: { ...known, request: lowestLimits(known.request ?? stated, shared) },
    observedLimitTokens: learned?.tokens ?? null,
  };
}

/**
 * The limits of a request, the window that refusals taught of its model, if any, and the limits in the stated or named window, for the reply to ask for. A reply
 * that is guessed takes the same share of a learned window as of the one before; one that can be lowered leaves room for a prompt.
 */
export function learnedFor(
  asked: RequestFacts,
  { session, logs }: OfConversation,
): { readonly limits: ModelLimits; readonly learned: LearnedWindow | null; readonly named: ModelLimits } {
  const given = limitsOf(asked, logs.options);
  const wanted = logs.policy.enabled ? withReplyWithin(given) : given;
  const taught = knownOf(logs, session).reply;
  const isTaught =
    taught !== undefined && taught.modelId === asked.modelId && taught.mostTokens < (wanted.maxOutputTokens ?? 0);
  const limits = isTaught ? { ...wanted, maxOutputTokens: taught.mostTokens } : wanted;
  const { contextWindowTokens: windowTokens, maxOutputTokens } = limits;
  const reserveTokens = maxOutputTokens ?? 0;
  const known = learnedOf(asked.modelId, reserveTokens, { session, logs });
  const learned = learnedWindow(known, limits);
  const statedTokens = Math.min(windowTokens ?? Number.POSITIVE_INFINITY, known.statedTokens ?? Number.POSITIVE_INFINITY);
  const named = { ...limits, contextWindowTokens: Number.isFinite(statedTokens) ? statedTokens : null };
  const isGuessed = asked.isReplyGuessed === true && windowTokens !== null;
  if (learned === null || (!isGuessed && asked.onReply === undefined)) return { limits, learned, named };
  const replyTokens = isGuessed
    ? Math.floor((reserveTokens * learned.tokens) / windowTokens)
    : withReplyWithin(named).maxOutputTokens;
  const lowered = { ...limits, maxOutputTokens: replyTokens };
  return { limits: lowered, learned: learnedWindow(known, lowered), named: { ...named, maxOutputTokens: replyTokens } };
}

/** The limits that a session's newest request was fitted to, by present knowledge; `null` before one. */
export function limitsInForce(session: Session, logs: ArrayConversations): ModelLimits | null {
  const asked = knownOf(logs, session).facts;
  if (asked === undefined) return null;
  const { limits, learned } = learnedFor(asked, { session, logs });
  return limitsWithin(limits, learned?.tokens ?? null);
}
