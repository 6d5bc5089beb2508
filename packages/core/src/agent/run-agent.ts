import type { OpenedConversation } from "../conversation/open-conversation.ts";
import { openConversation } from "../conversation/open-conversation.ts";
import type { SetupChange } from "../conversation/setup-change.ts";
import type { FitInput, FitOutcome } from "../engine/fit-input.ts";
import { PlimsollError } from "../error.ts";
import type { MessageDraft } from "../message/ids.ts";
import type { Summarizer } from "../ports.ts";
import { recallArtifact } from "../session/admit.ts";
import type { ContextEvent } from "../session/events.ts";
import { createModelSummarizer } from "../summarizer/model-summarizer.ts";
import type { Agent, CompactRequest, RunOutcome, UserInput } from "./agent.ts";
import type { AgentModel, AgentOptions } from "./agent-options.ts";
import { DEFAULT_MAX_STEPS } from "./agent-options.ts";
import type { ToolCallContext } from "./agent-tool.ts";
import { contextUsage } from "./context-usage.ts";
import { createEventHub } from "./event-hub.ts";
import type { AgentEventBody } from "./events.ts";
import { compactionEvent } from "./events.ts";
import { createModes } from "./modes.ts";
import { withOutputReserve } from "./output-reserve.ts";
import { replaceHistory } from "./replace-history.ts";
import { runLoop } from "./run-loop.ts";
import { sessionOf } from "./session-of.ts";
import { settleModel, settleSetup } from "./settle.ts";
import { runSubAgent } from "./sub-agent.ts";
import { userDraft } from "./user-draft.ts";

/**
 * Starts an agent over a new log or one to go on with; `state()` holds from here on.
 *
 * @throws PlimsollError `bad-session` for a log that cannot be opened, `bad-policy` where the window is not larger than the output reserve.
 */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { policy, nowMs, sessions } = options;
  const { sessionId } = options.session;
  const hub = createEventHub();
  if (options.onEvent !== undefined) hub.subscribe(options.onEvent);
  const emit = (event: AgentEventBody) => hub.emit({ ...event, sessionId });
  const tools = new Map(options.tools.map((tool) => [tool.spec.name, tool]));
  const modes = createModes(options);
  let model = withOutputReserve(options.model);
  const byModel: Summarizer = (request, signal) => {
    const { client, modelId, reasoning } = model;
    return createModelSummarizer(client, reasoning === undefined ? { modelId } : { modelId, reasoning })(request, signal);
  };
  const setting = {
    policy,
    summarizer: options.summarizer ?? byModel,
    nowMs,
    stateProviders: options.stateOf?.(sessionId) ?? [],
    ...(options.modelPriors === undefined ? {} : { modelPriors: options.modelPriors }),
    ...(options.tokenizers === undefined ? {} : { tokenizers: options.tokenizers }),
    onEvent: (event: ContextEvent) =>
      emit(event.type === "compaction-end" ? compactionEvent(event.entry, event.estimator) : event),
    ...options.context,
  };
  const opened: OpenedConversation = await openConversation(setting, sessions, sessionOf(options));
  const { conversation } = opened;
  const { manager } = conversation;
  const waiting: MessageDraft[] = [];
  const compactions: (() => Promise<void>)[] = [];
  let step = 0;
  let turns = 0;
  let run: { readonly abort: AbortController; readonly end: Promise<unknown> } | null = null;
  let compacting: { readonly abort: AbortController; readonly end: Promise<unknown> } | null = null;
  let isClosed = false;

  const usage = () =>
    contextUsage({ prediction: manager.predict(), limits: model.limits, policy, messages: manager.view().messages.size });
  const dynamicContext = async () => (await options.dynamicContext?.()) ?? null;
  const recall: Agent["recall"] = async (handle, range) =>
    (await manager.recall(handle, range)) ?? (await recallArtifact(handle, range, options.artifacts));
  const callContext = ({ callId }: { readonly callId: string }, signal: AbortSignal): ToolCallContext => ({
    sessionId,
    callId,
    signal,
    artifacts: options.artifacts,
    recall,
    runSubAgent: (task) => {
      const { system } = manager.view();
      return runSubAgent(task, { options, model, sessionId, system, callId, signal, onEvent: hub.emit, start: startAgent });
    },
    requestHandOff: (focus) => {
      compactions.push(async () => void (await fitNow({ reason: "hand-off", keep: { messages: 0 } }, focus)));
    },
  });
  const assertIdle = (what: string) => {
    if (isClosed) throw new PlimsollError("bad-session", `session ${sessionId} is closed`, { sessionId });
    if (run !== null) throw new PlimsollError("bad-input", `cannot ${what} while a run goes on; cancel it first`);
    if (compacting !== null) throw new PlimsollError("bad-input", `cannot ${what} while a compaction goes on`);
  };
  const checkModel = () => void usage();

  const runWith = async (draft: MessageDraft, prepare: () => Promise<void>): Promise<RunOutcome> => {
    const abort = new AbortController();
    const work = async (): Promise<RunOutcome> => {
      step = 0;
      emit({ type: "agent-start", context: usage() });
      await prepare();
      const outcome = await runLoop(draft, {
        options,
        conversation,
        tools,
        signal: abort.signal,
        maxSteps: options.maxSteps ?? DEFAULT_MAX_STEPS,
        model: () => model,
        usage,
        dynamicContext,
        whyNot: modes.whyNot,
        callContext,
        takeWaiting: () => waiting.splice(0),
        betweenSteps: async () => {
          for (const compact of compactions.splice(0)) await compact();
        },
        onStep: (count) => {
          step = count;
        },
        nextTurn: () => {
          turns += 1;
          return turns;
        },
        emit,
      });
      const { reason, steps, error } = outcome;
      emit({ type: "agent-end", reason, steps, error, context: usage(), totals: conversation.totals() });
      return outcome;
    };
    const end = work().catch((error: unknown) => {
      // The log cannot be written, or a fault of ours: subscribers hear of the end, the caller of the cause.
      const known = error instanceof PlimsollError ? error : null;
      emit({ type: "agent-end", reason: "failed", steps: step, error: known, context: usage(), totals: conversation.totals() });
      throw error;
    });
    run = { abort, end };
    try {
      return await end;
    } finally {
      run = null;
      for (const compact of compactions.splice(0)) await compact();
    }
  };
  const submitting = async (input: UserInput, prepare: () => Promise<void>): Promise<RunOutcome> => {
    assertIdle("submit");
    return await runWith(userDraft(input, nowMs()), prepare);
  };
  const fitNow = async (now: FitInput["now"], focus: string | null, signal = run?.abort.signal): Promise<FitOutcome> => {
    const input = { gate: "before-step", pending: [], model: model.limits, step } as const;
    const more = { dynamicContext: await dynamicContext(), focus, ...(now === undefined ? {} : { now }) };
    return await conversation.fit({ ...input, ...more }, signal ?? new AbortController().signal);
  };
  const compactIdle = async (work: (signal: AbortSignal) => Promise<FitOutcome>): Promise<FitOutcome> => {
    assertIdle("compact");
    const abort = new AbortController();
    const end = work(abort.signal);
    compacting = { abort, end };
    try {
      return await end;
    } finally {
      compacting = null;
    }
  };
  const compact = ({ keep = null, focus = null }: CompactRequest = {}): Promise<FitOutcome> => {
    const work = (signal?: AbortSignal) => fitNow({ reason: "manual", keep }, focus, signal);
    if (run === null) return compactIdle(work);
    return new Promise((resolve, reject) => {
      compactions.push(() => work().then(resolve, reject));
    });
  };
  const switchModel = (asked: AgentModel): Promise<FitOutcome> =>
    compactIdle(async (signal) => {
      const to = withOutputReserve(asked);
      const input = { gate: "before-step", pending: [], model: to.limits, nowMs: nowMs(), step } as const;
      const outcome = await manager.switchModel(to, { ...input, dynamicContext: await dynamicContext() }, signal);
      model = to;
      await conversation.flush();
      return outcome;
    });

  const settle = async (): Promise<SetupChange | null> => {
    checkModel();
    await conversation.flush();
    const started = { conversation, options: { ...options, model } };
    const change = await settleSetup(started);
    if (!(await settleModel(started))) await switchModel(model);
    return change;
  };
  const changed = await settle().catch(async (error: unknown) => {
    await conversation.close();
    throw error;
  });

  return {
    sessionId,
    cutOff: opened.cutOff,
    setupChange: changed,
    submit: (input) => submitting(input, async () => undefined),
    replaceHistoryAndSubmit: (history, input) =>
      submitting(input, () => conversation.append(replaceHistory(manager.view(), history, nowMs()))),
    steer: (input) => {
      if (run === null) throw new PlimsollError("bad-input", "no run goes on; submit the message");
      waiting.push(userDraft(input, nowMs()));
      emit({ type: "message-queued", waiting: waiting.length });
    },
    cancel: () => (run ?? compacting)?.abort.abort(new PlimsollError("aborted", "cancelled")),
    compact,
    undo: async () => {
      assertIdle("undo");
      await manager.prepareUndo();
      const entry = manager.revert(nowMs());
      await conversation.flush();
      return entry;
    },
    switchModel,
    setMode: modes.set,
    state: () => ({
      sessionId,
      status: isClosed ? "closed" : run !== null ? "running" : compacting !== null ? "compacting" : "idle",
      mode: modes.current(),
      modelId: model.modelId,
      policy: policy.name,
      step,
      waiting: waiting.length,
      context: usage(),
      totals: conversation.totals(),
    }),
    context: () => manager.context(),
    entries: async () => (await sessions.read(sessionId))?.entries ?? [],
    recall,
    subscribe: hub.subscribe,
    close: async () => {
      run?.abort.abort(new PlimsollError("aborted", "closed"));
      compacting?.abort.abort(new PlimsollError("aborted", "closed"));
      await run?.end.catch(() => undefined);
      await compacting?.end.catch(() => undefined);
      isClosed = true;
      await conversation.close();
    },
  };
}
