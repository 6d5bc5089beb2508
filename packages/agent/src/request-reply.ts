import type { Context, FitOutcome, ModelEvent, ModelReply, Policy, Session, SessionView } from "@plimsoll/core";
import {
  answerOf,
  attempted,
  isRecord,
  outcomeOfReply,
  passed,
  type Rejection,
  rejectionIn,
  replyBeside,
  sendWithRecovery,
  sessionEntrySchema,
} from "@plimsoll/core/extend";
import { z } from "zod";
import { DEFAULT_MAX_OUTPUT_TOKENS, type SizedModel } from "./agent.ts";
import type { AgentEventBody } from "./events.ts";

type Recovery = Parameters<typeof sendWithRecovery<Answer>>[0];

/** The parts of the session that one request needs, with the recovery's own: replies are lowered from then on, and an event reports each rejection. */
export interface ReplyRequest
  extends Required<Pick<Recovery, "lowerReply" | "nextTry" | "undo" | "leaveReasoning" | "onRejection">> {
  /** The model in force, with the output to ask for. */
  readonly model: () => SizedModel;
  readonly policy: Policy;
  readonly signal: AbortSignal;
  /** The view as it is now; asked again after each recovery. */
  readonly view: () => SessionView;
  /** Returns the expected tokens of a request with it. */
  readonly expectedTokens: () => number;
  /** The context to send for it. */
  readonly context: () => Promise<Context>;
  /** Lowers the requested output, if that is too long; false if it is not. Tried before anything is compacted. */
  readonly lowerOutput: (rejection: Rejection) => boolean;
  /** Compacts at the overflow gate. */
  readonly recover: (facts: Parameters<Recovery["recover"]>[0]) => Promise<FitOutcome>;
  /** Logs the size that a rejection named: the sent request measures the context, although nothing came back. */
  readonly measure: (sent: SessionView, promptTokens: number) => Promise<void>;
  readonly tell: (event: AgentEventBody) => void;
  readonly overflow: Session["overflow"];
}

/** A reply, and the view that it answers. */
export interface Answer {
  readonly reply: ModelReply;
  readonly sent: SessionView;
}

/** Asks the model. Rejects with the provider's error if the prompt is too long after every recovery that the policy allows. */
export async function requestReply(request: ReplyRequest): Promise<Answer> {
  const { policy, recover, leaveReasoning, lowerReply, onRejection, nextTry, undo } = request;
  const end = await sendWithRecovery<Answer>({
    policy,
    attempt: () => sentOnce(request),
    lowerBeside: async (rejection) => request.lowerOutput(rejection),
    recover: async (facts) => (await recover(facts)).entry !== undefined,
    leaveReasoning,
    lowerReply,
    onRejection,
    nextTry,
    undo,
  });
  return answerOf(end, request);
}

/** Sends the context as it is now, once. */
async function sentOnce(request: ReplyRequest): ReturnType<typeof sendWithRecovery<Answer>> {
  // A context may have to be said in the log first.
  const context = await request.context();
  const sent = request.view();
  const send = async () => ({ reply: await streamed(context, { request, askedTokens }), sent });
  const { expectedTokens } = request;
  const askedTokens = askedTokensOf(request);
  const outcomeIn = ({ reply }: Answer) => outcomeOf(reply, request, askedTokens);
  const attempt = await attempted(send, { rejectionIn, outcomeIn, expectedTokens, askedTokens: () => askedTokens });
  const promptTokens = attempt.kind === "refused" ? attempt.rejection.promptTokens : null;
  if (promptTokens !== null) await request.measure(sent, promptTokens);
  return attempt;
}

/** Decides the outcome of a reply. One with calls is whole enough: they run. */
function outcomeOf(
  { draft: { parts }, stopReason, usage, isWindowFull = false, ...counted }: ModelReply,
  { model, policy }: ReplyRequest,
  askedTokens: number,
): Rejection["outcome"] {
  if (!policy.enabled || parts.some(({ type }) => type === "tool-call")) return { kind: "answered" };
  const textChars = parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.trim().length : 0), 0);
  const saidChars = counted.saidChars === undefined ? textChars : counted.saidChars;
  const { contextWindowTokens: windowTokens } = model().limits;
  const sizes = { promptTokens: usage.input.totalTokens, outputTokens: usage.output.totalTokens };
  return outcomeOfReply({ stopReason, isWindowFull, saidChars, ...sizes }, { askedTokens, windowTokens });
}

const EVENT = { port: "the model client", shape: z.custom<ModelEvent>(isRecord), wanted: "events" };

const REPLY = {
  port: "the model client",
  shape: z.custom<ModelReply>(isReply),
  wanted: "a reply: its requestId, draft, stopReason and usage",
};

/** True for a reply whose draft a log can hold. Impossible counts are reported at the place that reads them. */
function isReply(reply: unknown): boolean {
  if (!isRecord(reply) || typeof reply.requestId !== "string" || !isRecord(reply.draft) || !isRecord(reply.usage)) return false;
  const { input, output, billed } = reply.usage;
  const message = { ...reply.draft, id: "reply" };
  return [input, output, billed].every(isRecord) && sessionEntrySchema.safeParse({ type: "message", message }).success;
}

/** The reply to ask for, in tokens: the model's longest, or the room that the window leaves beside the prompt; an event says that it was lowered. */
function askedTokensOf({ model, policy, expectedTokens, tell }: ReplyRequest): number {
  const { limits } = model();
  const wantedTokens = limits.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
  if (!policy.enabled || policy.fallback === null) return wantedTokens;
  const maxOutputTokens = replyBeside({ ...limits, maxOutputTokens: wantedTokens }, expectedTokens()) ?? wantedTokens;
  if (maxOutputTokens < wantedTokens)
    tell({ type: "output-lowered", limitTokens: limits.contextWindowTokens, maxOutputTokens });
  return maxOutputTokens;
}

async function streamed(
  context: Context,
  {
    request: { model: inForce, signal, tell },
    askedTokens: maxOutputTokens,
  }: { readonly request: ReplyRequest; readonly askedTokens: number },
): Promise<ModelReply> {
  const model = inForce();
  const request = {
    context,
    modelId: model.modelId,
    maxOutputTokens,
    ...(model.reasoning === undefined ? {} : { reasoning: model.reasoning }),
  };
  for await (const given of model.client.stream(request, signal)) {
    const event = passed(EVENT, given);
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
        return passed(REPLY, event.reply);
      default:
        event satisfies never;
    }
  }
  return passed(REPLY, undefined);
}
