import {
  admitToolResult,
  type Context,
  type FitInput,
  type FitOutcome,
  type ImagePart,
  isPlimsollError,
  type Message,
  type ModelLimits,
  type Session,
  type ToolCallPart,
  type ToolResultMessage,
  textOf,
  UNREPORTED_USAGE,
} from "@plimsoll/core";
import {
  type AgentTool,
  askDynamicContext,
  BUILT_IN_KINDS,
  isRecord,
  LEAST_REPLY_TOKENS,
  learnedInLog,
  learnedWindowTokens,
  type MessageDraft,
  measuredUsage,
  nextTry,
  passed,
  REPLY_RATIO,
  type Rejection,
  rejectedUsage,
  replaceHistory,
  shortHash,
  type ToolOutput,
  untilAborted,
  withIds,
} from "@plimsoll/core/extend";
import { z } from "zod";
import { type Authorization, DEFAULT_MAX_OUTPUT_TOKENS, type SizedModel, type StartedOptions } from "./agent.ts";
import type { AgentEventBody } from "./events.ts";
import type { CallDecision, LoopEffect, LoopEvent, LoopState } from "./loop-state.ts";
import { requestReply } from "./request-reply.ts";
import { CANCELLED_TEXT, parseArguments, resolvedReply, resultOf } from "./run-phases.ts";

/** The session around a running call. */
export type CallContext = Parameters<AgentTool["run"]>[1];

/** The tools with which effects are carried out. Functions answer with the values of that moment. */
export interface LoopContext {
  readonly options: StartedOptions;
  readonly conversation: Session;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly state: () => LoopState;
  readonly model: () => SizedModel;
  /** Gives the model in force other limits. */
  readonly limit: (limits: ModelLimits) => void;
  readonly signal: () => AbortSignal;
  readonly callContext: (callId: string) => CallContext;
  readonly tell: (event: AgentEventBody) => void;
  readonly dispatch: (event: LoopEvent) => void;
}

/** An effect that comes to an event. */
export type WaitedEffect = Exclude<LoopEffect, { readonly type: "begin" | "abort" | "tell" | "work" | "end-run" }>;

const DONE: LoopEvent = { type: "done" };

/** Carries an effect out and answers with its result. Rejects with its failure. */
export async function carryOut(effect: WaitedEffect, loop: LoopContext): Promise<LoopEvent> {
  const { conversation, options } = loop;
  switch (effect.type) {
    case "next":
      return DONE;
    case "replace-history": {
      const history = effect.history.map((draft) => conversation.redaction.draft(draft, "log"));
      conversation.append(replaceHistory(conversation.view(), history, options.nowMs()));
      await conversation.flush();
      return DONE;
    }
    case "enter":
      await fitAt(effect.gate, loop, { pending: withIds(effect.drafts, conversation.state().lastMessageId) }).catch((error) => {
        // No caller waits for a message of this kind: the message waits again.
        if (effect.gate === "before-step") for (const draft of effect.drafts) loop.dispatch({ type: "steer", draft });
        throw error;
      });
      await appendAll(effect.drafts, loop);
      return DONE;
    case "request":
      return await request(loop);
    case "append-reply":
      return await appendReply(effect.draft, loop);
    case "decide":
      return { type: "decided", decision: await decisionOn(effect.call, loop) };
    case "run-call":
      return await settledCall(effect.call, effect.decision, loop);
    case "append-results":
      await appendAll(
        effect.results.map(({ id: _, ...draft }) => draft),
        loop,
      );
      return DONE;
    case "fit":
      await fitAt(effect.gate, loop, effect.gate === "on-overflow" ? { observedLimitTokens: null, recovery: 0 } : {});
      return DONE;
    default:
      return effect satisfies never;
  }
}

/** Fits the conversation at a gate, for the model in force. */
export async function fitAt(gate: FitInput["gate"], loop: LoopContext, more: Partial<FitInput> = {}): Promise<FitOutcome> {
  const { state, conversation } = loop;
  const dynamicContext = await dynamicContextOf(loop);
  const { modelId, limits } = loop.model();
  const reserveTokens = limits.maxOutputTokens ?? 0;
  const learned = learnedInLog(conversation.limitEvents(), { modelId, reserveTokens, nowMs: loop.options.nowMs() });
  const observedLimitTokens = learnedWindowTokens(learned, reserveTokens);
  const input = { gate, pending: [], model: limits, step: state().step, dynamicContext, observedLimitTokens };
  return await conversation.fit({ ...input, ...more }, loop.signal());
}

/** Builds the text that is true now and goes behind the cached prefix; `null` if there is none, or if a message of the context says it already. */
export async function dynamicContextOf(loop: Pick<LoopContext, "options" | "conversation" | "model">): Promise<string | null> {
  const { dynamicContext } = loop.options;
  const text = loop.conversation.redaction.item(dynamicContext === undefined ? null : await askDynamicContext(dynamicContext));
  if (text === null || !bindsReasoning(loop)) return text;
  const said = loop.conversation.context().messages.findLast(isInjected);
  return text.trim() === "" || (said !== undefined && textOf(said) === text) ? null : text;
}

function isInjected(message: Message): boolean {
  return message.role === "user" && message.origin === "injected";
}

/** True for a model that takes a request without an earlier request's last message for another conversation. */
function bindsReasoning({ options, model }: Pick<LoopContext, "options" | "model">): boolean {
  return options.isBoundReasoning?.(null, model().modelId) === true;
}

/** The context to send. Under a model that binds reasoning the dynamic context is a message at the place where it changed, and stays there. */
async function contextOf(loop: LoopContext): Promise<Context> {
  const { conversation } = loop;
  const dynamicContext = await dynamicContextOf(loop);
  if (dynamicContext === null || !bindsReasoning(loop)) return conversation.context(dynamicContext);
  const parts = [{ type: "text", text: dynamicContext }] as const;
  await append({ role: "user", origin: "injected", parts, atMs: loop.options.nowMs() }, loop);
  return conversation.context();
}

async function append(draft: MessageDraft, { conversation, tell }: LoopContext): Promise<Message> {
  const message = await conversation.say(draft);
  tell({ type: "message", message });
  return message;
}

/** Appends all before the first is written: if the store fails, none of them is lost. */
async function appendAll(drafts: readonly MessageDraft[], loop: LoopContext): Promise<void> {
  await Promise.all(drafts.map((draft) => append(draft, loop)));
}

/** Asks the model, and logs the measured size of the request. */
async function request(loop: LoopContext): Promise<LoopEvent> {
  const { conversation, options, tell, dispatch } = loop;
  const { modelId } = loop.model();
  const { reply, sent } = await requestReply({
    model: loop.model,
    policy: options.policy,
    signal: loop.signal(),
    view: conversation.view,
    expectedTokens: () => conversation.predict().expectedTokens,
    context: () => contextOf(loop),
    lowerOutput: (rejection) => {
      const limits = options.policy.enabled
        ? withLoweredOutput(loop.model().limits, rejection, conversation.predict().expectedTokens)
        : null;
      if (limits === null) return false;
      loop.limit(limits);
      const { limitTokens } = rejection;
      tell({ type: "output-lowered", limitTokens, maxOutputTokens: loop.model().limits.maxOutputTokens ?? 0 });
      return true;
    },
    lowerReply: (limitTokens) => {
      const { limits } = loop.model();
      const maxOutputTokens = limitTokens ?? Math.floor((limits.maxOutputTokens ?? 0) / 2);
      if (maxOutputTokens >= (limits.maxOutputTokens ?? 0) || maxOutputTokens < 1) return false;
      loop.limit({ ...limits, maxOutputTokens });
      tell({ type: "output-lowered", limitTokens, maxOutputTokens });
      return true;
    },
    recover: (facts) => fitAt("on-overflow", loop, facts),
    nextTry: (asked) => nextTry(conversation, { policy: options.policy, ...asked }),
    undo: conversation.undo,
    leaveReasoning: conversation.leaveReasoning,
    overflow: conversation.overflow,
    measure: async (rejected, promptTokens) => {
      // One rejected prompt, one entry: a later one in the log has another last message or another view.
      const requestId = `rejected-${shortHash(`${conversation.view().lastEntryId ?? ""}\n${promptTokens}`)}`;
      await conversation.report(rejected, { requestId, modelId, usage: rejectedUsage(promptTokens) });
    },
    onRejection: ({ limitTokens, requestedTokens }, recovery) =>
      dispatch({ type: "rejected", limitTokens, requestedTokens, recovery }),
    tell,
  });
  const measured = measuredUsage(reply.usage, reply.stopReason);
  const entry = await conversation.report(sent, { requestId: reply.requestId, modelId, usage: measured });
  // Usage that is no evidence of a size is no evidence of a cut prompt, either.
  const usage = conversation.state().usageWatch.isRefused ? UNREPORTED_USAGE : measured;
  return { type: "replied", draft: reply.draft, usage, entry };
}

async function appendReply(
  draft: Extract<LoopEffect, { readonly type: "append-reply" }>["draft"],
  loop: LoopContext,
): Promise<LoopEvent> {
  const { conversation, tools } = loop;
  const { lastMessageId } = conversation.state();
  const resolved = resolvedReply(draft, { tools, lastMessageId, hasCall: conversation.hasCall });
  const message = resolved === null ? null : await append(resolved, loop);
  // A call runs as the model wrote it.
  const isAppended = message?.role === "assistant" && resolved !== null;
  return { type: "appended", message: isAppended ? { ...message, parts: resolved.parts } : null };
}

const AUTHORIZATION = {
  port: "authorize",
  shape: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("allow") }),
    z.object({ kind: z.literal("deny"), why: z.string() }),
  ]),
  wanted: "allow, or deny and why",
};

const OUTPUT = {
  shape: z.object({
    text: z.string(),
    isError: z.boolean(),
    images: z.array(z.custom<ImagePart>(isRecord)).exactOptional(),
    hint: z.string().exactOptional(),
  }),
  wanted: "a text, and whether it is an error",
};

/** Decides about a call. If the decision fails or is aborted, the call does not run and the model reads why. */
async function decisionOn({ callId, toolName, argumentsJson }: ToolCallPart, loop: LoopContext): Promise<CallDecision> {
  const tool = loop.tools.get(toolName);
  const { authorize } = loop.options;
  const args = parseArguments(argumentsJson);
  if (tool === undefined || authorize === undefined || "problem" in args) return { kind: "run" };
  const { sessionId, signal } = loop.callContext(callId);
  const decide = async () => {
    const effect = await tool.effectOf(args.value);
    const answer: unknown = await authorize({ sessionId, callId, toolName, argumentsJson, effect }, signal);
    return passed<Authorization>(AUTHORIZATION, answer);
  };
  try {
    const decision = await untilAborted(signal, decide);
    return decision.kind === "allow" ? { kind: "run" } : { kind: "refused", text: `Not run: ${decision.why}` };
  } catch (error) {
    return { kind: "refused", text: problemOf(error, signal) };
  }
}

/** Runs a call that may run, and cuts its result to the size that may enter history. */
async function settledCall(call: ToolCallPart, decision: CallDecision, loop: LoopContext): Promise<LoopEvent> {
  const { options, tools, callContext } = loop;
  const tool = tools.get(call.toolName);
  const context = callContext(call.callId);
  const output = decision.kind === "run" ? await outputOf(call, tool, context) : { text: decision.text, isError: true };
  const hint = output.hint ?? tool?.hint ?? null;
  const { policy, kinds = BUILT_IN_KINDS, artifacts, nowMs } = options;
  const result = resultOf(call, output, { category: tool?.category ?? "generic", atMs: nowMs() });
  const { truncations } = kinds;
  const admission = { policy, artifacts, hint, truncations };
  const { redaction } = loop.conversation;
  // A result that is cut is stored whole: redacted before that, and once more with the hint.
  const admitted = await admitToolResult(redaction.draft(result, "log"), admission).catch((error: unknown) =>
    unkept(result, error),
  );
  return { type: "settled", ...admitted, message: redaction.draft(admitted.message, "log") };
}

async function outputOf(call: ToolCallPart, tool: AgentTool | undefined, context: CallContext): Promise<ToolOutput> {
  const args = parseArguments(call.argumentsJson);
  try {
    return await untilAborted(context.signal, async () => {
      if (tool === undefined || "problem" in args) throw new Error(`${call.toolName} cannot run`);
      const output: unknown = await tool.run(args.value, context);
      return passed<ToolOutput>({ ...OUTPUT, port: `the tool ${call.toolName}` }, output);
    });
  } catch (error) {
    return { text: problemOf(error, context.signal), isError: true };
  }
}

function problemOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return CANCELLED_TEXT;
  return error instanceof Error ? error.message : String(error);
}

function unkept(result: ToolResultMessage, error: unknown): { readonly message: ToolResultMessage; readonly handle: null } {
  const text = `The output was too long for the context and could not be stored: ${isPlimsollError(error) ? error.message : error}`;
  return { message: { ...result, isError: true, parts: [{ type: "text", text }] }, handle: null };
}

/**
 * The limits of a model after a rejection that a shorter reply mends: the prompt fits, but not next to the reply that was asked for. A provider that names its limit
 * gives at most a quarter of it to the reply from then on; of one that names none a usual reply is asked for. `null` if less than 1,024 tokens, or than the
 * requested reply, would fit beside the prompt, so that the history has to be compacted.
 */
export function withLoweredOutput(
  limits: ModelLimits,
  rejection: Pick<Rejection, "limitTokens" | "promptTokens" | "requestedTokens">,
  expectedTokens: number,
): ModelLimits | null {
  const { limitTokens } = rejection;
  const { contextWindowTokens } = limits;
  const askedTokens = limits.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
  const promptTokens = rejection.promptTokens ?? expectedTokens;
  const windowTokens = limitTokens ?? contextWindowTokens;
  const usualTokens =
    limitTokens === null
      ? DEFAULT_MAX_OUTPUT_TOKENS
      : Math.min(DEFAULT_MAX_OUTPUT_TOKENS, Math.floor(limitTokens * REPLY_RATIO));
  const isCounted = rejection.promptTokens !== null || rejection.requestedTokens !== null || limitTokens === null;
  const mostTokens = isCounted ? askedTokens : Math.max(LEAST_REPLY_TOKENS, Math.floor(askedTokens / 2));
  const maxOutputTokens = Math.min(askedTokens, mostTokens, usualTokens);
  const roomTokens = windowTokens === null ? Number.POSITIVE_INFINITY : windowTokens - promptTokens;
  if (Math.min(maxOutputTokens, roomTokens) >= askedTokens || roomTokens < Math.min(LEAST_REPLY_TOKENS, maxOutputTokens))
    return null;
  const isSmaller = limitTokens !== null && (contextWindowTokens === null || limitTokens < contextWindowTokens);
  return { ...limits, contextWindowTokens: isSmaller ? limitTokens : contextWindowTokens, maxOutputTokens };
}
