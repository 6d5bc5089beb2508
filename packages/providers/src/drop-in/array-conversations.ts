import type {
  ArtifactStore,
  FitInput,
  FitOutcome,
  Message,
  ModelLimits,
  Session,
  SessionEntry,
  SessionOptions,
  SessionView,
  ToolCallPart,
} from "@plimsoll/core";
import { admitToolResult, createDigest, createMemoryArtifactStore, createSession, isHuman } from "@plimsoll/core";
import {
  afterAnswer,
  afterRejection,
  BUILT_IN_KINDS,
  callShape,
  clockDoor,
  createConversations,
  modelChangeEntry,
  option,
  type Rejection,
  readsAsFailed,
  recallArtifact,
  replyBeside,
  requireFallback,
  type sendWithRecovery,
  setupChangeEntry,
  withoutRefuted,
} from "@plimsoll/core/extend";
import { isBoundReasoning } from "../catalog/bound-reasoning.ts";
import { modelCosts } from "../catalog/model-prices.ts";
import { rejectedReport } from "../client/failure.ts";
import { vendorBlockOf } from "../fields.ts";
import {
  type CutResult,
  createFailureWarnings,
  type FitReport,
  fitReport,
  resultCut,
  unwrittenSummaries,
} from "../fit-report.ts";
import { createLearnedLimits } from "../learned-limits.ts";
import { modelPriors, priorsFor } from "../priors/model-priors.ts";
import { replyLowered, shorterReply } from "../shorter-reply.ts";
import type {
  ArrayConversations,
  CompactorOptions,
  ConversationName,
  ConversationRequest,
  FoundConversation,
  OfConversation,
  RequestFacts,
} from "./request.ts";
import {
  answering,
  arrived,
  callOf,
  DEFAULT_MAXIMA,
  inputAt,
  isNewReply,
  knownOf,
  learnedFor,
  limitsOf,
  noteSetup,
} from "./request.ts";
import type { ObservedAnswer } from "./wire-array.ts";

/** The log of one conversation as it is now, and the size of its next request. */
export interface ConversationLog extends ConversationName {
  readonly entries: readonly SessionEntry[];
  /** Expected tokens of the next request. */
  readonly expectedTokens: number;
  /** The limits of its newest request's fit; the window is smaller if a provider's refusal has revealed a smaller one since. `null` before the first request. */
  readonly limits: ModelLimits | null;
}

/** A conversation that was fitted, and the view to send. */
export interface FittedLog {
  readonly found: FoundConversation;
  readonly view: SessionView;
  /** Expected tokens of a request with this view. */
  readonly expectedTokens: number;
  /** The longest reply to ask for beside it; `null` if no limit is known. */
  readonly replyTokens: number | null;
  /** The compaction that a recovery made for it, `null` if it found nothing to cut; left out if another request's is sent. */
  readonly cutId?: string | null;
  /** Of the fits that made the view. */
  readonly outcomes: readonly FitOutcome[];
  readonly report: FitReport;
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * No conversations yet.
 *
 * @throws PlimsollError `bad-policy` for a policy without a fallback.
 */
export function createArrayConversations(options: CompactorOptions, wire: ArrayConversations["wire"]): ArrayConversations {
  const { kinds = BUILT_IN_KINDS, summarizer = createDigest(), context, sessions = null } = options;
  const { onEvent = createFailureWarnings() } = options;
  const nowMs = clockDoor(options.nowMs ?? Date.now);
  const policy = requireFallback(options.policy, kinds);
  const unwritten = unwrittenSummaries(policy, options.summarizer);
  if (unwritten !== null) option.heard(onEvent(unwritten, { key: null, sessionId: "" }));
  const conversations = createConversations({
    sessions,
    needsKey: sessions !== null ? "sessions" : context !== undefined ? "context" : null,
    nowMs,
    maximumCount: options.maximumConversations ?? DEFAULT_MAXIMA.maximumConversations,
    maximumChars: options.maximumChars ?? DEFAULT_MAXIMA.maximumChars,
    admit: async (request, index, session) => {
      const [message] = arrived(request.messages.slice(0, index + 1), index, nowMs());
      if (message === undefined) throw new Error("a request has no message at its own index");
      return (await admitted(message, callOf(request.messages, index), { session, logs })).message;
    },
    begin: (name, log, { request, from }) => {
      const known = { ...knownOf(logs, from), reply: undefined, isUndone: false, compact: undefined };
      const session = createSession({
        ...log,
        policy,
        kinds,
        summarizer,
        get compact() {
          return known.compact;
        },
        modelPriors: logs.priors.get(request) ?? modelPriors,
        modelCosts,
        // Before the first report the model is the one that is asked.
        isBoundReasoning: (part, modelId) => isBoundReasoning(part, modelId ?? known.modelId ?? null),
        nowMs,
        ...(options.redact === undefined ? {} : { redact: options.redact }),
        // The caller brings the whole history again: it continues the end of a log.
        repairs: "none",
        ...(name.key === null ? {} : context?.(name.key, name.sessionId)),
        onEvent: (event) => onEvent(event, name),
      });
      logs.known.set(session, known);
      const modelId = known.facts?.modelId;
      if (from !== null) logs.learned.learn(session, modelId, () => logs.learned.of(from, modelId));
      return session;
    },
  });
  const logs: ArrayConversations = {
    options,
    wire,
    policy,
    kinds,
    nowMs,
    conversations,
    known: new WeakMap(),
    learned: options.learned ?? createLearnedLimits(),
    stated: new Map(),
    priors: new WeakMap(),
  };
  return logs;
}

/** One request of a caller. */
export interface AskedRequest extends RequestFacts {
  /** Gives the function with which this request has the vendor write a summary; left out if it has none. */
  readonly compactFor?: ((session: Session) => SessionOptions["compact"]) | undefined;
  readonly request: ConversationRequest;
  /** Compacts now, regardless of the policy's trigger, with a subject that the summary concentrates on. */
  readonly now?: FitInput["now"];
  readonly focus?: string;
  /** Reported size of the first reply's request: it shows how large system text and tools are, for a history that is met in its middle. */
  readonly firstReported?: ObservedAnswer | null;
}

/**
 * Takes the request's new messages into its conversation, and fits it. A caller without reports of refusals is a hook. `reported` is the measured size of the
 * newest reply's request.
 */
export async function fitRequest(
  logs: ArrayConversations,
  asked: AskedRequest & { readonly reported: ObservedAnswer | null } & Pick<MetFit, "caller" | "isRefused">,
): Promise<FittedLog> {
  const { request, reported, caller, isRefused, signal, now, focus = null } = asked;
  const priors = priorsFor(asked.modelId ?? logs.options.model ?? logs.wire.assumedModelId);
  if (priors instanceof Promise) logs.priors.set(request, await priors);
  const work = async (found: FoundConversation): Promise<FittedLog> => {
    const { session } = found;
    if (reported !== null && isNewReply(request, session)) await session.report(session.view(), reported);
    const knownCount = session.messageIds().length;
    knownOf(logs, session).compact = asked.compactFor?.(session);
    const taken = await take(asked, found, logs);
    const input = { ...inputAt("before-step", asked, { session, logs }), focus, ...(now === undefined ? {} : { now }) };
    const stepped = await session.fit(input, signal ?? NEVER_ABORTED);
    const isAnswered = request.messages.slice(knownCount).some(({ role, parts }) => role === "assistant" && parts.length > 0);
    const met: MetFit = { isFirst: knownCount === 0, isAnswered, caller, isRefused };
    if (isInvalid(logs, session, met)) await session.leaveReasoning();
    return fittedLog(found, asked, logs, { outcomes: [taken, stepped] });
  };
  return logs.conversations.goOn(request, work, signal);
}

interface MetFit {
  readonly isFirst: boolean;
  /** Whether the request brought a reply that the conversation did not have. */
  readonly isAnswered: boolean;
  readonly caller: "hook" | "sender";
  /** Whether the array itself says that the request before was refused for its reasoning. */
  readonly isRefused: boolean;
}

/** A hook whose requests were not answered so often is taken for one that is refused: once may be a connection that failed. Chosen. */
const REFUSED_FITS = 2;

/**
 * Whether reasoning of unknown validity has to leave: if a hook was refused for it, as far as it is reported; with a first fit that cuts, since another process may
 * have cut elsewhere; and if requests of a hook, which hears of no refusal and sees no system text or tools that it is not given, were not answered.
 */
function isInvalid(logs: ArrayConversations, session: Session, { isFirst, isAnswered, ...met }: MetFit): boolean {
  const known = knownOf(logs, session);
  if (logs.options.boundReasoning === "vendor-drops") return false;
  if (met.isRefused) return true;
  const fits = isAnswered ? 0 : known.unanswered;
  const isHook = met.caller === "hook";
  const isCut = session.view().activeCompactions.length > 0;
  const isOver = isFirst ? isAnswered && isCut : isHook && fits >= REFUSED_FITS;
  known.unanswered = isOver ? 0 : isFirst && isAnswered ? REFUSED_FITS : isHook ? fits + 1 : fits;
  return isOver && hasBound(logs, session);
}

function hasBound(logs: ArrayConversations, session: Session): boolean {
  const { messages, modelId } = session.view();
  const binder = modelId ?? knownOf(logs, session).modelId ?? null;
  const isBound = (part: Message["parts"][number]) => part.type === "reasoning" && isBoundReasoning(part, binder);
  return logs.options.boundReasoning !== "vendor-drops" && messages.slice().some(({ parts }) => parts.some(isBound));
}

/** The conversation as it is now, and its report. A caller that can ask for a shorter reply is given the longest, and told once of a shorter one than it wanted. */
export function fittedLog(
  found: FoundConversation,
  asked: RequestFacts,
  logs: ArrayConversations,
  { outcomes, replyTokens = replyTokensOf(asked, { ...found, logs }) }: Pick<FittedLog, "outcomes"> & Partial<FittedLog>,
): FittedLog {
  const { session } = found;
  const { expectedTokens } = session.predict();
  const { limits, learned, named } = learnedFor(asked, { session, logs });
  const known = knownOf(logs, session);
  const { cuts = [] } = known;
  const wanted = limitsOf(asked, logs.options);
  asked.onReply?.(replyTokens);
  const isLower = replyTokens !== null && replyTokens < (wanted.maxOutputTokens ?? 0);
  if (asked.onReply !== undefined && isLower && !known.isTold) {
    known.isTold = true;
    option.heard(logs.options.onEvent?.(replyLowered(wanted, { ...named, maxOutputTokens: replyTokens }), found.name));
  }
  const fitted = { policy: logs.policy, ...found.name, limits, learned, expectedTokens, cuts };
  return { found, view: session.view(), expectedTokens, replyTokens, outcomes, report: fitReport(outcomes, fitted) };
}

/** The longest reply to ask for beside the context as it is now; `null` if no limit is known, or nothing is compacted. */
function replyTokensOf(asked: RequestFacts, of: OfConversation): number | null {
  return of.logs.policy.enabled ? replyBeside(learnedFor(asked, of).named, of.session.predict().expectedTokens) : null;
}

/** A request that was sent. */
interface SentRequest extends AskedRequest {
  readonly sent: FittedLog;
}

/** A request that was rejected. */
export interface RejectedRequest extends SentRequest {
  readonly rejection: Rejection;
  readonly facts: Parameters<Parameters<typeof sendWithRecovery>[0]["recover"]>[0];
}

/** Asks for no longer replies in this conversation than the model gives, half of one where that is not said; `null` if that is no less than before. */
export async function lowerReply(
  logs: ArrayConversations,
  asked: SentRequest,
  limitTokens: number | null,
): Promise<FittedLog | null> {
  const { sent, modelId } = asked;
  const mostTokens = limitTokens ?? Math.floor((sent.replyTokens ?? 0) / 2);
  if (asked.isReplyGuessed === true || mostTokens < 1 || mostTokens >= (sent.replyTokens ?? 0)) return null;
  knownOf(logs, sent.found.session).reply = { modelId, mostTokens };
  return fittedLog(sent.found, asked, logs, { outcomes: sent.outcomes });
}

/** Believes a refusal about prompt and reply together, and asks for a shorter reply beside the same view; `null` if none of use is left. */
export function lowerReplyBeside(logs: ArrayConversations, asked: Omit<RejectedRequest, "facts">): Promise<FittedLog | null> {
  const { rejection, sent } = asked;
  const { limitTokens, promptTokens, requestedTokens } = rejection;
  const isCounted = promptTokens !== null || requestedTokens !== null;
  const work = async (found: FoundConversation): Promise<FittedLog | null> => {
    const { session } = found;
    if (session.view().viewHash !== sent.view.viewHash) return null;
    if (limitTokens !== null)
      logs.learned.learn(session, asked.modelId, (known) => {
        const isBelieved = limitTokens > known.answeredTokens;
        const statedTokens = Math.min(limitTokens, known.statedTokens ?? limitTokens);
        return isBelieved ? { ...known, statedTokens, refusedAtMs: logs.nowMs() } : known;
      });
    const { named } = learnedFor(asked, { session, logs });
    const counted = promptTokens ?? session.predict().expectedTokens;
    const prompt = { askedTokens: sent.replyTokens, promptTokens: counted, isNamed: limitTokens !== null, isCounted };
    const replyTokens = shorterReply(named, prompt);
    if (replyTokens === null) return null;
    if (promptTokens !== null) await session.report(sent.view, rejectedReport(session.view(), promptTokens, limitTokens));
    return fittedLog(found, asked, logs, { outcomes: sent.outcomes, replyTokens });
  };
  return logs.conversations.goOn(asked.request, work, asked.signal);
}

/** Compacts after a rejection of the sent request, and remembers its lesson. */
export function recoverRequest(logs: ArrayConversations, asked: RejectedRequest): Promise<FittedLog> {
  const { request, rejection, facts, sent, signal } = asked;
  const { promptTokens } = rejection;
  const work = async (found: FoundConversation): Promise<FittedLog> => {
    const { session } = found;
    const reserveTokens = limitsOf(asked, logs.options).maxOutputTokens ?? 0;
    const refused = { expectedTokens: sent.expectedTokens, reserveTokens, nowMs: logs.nowMs() };
    // Only a count of tokens is a limit of the window; the log says whether an unknown refusal was one, if less helped.
    const { outcome } = rejection;
    const isOfTokens = outcome.kind === "window-ended" || (outcome.kind === "too-large" && outcome.of === "tokens");
    if (isOfTokens) logs.learned.learn(session, asked.modelId, (learned) => afterRejection(learned, rejection, refused));
    if (session.messageIds().length < request.messages.length) await take(asked, found, logs);
    // Another request compacted the same history meanwhile: its result is sent.
    if (session.view().viewHash !== sent.view.viewHash) return fittedLog(found, asked, logs, { outcomes: sent.outcomes });
    if (promptTokens !== null) await session.report(sent.view, rejectedReport(session.view(), promptTokens));
    // The named limit, not the guessed one: the log gives it to a process that reopens the conversation.
    const observedLimitTokens = rejection.limitTokens ?? logs.learned.of(session, asked.modelId).statedTokens;
    const input = { ...inputAt("on-overflow", asked, { session, logs }), ...facts, observedLimitTokens };
    const fitted = await session.fit(input, signal ?? NEVER_ABORTED);
    const { requestLimits } = session.state();
    // Of a try it is not known yet whether it helps.
    if (facts.refused !== undefined && facts.refusedTokens === null)
      logs.learned.learn(session, asked.modelId, (known) => ({ ...known, request: { ...known.request, ...requestLimits } }));
    return { ...fittedLog(found, asked, logs, { outcomes: [fitted] }), cutId: fitted.entry?.id ?? null };
  };
  return logs.conversations.goOn(request, work, signal);
}

/** Finds the message through which items go without the ids that link them: its reasoning leaves without a part. */
export function unlinkedThrough(entries: readonly SessionEntry[]): string | null {
  const removed = entries.flatMap((entry) => ("removedReasoning" in entry ? (entry.removedReasoning ?? []) : []));
  return removed.findLast(({ partIndexes }) => partIndexes.length === 0)?.messageId ?? null;
}

/** Takes refused reasoning out of the sent request, and notes through which message the ids go that link items; `null` if there is neither. */
export function leaveReasoning(
  logs: ArrayConversations,
  asked: SentRequest,
  { refused, through }: { readonly refused: Parameters<Session["leaveReasoning"]>[0]; readonly through: string | null },
): Promise<FittedLog | null> {
  const work = async (found: FoundConversation): Promise<FittedLog | null> => {
    const { session } = found;
    const { view: sent, outcomes } = asked.sent;
    if (session.messageIds().length < asked.request.messages.length) await take(asked, found, logs);
    // Another request did so meanwhile, or compacted the same history: its result is sent.
    if (session.view().viewHash !== sent.viewHash) return fittedLog(found, asked, logs, { outcomes });
    const hasLeft = await session.leaveReasoning(refused);
    if (through === null) return hasLeft ? fittedLog(found, asked, logs, { outcomes }) : null;
    const view = session.view();
    const removedReasoning = [{ messageId: through, partIndexes: [] }];
    session.append({ ...setupChangeEntry(view, view, logs.nowMs()), removedReasoning });
    await session.flush();
    return fittedLog(found, asked, logs, { outcomes });
  };
  return logs.conversations.goOn(asked.request, work, asked.signal);
}

/** Logs the measured size of an answered request that sent `view`, and remembers that it was answered. */
export async function reportAnswer(
  logs: ArrayConversations,
  { found, view, expectedTokens }: Pick<FittedLog, "found" | "view" | "expectedTokens">,
  {
    asked,
    reported,
    isMediaTry,
  }: { readonly asked: RequestFacts; readonly reported: ObservedAnswer; readonly isMediaTry: boolean },
): Promise<void> {
  const { session } = found;
  knownOf(logs, session).unanswered = 0;
  await session.inTurn(async () => {
    const entry = await session.report(view, reported);
    const outputTokens = entry?.usage.output.totalTokens ?? 0;
    const nowTokens = entry === null ? expectedTokens : session.predict().expectedTokens - outputTokens;
    logs.learned.learn(session, asked.modelId, (learned) => {
      const request = isMediaTry ? { ...learned.request, ...session.state().requestLimits } : learned.request;
      const left = withoutRefuted(request, view);
      return { ...afterAnswer(learned, { expectedTokens, nowTokens }), request: left };
    });
  });
}

/** Looks for a handle's text in these conversations: first in their logs, then among results that were cut. */
export async function recallIn(
  logs: ArrayConversations,
  all: readonly FoundConversation[],
  { handle, range }: { readonly handle: string; readonly range: Parameters<typeof recallArtifact>[1] },
): ReturnType<typeof recallArtifact> {
  for (const { session } of all) {
    const recalled = await session.recall(handle, range);
    if (recalled !== null) return recalled;
  }
  for (const { session } of all) {
    const recalled = await recallArtifact(handle, range, artifactsOf(session, logs));
    if (recalled !== null) return recalled;
  }
  return null;
}

/** Logs the switch to a model that cannot read the vendor's summary, which the model asked before has made. */
function noteModel(modelId: string, asked: RequestFacts, session: Session, logs: ArrayConversations): void {
  const view = session.view();
  const first = view.messages.at(0);
  if (first === undefined || vendorBlockOf(first) === undefined) return;
  session.append(modelChangeEntry(view, { modelId, limits: limitsOf(asked, logs.options) }, logs.nowMs()));
}

/** Appends all messages of the request that are new. A human message at the end is seen by the gate before it is. */
async function take(asked: AskedRequest, { session, name }: FoundConversation, logs: ArrayConversations): Promise<FitOutcome> {
  const { request, firstReported = null, modelId, signal = NEVER_ABORTED } = asked;
  const of = knownOf(logs, session);
  const before = of.modelId ?? modelId;
  if (modelId !== undefined) of.modelId = modelId;
  of.facts = asked;
  const known = session.messageIds().length;
  // Taken up from a store or from a fork: results that were cut then are kept again, so that their handles find them.
  const isNew = of.artifacts === undefined;
  const kept = artifactsOf(session, logs) === logs.options.artifacts || !isNew ? [] : request.messages.slice(0, known);
  for (const [index, message] of kept.entries()) await admitted(message, callOf(request.messages, index), { session, logs });
  const nowMs = logs.nowMs();
  const { system, tools } = request;
  const setup = { system, tools, boundReasoning: logs.options.boundReasoning ?? "leaves" } as const;
  const fresh = arrived(request.messages, known, nowMs);
  const last = fresh.at(-1);
  const submitted = last !== undefined && isHuman(last) ? [last] : [];
  // A reply that is new was made behind the system text and tools of the request before this one.
  const firstAfter = known === 0 ? 0 : fresh.findLastIndex(({ role }) => role === "assistant") + 1;
  const firstReply = known === 0 ? fresh.findIndex(({ role }) => role === "assistant") : -1;
  const cuts: CutResult[] = [];
  of.cuts = cuts;
  for (const [index, message] of fresh.slice(0, fresh.length - submitted.length).entries()) {
    if (index === firstAfter) noteSetup(session, setup, nowMs);
    if (index === firstReply && firstReported !== null) await session.report(session.view(), firstReported);
    const { message: own, cut } = await admitted(message, callOf(request.messages, known + index), { session, logs });
    session.append({ type: "message", message: answering(own, session) });
    if (cut !== null) cuts.push(cut);
    if (cut !== null) option.heard(logs.options.onEvent?.(cut, name));
    const isOvertaken = message.role === "assistant" && of.isUndone;
    if (isOvertaken) of.isUndone = false;
    if (isOvertaken && message.parts.some(({ type }) => type === "reasoning") && hasBound(logs, session))
      await session.leaveReasoning("overtaken");
  }
  of.isUndone = false;
  noteSetup(session, setup, nowMs);
  // A reply that is new is the model's that was asked before.
  if (modelId !== undefined && before !== modelId) noteModel(modelId, asked, session, logs);
  const gate = submitted.length > 0 ? "before-submit" : "after-tool-batch";
  const outcome = await session.fit({ ...inputAt(gate, asked, { session, logs }), pending: submitted }, signal);
  for (const message of submitted) session.append({ type: "message", message });
  await session.flush();
  return outcome;
}

/** The store of the results that the cap cut in a conversation. */
export function artifactsOf(session: Session, logs: ArrayConversations): ArtifactStore {
  const known = knownOf(logs, session);
  known.artifacts ??= logs.options.artifacts ?? createMemoryArtifactStore();
  return known.artifacts;
}

/** The message as it enters the log: a result cut to the policy's cap, by the category of its call unless the caller gives its tool's, and marked if it failed. */
async function admitted(
  message: Message,
  call: ToolCallPart | null,
  { session, logs }: OfConversation,
): Promise<{ readonly message: Message; readonly cut: CutResult | null }> {
  if (message.role !== "tool-result") return { message, cut: null };
  const { options, wire, policy, kinds } = logs;
  const category = options.categoryOf?.(message.toolName) ?? callShape(message.toolName, call?.argumentsJson ?? "").category;
  const isError = message.isError || (wire.tellsFailures === false && readsAsFailed({ ...message, category }));
  const kept = { policy, artifacts: artifactsOf(session, logs), truncations: kinds.truncations };
  const result = await admitToolResult({ ...message, isError, category }, kept);
  return { message: result.message, cut: resultCut(message, result) };
}
