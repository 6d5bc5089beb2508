import type { RequestOutcome } from "../conversation/outcome.ts";
import { isEndedByWindow } from "../conversation/outcome.ts";
import type { Attempt, RecoveryFacts, Rejection } from "../conversation/recovery.ts";
import { REASONING_REFUSED, sendWithRecovery } from "../conversation/recovery.ts";
import type { FitOutcome } from "../engine/fit-input.ts";
import { isPlimsollError, type PlimsollError } from "../error.ts";
import type { JsonValue } from "../json.ts";
import { isRecord } from "../json.ts";
import type { Context } from "../message/message.ts";
import type { Policy } from "../policy/policy.ts";
import type { ModelReply } from "../ports.ts";
import type { SessionView } from "../session/view.ts";
import { type AgentModel, DEFAULT_MAX_OUTPUT_TOKENS } from "./agent-options.ts";
import type { AgentEventBody } from "./events.ts";

/** What one request needs of the session. */
export interface ReplyRequest {
  /** The model in force, with the output to ask for. */
  readonly model: () => AgentModel;
  readonly policy: Policy;
  readonly signal: AbortSignal;
  /** The view as it is now; asked again after each recovery. */
  readonly view: () => SessionView;
  /** The context to send for it. */
  readonly context: () => Promise<Context>;
  /** Lowers the output to ask for, if that is what does not fit; false if it is not. Tried before anything is compacted. */
  readonly lowerOutput: (rejection: Rejection) => boolean;
  /** Whether nothing as large was answered. */
  readonly isLargest: () => boolean;
  /** Puts back what the last recovery took. */
  readonly undo: () => Promise<void>;
  /** Compacts at the overflow gate. */
  readonly recover: (facts: RecoveryFacts) => Promise<FitOutcome>;
  /** Takes all bound reasoning out of the context; false if there is none. */
  readonly leaveReasoning: () => Promise<boolean>;
  /** Logs the size that a rejection named: what was sent measures the context, although nothing came back. */
  readonly measure: (sent: SessionView, promptTokens: number) => Promise<void>;
  /** Told of each rejection, with the number of the recovery that follows; 0 if none is left. */
  readonly onRejection: (rejection: Rejection, recovery: number) => void;
  readonly tell: (event: AgentEventBody) => void;
}

/** A reply, and the view that it answers. */
export interface Answer {
  readonly reply: ModelReply;
  readonly sent: SessionView;
}

interface RejectedReply extends Rejection {
  readonly error: PlimsollError | null;
  /** The answer, if it came and the window cut it off: it is taken if nothing can be done. */
  readonly cutOff?: Answer;
}

/** Asks the model. Rejects with the provider's error if the prompt is too long after every recovery that the policy allows. */
export async function requestReply(request: ReplyRequest): Promise<Answer> {
  const { policy, recover, onRejection } = request;
  const sent = await sendWithRecovery<Answer, RejectedReply>({
    policy,
    attempt: async () => {
      const attempt = await attempted(request);
      if (attempt.kind !== "too-long" || attempt.rejection.outcome !== undefined) return attempt;
      if (!request.lowerOutput(attempt.rejection)) return attempt;
      return await attempted(request);
    },
    recover: async (facts) => (await recover(facts)).kind === "compacted",
    leaveReasoning: request.leaveReasoning,
    onRejection,
    isLargest: request.isLargest,
    undo: request.undo,
  });
  if (sent.kind === "reasoning-refused") throw sent.error;
  if (sent.kind === "answered") return sent.answer;
  const { cutOff, error } = sent.rejection;
  if (cutOff === undefined) throw error;
  return cutOff;
}

/** Sends the context as it is now, once. */
async function attempted(request: ReplyRequest): Promise<Attempt<Answer, RejectedReply>> {
  // A context may have to be said in the log first.
  const context = await request.context();
  const view = request.view();
  try {
    const answer = { reply: await streamed(context, request), sent: view };
    return isCutOff(answer.reply, request) ? { kind: "too-long", rejection: cutOffBy(answer) } : { kind: "answered", answer };
  } catch (error) {
    if (isPlimsollError(error, "provider-failed") && error.details.class === REASONING_REFUSED)
      return { kind: "reasoning-refused", error };
    if (!isPlimsollError(error)) throw error;
    const outcome = outcomeIn(error);
    if (outcome === null) throw error;
    const rejection = rejectionOf(error, outcome);
    if (rejection.promptTokens !== null) await request.measure(view, rejection.promptTokens);
    return { kind: "too-long", rejection };
  }
}

/** What a client's error says of a request that less may be sent in the place of; `null` for every other. */
function outcomeIn({ code, details: { outcome } }: PlimsollError): RequestOutcome | null {
  if (code === "context-overflow") return { kind: "too-large", of: "tokens" };
  if (code !== "provider-failed" || !isRecord(outcome)) return null;
  if (outcome.kind === "too-large") return { kind: "too-large", of: "bytes" };
  return outcome.kind === "unknown" ? { kind: "unknown", words: String(outcome.words) } : null;
}

function rejectionOf(error: PlimsollError, outcome: RequestOutcome): RejectedReply {
  if (error.code !== "context-overflow") return { error, outcome, ...NO_NUMBERS };
  return {
    error,
    limitTokens: numberIn(error, "limitTokens"),
    requestedTokens: numberIn(error, "requestedTokens"),
    promptTokens: numberIn(error, "promptTokens"),
  };
}

const NO_NUMBERS = { limitTokens: null, requestedTokens: null, promptTokens: null } as const;

function cutOffBy(cutOff: Answer): RejectedReply {
  return { error: null, outcome: { kind: "window-ended" }, cutOff, ...NO_NUMBERS };
}

/** Whether the window ended a reply. One with calls is whole enough: they run. */
function isCutOff({ draft: { parts }, stopReason, usage }: ModelReply, { model, policy }: ReplyRequest): boolean {
  if (!policy.enabled || parts.some(({ type }) => type === "tool-call")) return false;
  const { contextWindowTokens: windowTokens, maxOutputTokens } = model().limits;
  const isEmpty = parts.every((part) => part.type !== "text" || part.text.trim() === "");
  const sizes = { promptTokens: usage.input.totalTokens, outputTokens: usage.output.totalTokens };
  const askedTokens = maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
  return isEndedByWindow({ stopReason, isWindowFull: false, isEmpty, ...sizes }, { askedTokens, windowTokens });
}

async function streamed(context: Context, { model: inForce, signal, tell }: ReplyRequest): Promise<ModelReply> {
  const model = inForce();
  const request = {
    context,
    modelId: model.modelId,
    maxOutputTokens: model.limits.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
    ...(model.reasoning === undefined ? {} : { reasoning: model.reasoning }),
  };
  for await (const event of model.client.stream(request, signal)) {
    switch (event.type) {
      case "text-delta":
      case "reasoning-delta":
        tell(event);
        break;
      case "tool-call-start":
        break;
      case "retry":
        tell({ type: "request-retry", attempt: event.attempt, class: event.class, waitMs: event.waitMs });
        break;
      case "reply":
        return event.reply;
      default:
        event satisfies never;
    }
  }
  throw new Error("a model client ended without a reply");
}

function numberIn(error: PlimsollError, key: string): number | null {
  const value: JsonValue | undefined = error.details[key];
  return typeof value === "number" ? value : null;
}
