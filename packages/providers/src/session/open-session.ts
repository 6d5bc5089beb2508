import type { ArtifactStore } from "@plimsoll/core";
import type { Attempt, Rejection } from "@plimsoll/core/conversation";
import { sendWithRecovery } from "@plimsoll/core/conversation";
import { checkSendable } from "../client/model-client.ts";
import { rejectedReport, rejectionIn } from "../client/rejection.ts";
import type { createToolNames } from "../wire/identifiers.ts";
import { fitSubmitted } from "./fit-request.ts";
import type { Progress } from "./progress.ts";
import { awaited, begun, checkAnswered } from "./progress.ts";
import type { SessionLog } from "./session-log.ts";
import type { SessionWire } from "./session-wire.ts";

/** A session that is open: its log, its wire, and the one record that changes. */
export interface OpenSession<Request> {
  readonly log: SessionLog;
  readonly wire: SessionWire<Request>;
  readonly artifacts: ArtifactStore;
  /** Names of calls as the wire takes them: models make names up. */
  readonly renamed: ReturnType<typeof createToolNames>;
  progress: Progress;
}

/** Runs work after all earlier work, without its caller waiting. The next request throws its error. */
export function behind<Request>(session: OpenSession<Request>, work: () => Promise<void>): void {
  void session.log.conversation.inTurn(work).catch((error: unknown) => {
    session.progress = { ...session.progress, failure: session.progress.failure ?? { error } };
  });
}

/** Runs the work of one request. Throws a PlimsollError `bad-input` if another one is being made. */
export async function alone<Request, T>(session: OpenSession<Request>, work: () => Promise<T>): Promise<T> {
  session.progress = begun(session.progress);
  try {
    return await work();
  } finally {
    session.progress = { ...session.progress, isBusy: false };
  }
}

/** Appends what waits and makes everything fit. */
export async function prepare<Request>(session: OpenSession<Request>, signal: AbortSignal): Promise<void> {
  const { conversation, limits } = session.log;
  await conversation.inTurn(async () => {
    const { progress } = session;
    session.progress = { ...progress, failure: null };
    checkAnswered(progress);
    const pending = await fitSubmitted({ conversation, limits, signal, waiting: progress.waiting });
    for (const message of pending) conversation.add({ type: "message", message });
    session.progress = { ...session.progress, waiting: session.progress.waiting.slice(pending.length) };
    await conversation.flush();
    await conversation.fit({ gate: "before-step", pending: [], model: limits }, signal);
  });
}

/**
 * The request for the context as it is now. It waits for its answer from here on.
 *
 * @throws PlimsollError `unsendable` for messages that the wire would reject.
 */
export function written<Request>(session: OpenSession<Request>): Request {
  const { wire, log, renamed } = session;
  const { manager } = log.conversation;
  const asked = { context: manager.context(), modelId: wire.modelId, maxOutputTokens: log.limits.maxOutputTokens };
  const { request } = renamed(asked);
  checkSendable(request.context.messages, wire.rules);
  const encoded = wire.encode(request);
  session.progress = { ...session.progress, sent: manager.view() };
  return encoded;
}

/** Sends until the prompt fits, as often as the policy allows. What cannot be mended is thrown as it came. */
export async function sent<Request, Answer>(
  session: OpenSession<Request>,
  send: (request: Request) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const { conversation, policy, limits } = session.log;
  const end = await sendWithRecovery({
    policy,
    attempt: () => attempted(() => send(written(session))),
    recover: (facts, { promptTokens }) =>
      conversation.inTurn(async () => {
        const view = awaited(session.progress);
        if (promptTokens !== null) await conversation.report(view, rejectedReport(view, promptTokens));
        const outcome = await conversation.fit({ gate: "on-overflow", pending: [], model: limits, ...facts }, signal);
        return outcome.kind === "compacted";
      }),
  });
  if (end.kind === "too-long") throw end.rejection.error;
  return end.answer;
}

interface TooLong extends Rejection {
  readonly error: unknown;
}

async function attempted<Answer>(send: () => Promise<Answer>): Promise<Attempt<Answer, TooLong>> {
  try {
    return { kind: "answered", answer: await send() };
  } catch (error) {
    const rejection = rejectionIn(error);
    if (rejection === null) throw error;
    return { kind: "too-long", rejection: { ...rejection, error } };
  }
}
