import type { BoundReasoning, FitInput, Message, ModelLimits, Policy, Session, ToolCallPart } from "@plimsoll/core";
import { toolCallsOf } from "@plimsoll/core";
import type { ConversationRequest, LearnedLimit, LearnedLimits, LimitEvent, SessionInput } from "@plimsoll/core/extend";
import {
  believedAt,
  believedLimits,
  learnedInLog,
  learnedWindowTokens,
  lowestLimits,
  setupChange,
  setupChangeEntry,
  withReplyWithin,
} from "@plimsoll/core/extend";
import { requestLimitsOf } from "../catalog/model-limits.ts";
import { type CompactorOptions, limitsOf, type RequestFacts } from "./compactor-options.ts";

/** The model that a request asks, and where what refusals taught of it is kept. */
interface AskedModel {
  readonly learned: LearnedLimits;
  readonly nowMs: number | null;
  readonly modelId: string | undefined;
  /** Tokens kept free for the reply. */
  readonly reserveTokens: number;
}

/** Collects the knowledge of one model; a conversation that is taken up again reads it from its log. */
function learnedOf(conversation: Session, { learned, nowMs, modelId, reserveTokens }: AskedModel): LearnedLimit {
  const known = believedAt(learned.of(conversation, modelId), nowMs);
  const isLimited = known.statedTokens !== null || known.refusedTokens !== null;
  const forgottenMs = learned.forgottenMs?.(modelId) ?? Number.NEGATIVE_INFINITY;
  const isKept = (event: LimitEvent) => event.kind !== "refused" || (event.atMs ?? 0) > forgottenMs;
  const events = isLimited ? [] : conversation.limitEvents().filter(isKept);
  // Answers may name a model otherwise than requests do.
  const isNamed = events.some((event) => event.modelId === modelId);
  const logged = isNamed ? modelId : conversation.view().modelId;
  if (logged === undefined || logged === null) return known;
  const inLog = learnedInLog(events, { modelId: logged, reserveTokens, nowMs });
  return known.answeredTokens > (inLog.statedTokens ?? inLog.refusedTokens ?? 0) ? known : inLog;
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
 * The messages from one on, with the time at which they came: when their request did. Replies are older than it, and so is all that stands before one
 * in a history that is met in its middle.
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
  { system, tools }: ConversationRequest,
  { boundReasoning, nowMs }: { readonly boundReasoning: BoundReasoning; readonly nowMs: number | null },
): void {
  const view = viewNow();
  const to = { system, tools, boundReasoning };
  if (setupChange(view, to) !== null || view.boundReasoning !== boundReasoning) append(setupChangeEntry(view, to, nowMs));
}

/** A reply with the time of its report, and under the id of the request that it answers if one request alone was answered since the message before it. */
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

/** Whose limits are asked for, and what is known of limits. */
interface OfLimits {
  readonly conversation: Session;
  readonly logs: {
    readonly options: CompactorOptions;
    readonly policy: Policy;
    readonly learned: LearnedLimits;
    readonly nowMs: () => number | null;
  };
}

/** The limits with a reply that leaves room in the window, unless compaction is off. */
export function allowedBy({ policy }: Pick<OfLimits["logs"], "policy">, limits: ModelLimits): ModelLimits {
  return policy.enabled ? withReplyWithin(limits) : limits;
}

/** The input of a fit at a gate, with what was learned of the model's limits. */
export function inputAt(gate: FitInput["gate"], asked: RequestFacts, of: OfLimits): SessionInput {
  const { conversation, logs } = of;
  const { limits: known, learnedTokens: observedLimitTokens } = learnedFor(asked, of);
  const stated = known.request ?? requestLimitsOf(asked.modelId ?? conversation.view().modelId ?? "");
  const shared = believedLimits(logs.learned.of(conversation, asked.modelId).request, logs.nowMs());
  return { gate, pending: [], model: { ...known, request: lowestLimits(stated, shared) }, observedLimitTokens };
}

/** The limits of a request, and the window that refusals taught of its model, if any. A reply that is guessed takes the same share of that window as of the one before. */
export function learnedFor(
  asked: RequestFacts,
  { conversation, logs }: OfLimits,
): { readonly limits: ModelLimits; readonly learnedTokens: number | null } {
  const limits = allowedBy(logs, limitsOf(asked, logs.options));
  const { contextWindowTokens: windowTokens, maxOutputTokens } = limits;
  const reserveTokens = maxOutputTokens ?? 0;
  const { modelId } = asked;
  const learned = learnedOf(conversation, { learned: logs.learned, nowMs: logs.nowMs(), modelId, reserveTokens });
  const learnedTokens = learnedWindowTokens(learned, reserveTokens);
  const isKept =
    asked.isReplyGuessed !== true || learnedTokens === null || windowTokens === null || learnedTokens >= windowTokens;
  if (isKept) return { limits, learnedTokens };
  const guessedTokens = Math.floor((reserveTokens * learnedTokens) / windowTokens);
  return { limits: { ...limits, maxOutputTokens: guessedTokens }, learnedTokens: learnedWindowTokens(learned, guessedTokens) };
}
