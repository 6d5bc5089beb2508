import type { Conversation } from "../conversation/conversation.ts";
import type { FitInput, FitOutcome } from "../engine/fit-input.ts";
import { isPlimsollError, PlimsollError, type PlimsollErrorCode } from "../error.ts";
import { shortHash } from "../hash.ts";
import type { MessageDraft } from "../message/ids.ts";
import { withId } from "../message/ids.ts";
import type { AssistantMessage, Message, ToolCallPart } from "../message/message.ts";
import { textOf, toolCallsOf } from "../message/message.ts";
import { isSilentOverflow, measuredUsage } from "../reported-tokens.ts";
import { admitToolResult } from "../session/admit.ts";
import { rejectedUsage } from "../usage.ts";
import type { RunOutcome } from "./agent.ts";
import type { AgentModel, AgentOptions } from "./agent-options.ts";
import type { AgentTool, ToolCallContext } from "./agent-tool.ts";
import type { ContextUsage } from "./context-usage.ts";
import type { AgentEventBody, EndReason } from "./events.ts";
import { executeTools } from "./execute-tools.ts";
import { requestReply } from "./request-reply.ts";
import { resolveCalls } from "./resolve-calls.ts";
import { signalsLike } from "./signals-like.ts";

/** What a run has of its agent. Functions answer with what holds at that moment. */
export interface RunPorts {
  readonly options: AgentOptions;
  readonly conversation: Conversation;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly signal: AbortSignal;
  readonly maxSteps: number;
  readonly model: () => AgentModel;
  readonly usage: () => ContextUsage;
  readonly dynamicContext: () => Promise<string | null>;
  readonly whyNot: (toolName: string) => string | null;
  readonly callContext: (call: ToolCallPart, signal: AbortSignal) => ToolCallContext;
  /** Messages that came in while the run went on; taken out by asking. */
  readonly takeWaiting: () => readonly MessageDraft[];
  /** Work that must not happen inside a step: a compaction that was asked for. */
  readonly betweenSteps: () => Promise<void>;
  readonly onStep: (step: number) => void;
  /** Counts a new turn and answers with its number. */
  readonly nextTurn: () => number;
  readonly emit: (event: AgentEventBody) => void;
}

const LOG_FAILURES: ReadonlySet<PlimsollErrorCode> = new Set(["bad-session", "session-conflict", "session-limit"]);

/** Runs from a submitted message to the model's last words. Failures of the provider are outcomes; those of the log reject. */
export async function runLoop(submitted: MessageDraft, ports: RunPorts): Promise<RunOutcome> {
  const run = createRun(ports);
  try {
    await run.enter([submitted], "before-submit");
    return await run.steps();
  } catch (error) {
    if (ports.signal.aborted) return run.ended("cancelled", null);
    if (!isPlimsollError(error) || LOG_FAILURES.has(error.code)) throw error;
    return run.ended("failed", error);
  }
}

interface Run {
  /** Lets the gate see messages before they are appended. */
  readonly enter: (drafts: readonly MessageDraft[], gate: "before-submit" | "before-step") => Promise<void>;
  readonly steps: () => Promise<RunOutcome>;
  readonly ended: (reason: EndReason, error: PlimsollError | null) => RunOutcome;
}

function createRun(ports: RunPorts): Run {
  const { conversation, emit, signal } = ports;
  const { manager } = conversation;
  let step = 0;
  let turn = 0;
  let turnSteps = 0;
  let lastText = "";
  /** The newest prompt was cut by the provider without a word: the context shrinks before the next request. */
  let wasCut = false;

  const fitAt = async (gate: FitInput["gate"], more: Partial<FitInput> = {}): Promise<FitOutcome> => {
    const input = { gate, pending: [], model: ports.model().limits, step, dynamicContext: await ports.dynamicContext() };
    return await conversation.fit({ ...input, ...more }, signal);
  };
  const append = async (draft: MessageDraft): Promise<Message> => {
    const message = await conversation.say(draft);
    emit({ type: "message", message });
    return message;
  };
  const enter: Run["enter"] = async (drafts, gate) => {
    let previousId = manager.state().lastMessageId;
    const pending = drafts.map((draft) => {
      const message = withId(draft, previousId);
      previousId = message.id;
      return message;
    });
    await fitAt(gate, { pending });
    for (const draft of drafts) await append(draft);
    if (drafts.length > 0) turn = ports.nextTurn();
    if (drafts.length > 0) turnSteps = 0;
  };
  const endTurn = (reason: EndReason) => emit({ type: "turn-end", turn, steps: turnSteps, reason, context: ports.usage() });
  const ended: Run["ended"] = (reason, error) => {
    endTurn(reason);
    return { reason, steps: step, text: lastText, error };
  };

  const ask = async (): Promise<AssistantMessage | null> => {
    const { modelId } = ports.model();
    const { reply, sent } = await requestReply({
      model: ports.model(),
      policy: ports.options.policy,
      signal,
      view: () => manager.view(),
      context: async () => manager.context(await ports.dynamicContext()),
      recover: (facts) => fitAt("on-overflow", facts),
      measure: async (rejected, promptTokens) => {
        // One rejected prompt, one entry: what follows it in the log has another last message or another view.
        const requestId = `rejected-${shortHash(`${manager.view().lastEntryId ?? ""}\n${promptTokens}`)}`;
        await conversation.report(rejected, { requestId, modelId, usage: rejectedUsage(promptTokens) });
      },
      emit,
    });
    const usage = measuredUsage(reply.usage, reply.stopReason);
    const entry = await conversation.report(sent, { requestId: reply.requestId, modelId, usage });
    const { contextWindowTokens } = ports.model().limits;
    wasCut = ports.options.policy.enabled && isSilentOverflow(usage, contextWindowTokens);
    if (wasCut) {
      const requestedTokens = usage.input.totalTokens;
      emit({ type: "overflow-detected", limitTokens: contextWindowTokens, requestedTokens, recovery: 1 });
    }
    const known = { tools: ports.tools, lastMessageId: manager.state().lastMessageId, hasCall: conversation.hasCall };
    const draft = withoutBlanks(resolveCalls(reply.draft, known));
    const message = draft === null ? null : await append(draft);
    if (entry !== null) emit({ type: "usage-update", entry, context: ports.usage(), totals: conversation.totals() });
    return message?.role === "assistant" ? message : null;
  };

  const runTools = async (calls: readonly ToolCallPart[]): Promise<void> => {
    const { artifacts, policy, nowMs } = ports.options;
    const signals = signalsLike(signal);
    const results = await executeTools(
      calls,
      {
        tools: ports.tools,
        whyNot: ports.whyNot,
        authorize: ports.options.authorize ?? null,
        contextOf: (call) => ports.callContext(call, signals.next()),
        onStart: ({ callId, toolName, argumentsJson }) => emit({ type: "tool-start", callId, toolName, argumentsJson }),
        nowMs,
      },
      async (call, { draft, hint }) => {
        // The id follows from the messages before it, which are known once all results are there.
        const unnamed = { ...draft, id: call.callId };
        const { message, handle } = await admitToolResult(unnamed, { policy, artifacts, hint }).catch((error: unknown) => ({
          message: { ...unnamed, isError: true, parts: [{ type: "text", text: unkeptText(error) }] } as const,
          handle: null,
        }));
        const { callId, toolName } = call;
        emit({ type: "tool-end", callId, toolName, isError: message.isError, message, handle });
        return message;
      },
    ).finally(signals.release);
    for (const { id: _, ...draft } of results) await append(draft);
  };

  const fitAfterStep = () =>
    wasCut ? fitAt("on-overflow", { observedLimitTokens: null, recovery: 0 }) : fitAt("after-tool-batch");

  const steps = async (): Promise<RunOutcome> => {
    for (;;) {
      await ports.betweenSteps();
      const waiting = ports.takeWaiting();
      if (waiting.length > 0) endTurn("steered");
      await enter(waiting, "before-step");
      if (step >= ports.maxSteps) return ended("max-steps", null);
      step += 1;
      turnSteps += 1;
      ports.onStep(step);
      emit({ type: "step-start", turn, step, context: ports.usage() });
      const message = await ask();
      const calls = message === null ? [] : toolCallsOf(message);
      lastText = message === null ? "" : textOf(message);
      if (calls.length > 0) {
        await runTools(calls);
        if (signal.aborted) return ended("cancelled", null);
        await fitAfterStep();
        continue;
      }
      const newcomers = ports.takeWaiting();
      if (newcomers.length === 0) {
        if (wasCut) await fitAfterStep();
        return ended(endOf(message), null);
      }
      endTurn("steered");
      await enter(newcomers, "before-step");
    }
  };
  return { enter, steps, ended };
}

function endOf(message: AssistantMessage | null): EndReason {
  const stopReason = message?.stopReason ?? "length";
  return stopReason === "length" || stopReason === "refusal" ? stopReason : "done";
}

/** The reply without blank text, which no wire takes back; `null` where nothing is left to append. */
function withoutBlanks(draft: Omit<AssistantMessage, "id">): Omit<AssistantMessage, "id"> | null {
  const kept = draft.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  const lastWords = kept.findLastIndex((part) => part.type !== "reasoning");
  return lastWords < 0 ? null : { ...draft, parts: kept.slice(0, lastWords + 1) };
}

function unkeptText(error: unknown): string {
  const why = error instanceof PlimsollError ? error.message : String(error);
  return `The output was too long for the context and could not be stored: ${why}`;
}
