import type {
  ArtifactStore,
  ContextEvent,
  FitOutcome,
  Message,
  ModelLimits,
  ModelRequest,
  Policy,
  Session,
  SessionView,
  ToolCallPart,
} from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import type { Kinds, MessageDraft, WireRules } from "@plimsoll/core/extend";
import {
  answerOf,
  attempted,
  closedError,
  learnedInLog,
  learnedWindowTokens,
  nextTry,
  outcomeOfReply,
  replyBeside,
  sendWithRecovery,
  withIds,
  withReplyWithin,
} from "@plimsoll/core/extend";
import { rejectedReport, sdkRejection } from "../client/failure.ts";
import { type CutResult, type FitReport, fitReport } from "../fit-report.ts";
import { type LearnedLimits, learnedWindow } from "../learned-limits.ts";
import { replyLowered, shorterReply } from "../shorter-reply.ts";
import { endedReplyOf } from "../wire/ended-reply.ts";
import type { createToolNames } from "../wire/tools.ts";
import { checkSendable, decodedBy, type SessionWire } from "../wire/wire.ts";
import type { SdkSession } from "./session.ts";

/** A conversation in its log, and the parts of its requests. */
export interface SessionLog extends Pick<SdkSession<never, never>, "sessionId" | "conversation"> {
  /** Names of calls as the wire takes them: models make names up. */
  readonly renamed: ReturnType<typeof createToolNames>;
  readonly policy: Policy;
  readonly kinds: Kinds;
  readonly limits: ModelLimits & { readonly maxOutputTokens: number };
  readonly nowMs: () => number;
  /** Sends an event to the session's listener. */
  readonly tell: (event: ContextEvent) => void;
}

/** A session that is open: its log, its wire, and the one record that changes. */
export interface OpenSession<Request> extends SessionLog {
  readonly wire: SessionWire<Request>;
  readonly artifacts: ArtifactStore;
  progress: Progress;
  last: FitReport | null;
  /** Results cut on arrival since the newest request. */
  cuts: readonly CutResult[];
  /** Ends with the request that is being made or sent: closing the session waits for its answer. */
  running: Promise<unknown>;
  /** The longest reply that the vendor gives, if a refusal taught it. */
  mostReplyTokens?: number;
  /** The window that a refusal named while nothing was cut: no entry has it. */
  namedTokens?: number;
}

/** The limits as far as the vendor allows: a window that it named is believed, and a reply that leaves no room in it is lowered. */
function limitsOf<Request>(session: OpenSession<Request>): SessionLog["limits"] {
  const { limits, policy, mostReplyTokens = limits.maxOutputTokens, namedTokens = Number.POSITIVE_INFINITY } = session;
  const allowed = { ...limits, maxOutputTokens: Math.min(limits.maxOutputTokens, mostReplyTokens) };
  const statedTokens = Math.min(namedTokens, learned(session).statedTokens ?? namedTokens);
  if (!policy.enabled || statedTokens >= (limits.contextWindowTokens ?? Number.POSITIVE_INFINITY)) return allowed;
  return withReply({ ...allowed, contextWindowTokens: statedTokens }, session.wire);
}

/** The limits with a reply that leaves room in the window, but is no shorter than a request may ask for. */
export function withReply(
  limits: SessionLog["limits"],
  { leastOutputTokens = 0 }: { readonly leastOutputTokens?: number },
): SessionLog["limits"] {
  const { maxOutputTokens } = withReplyWithin(limits);
  const mostTokens = Math.max(maxOutputTokens, Math.min(leastOutputTokens, limits.maxOutputTokens));
  return mostTokens === limits.maxOutputTokens ? limits : { ...limits, maxOutputTokens: mostTokens };
}

function besideContext<Request>(session: OpenSession<Request>): number {
  const wanted = limitsOf(session);
  if (!session.policy.enabled) return wanted.maxOutputTokens;
  const besideTokens = replyBeside(wanted, session.conversation.predict().expectedTokens) ?? wanted.maxOutputTokens;
  return Math.max(besideTokens, Math.min(session.wire.leastOutputTokens ?? 0, wanted.maxOutputTokens));
}

/** Runs work after all earlier work, without its caller waiting. The next request throws its error; so does `close` if the log lacks the message. */
export function behind<Request>(session: OpenSession<Request>, work: () => Promise<void>): void {
  const { inTurn, messageIds } = session.conversation;
  let countBefore = 0;
  const counted = () => {
    countBefore = messageIds().length;
    return work();
  };
  void inTurn(counted).catch((error: unknown) => {
    const failure = { error, isLost: messageIds().length === countBefore };
    session.progress = { ...session.progress, failure: failure.isLost ? failure : (session.progress.failure ?? failure) };
  });
}

/** Writes all that the session has, a person's waiting words too, and releases the log. */
export async function close<Request>(session: OpenSession<Request>): Promise<void> {
  session.progress = { ...session.progress, isClosed: true };
  await session.running;
  await session.conversation.close(session.progress.waiting);
  const { failure } = session.progress;
  session.progress = { ...session.progress, failure: null };
  if (failure?.isLost === true) throw failure.error;
}

/** Runs the work of one request. Throws a PlimsollError `bad-input` if another one is being made. */
export async function alone<Request, T>(session: OpenSession<Request>, work: () => Promise<T>): Promise<T> {
  session.progress = begun(session.progress);
  const made = work().finally(() => {
    session.progress = { ...session.progress, isBusy: false };
  });
  session.running = made.catch(() => undefined);
  return await made;
}

/** Appends the waiting messages and makes everything fit. */
export async function prepare<Request>(session: OpenSession<Request>, signal: AbortSignal): Promise<void> {
  const { conversation } = session;
  const limits = limitsOf(session);
  const observedLimitTokens = learnedWindowTokens(learned(session), limits.maxOutputTokens);
  await conversation.inTurn(async () => {
    const { progress } = session;
    session.progress = { ...progress, failure: null };
    checkAnswered(progress);
    const last = conversation.view().messages.at(-1);
    if (progress.waiting.length === 0 && (last === undefined || (last.role === "assistant" && last.origin === "model")))
      throw misuse("there is nothing to send: add a user message or a result");
    const outcomes: FitOutcome[] = [];
    const fit = async (gate: Parameters<Session["fit"]>[0]["gate"], pending: readonly Message[]) =>
      void outcomes.push(await conversation.fit({ gate, pending, model: limits, observedLimitTokens }, signal));
    // The gates see the results, then the person's words, before those are submitted.
    if (last?.role === "tool-result") await fit("after-tool-batch", []);
    const pending = withIds(progress.waiting, conversation.state().lastMessageId);
    if (pending.length > 0) await fit("before-submit", pending);
    for (const message of pending) conversation.append({ type: "message", message });
    session.progress = { ...session.progress, waiting: session.progress.waiting.slice(pending.length) };
    await conversation.flush();
    await fit("before-step", []);
    report(session, outcomes, limits);
    session.cuts = [];
  });
}

function report<Request>(session: OpenSession<Request>, outcomes: readonly FitOutcome[], limits: ModelLimits): void {
  const { policy, sessionId, conversation, cuts } = session;
  const { expectedTokens } = conversation.predict();
  const fitted = { policy, sessionId, limits, learned: learnedWindow(learned(session), limits), expectedTokens, cuts };
  session.last = fitReport(outcomes, fitted);
}

function learned<Request>({ conversation, limits, nowMs, wire }: OpenSession<Request>): ReturnType<LearnedLimits["of"]> {
  const reserveTokens = limits.maxOutputTokens;
  return learnedInLog(conversation.limitEvents(), { modelId: wire.modelId, reserveTokens, nowMs: nowMs() });
}

/**
 * The request for the context as it is now. It waits for its answer from here on.
 *
 * @throws PlimsollError `unsendable` for messages that the wire would reject.
 */
export function written<Request>(session: OpenSession<Request>): Request {
  assertOpen(session.progress);
  const { wire, conversation, limits: wanted, tell } = session;
  const asked = { context: conversation.context(), modelId: wire.modelId, maxOutputTokens: besideContext(session) };
  const { maxOutputTokens } = asked;
  if (maxOutputTokens < Math.min(wanted.maxOutputTokens, session.mostReplyTokens ?? wanted.maxOutputTokens))
    tell(replyLowered(wanted, { ...wanted, maxOutputTokens }));
  const body = bodyOf(session, asked, wire.rules);
  session.progress = { ...session.progress, sent: conversation.view(), askedTokens: asked.maxOutputTokens };
  return body;
}

/** The body of a request. Throws PlimsollError `unsendable` for messages that the rules forbid. */
export function bodyOf<Request>(
  { wire, conversation, renamed }: Pick<OpenSession<Request>, "wire" | "conversation" | "renamed">,
  asked: ModelRequest,
  rules: WireRules,
): Request {
  const { request } = renamed(asked);
  checkSendable(request.context.messages, rules);
  const body = wire.encode(request, conversation.view().boundReasoning);
  // The caller's own parameters, tools among them, are redacted here.
  return conversation.redaction.item(body);
}

/** Sends until the prompt fits, as often as the policy allows. Other failures are thrown as they came. */
export async function sent<Request, Answer>(
  session: OpenSession<Request>,
  send: (request: Request) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const { conversation, policy } = session;
  const { contextWindowTokens: windowTokens } = session.limits;
  const outcomeIn = (answer: Answer) => {
    const { askedTokens } = session.progress;
    return outcomeOfReply(endedReplyOf(decodedBy(session.wire, answer)), { askedTokens, windowTokens });
  };
  const expectedTokens = () => conversation.predict().expectedTokens;
  const end = await sendWithRecovery<Answer>({
    policy,
    attempt: () => {
      const request = written(session);
      const rejectionIn = (error: unknown) => sdkRejection(error, request);
      const { askedTokens } = session.progress;
      return attempted(() => send(request), { outcomeIn, rejectionIn, expectedTokens, askedTokens: () => askedTokens });
    },
    nextTry: (asked) => nextTry(conversation, { policy, ...asked }),
    undo: (refusal) =>
      conversation.inTurn(async () => {
        await conversation.undo(refusal);
        report(session, [{ kind: "unchanged", off: null, refusal }], limitsOf(session));
      }),
    lowerReply: (limitTokens) => {
      const now = limitsOf(session).maxOutputTokens;
      session.mostReplyTokens = limitTokens ?? Math.floor(now / 2);
      return session.mostReplyTokens >= 1 && session.mostReplyTokens < now;
    },
    lowerBeside: ({ limitTokens, promptTokens, requestedTokens }) =>
      conversation.inTurn(async () => {
        const view = awaited(session.progress);
        if (limitTokens !== null) session.namedTokens = Math.min(limitTokens, session.namedTokens ?? limitTokens);
        const { askedTokens } = session.progress;
        const isCounted = promptTokens !== null || requestedTokens !== null;
        const prompt = { promptTokens: promptTokens ?? expectedTokens(), isNamed: limitTokens !== null, isCounted };
        const shorterTokens = shorterReply(limitsOf(session), { askedTokens, ...prompt });
        if (shorterTokens === null) return false;
        if (promptTokens !== null) await conversation.report(view, rejectedReport(view, promptTokens, limitTokens));
        if (limitTokens === null) session.mostReplyTokens = shorterTokens;
        return true;
      }),
    leaveReasoning: (refused) => conversation.inTurn(() => conversation.leaveReasoning(refused)),
    recover: (facts, { promptTokens }) =>
      conversation.inTurn(async () => {
        const view = awaited(session.progress);
        if (promptTokens !== null) await conversation.report(view, rejectedReport(view, promptTokens));
        const model = limitsOf(session);
        const outcome = await conversation.fit({ gate: "on-overflow", pending: [], model, ...facts }, signal);
        report(session, [outcome], model);
        return outcome.entry !== undefined;
      }),
  });
  return answerOf(end, conversation);
}

/** Where a session is between two requests. Transitions give a new record; misuse throws a PlimsollError `bad-input`. */
interface Progress {
  readonly waiting: readonly MessageDraft[];
  readonly open: readonly OpenCall[];
  /** The view that the newest request sent, if nothing answered it yet. */
  readonly sent: SessionView | null;
  /** The reply that it asked for; `null` before the first. */
  readonly askedTokens: number | null;
  readonly isBusy: boolean;
  /** The error of a write whose caller had gone on, and whether the log will never have it: the next request throws it. */
  readonly failure: { readonly error: unknown; readonly isLost: boolean } | null;
  readonly isClosed: boolean;
}

/** Throws PlimsollError `closed` after the session was closed. */
export function assertOpen({ isClosed }: Progress): void {
  if (isClosed) throw closedError("session");
}

/** A session that was just opened. */
export const NOTHING_YET: Progress = {
  waiting: [],
  open: [],
  sent: null,
  askedTokens: null,
  isBusy: false,
  failure: null,
  isClosed: false,
};

function begun(progress: Progress): Progress {
  assertOpen(progress);
  if (progress.isBusy) throw misuse("a request of this session is being made; wait for it, or open another session");
  return { ...progress, isBusy: true, sent: null };
}

/** Throws the log's failure, and names calls that have no result: no vendor takes the request then. */
function checkAnswered({ failure, open }: Progress): void {
  if (failure !== null) throw failure.error;
  if (open.length === 0) return;
  const callIds = open.map(({ call }) => call.callId);
  throw misuse(`no result was given for: ${callIds.join(", ")}`, { callIds });
}

/** Returns the view that the newest request sent. Throws if it was answered, or if there was none. */
export function awaited({ sent }: Progress): SessionView {
  if (sent === null) throw misuse("no request waits for an answer");
  return sent;
}

/** A call got its result. It can be named by its own id or by the answer's. */
export function resulted(progress: Progress, callId: string): { readonly progress: Progress; readonly call: OpenCall } {
  assertOpen(progress);
  const call =
    progress.open.find((open) => open.call.callId === callId) ?? progress.open.find(({ givenId }) => givenId === callId);
  if (call === undefined) throw misuse(`no call ${JSON.stringify(callId)} waits for a result`, { callIds: [callId] });
  return { call, progress: { ...progress, open: progress.open.filter((open) => open !== call) } };
}

function misuse(message: string, details: { readonly callIds?: readonly string[] } = {}): PlimsollError {
  return new PlimsollError("bad-input", message, details);
}

/** A call without a result, and the id that the answer gave it. */
export interface OpenCall {
  readonly givenId: string;
  readonly call: ToolCallPart;
}
