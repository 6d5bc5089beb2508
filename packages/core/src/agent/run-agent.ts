import type { FitInput, FitOutcome } from "../engine/fit-input.ts";
import { PlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import type { MessageDraft } from "../message/ids.ts";
import type { OpenedSession } from "../ports.ts";
import { recallArtifact } from "../session/admit.ts";
import { createContextManager } from "../session/context-manager.ts";
import type { Agent, CompactRequest, RunOutcome, UserInput } from "./agent.ts";
import type { AgentModel, AgentOptions } from "./agent-options.ts";
import { DEFAULT_MAX_STEPS, DEFAULT_MODE } from "./agent-options.ts";
import type { ToolCallContext } from "./agent-tool.ts";
import { contextUsage } from "./context-usage.ts";
import { createEventHub } from "./event-hub.ts";
import type { AgentEventBody } from "./events.ts";
import { compactionEvent } from "./events.ts";
import { openSession } from "./open-session.ts";
import { replaceHistory } from "./replace-history.ts";
import { runLoop } from "./run-loop.ts";
import { createSessionLog } from "./session-log.ts";
import { runSubAgent } from "./sub-agent.ts";
import { userDraft } from "./user-draft.ts";

/**
 * Starts an agent over a new log or one to go on with; `state()` holds from here on.
 *
 * @throws PlimsollError `bad-session` for a log that cannot be opened, `bad-policy` where the window is not larger than the output reserve.
 */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const opened = await openSession(options);
  try {
    return await agentOver(options, opened);
  } catch (error) {
    await opened.writer.close();
    throw error;
  }
}

async function agentOver(options: AgentOptions, opened: OpenedSession): Promise<Agent> {
  const { policy, nowMs } = options;
  const { sessionId } = opened.writer;
  const hub = createEventHub();
  if (options.onEvent !== undefined) hub.subscribe(options.onEvent);
  const emit = (event: AgentEventBody) => hub.emit({ ...event, sessionId });
  const tools = new Map(options.tools.map((tool) => [tool.spec.name, tool]));
  const manager = createContextManager({
    policy,
    summarizer: options.summarizer,
    entries: opened.entries,
    onEvent: (event) => emit(event.type === "compaction-end" ? compactionEvent(event.entry, event.estimator) : event),
    ...options.context,
  });
  const log = createSessionLog(manager, opened.writer, opened.entries.length);
  const waiting: MessageDraft[] = [];
  const compactions: (() => Promise<void>)[] = [];
  let model = options.model;
  let mode = options.mode ?? DEFAULT_MODE;
  let step = 0;
  let turns = 0;
  let run: { readonly abort: AbortController; readonly end: Promise<unknown> } | null = null;
  let isClosed = false;

  const usage = () =>
    contextUsage({ prediction: manager.predict(), limits: model.limits, policy, messages: manager.view().messages.size });
  const dynamicContext = async () => (await options.dynamicContext?.()) ?? null;
  const whyNot = (toolName: string): string | null => {
    const allowed = options.modes?.[mode];
    if (allowed === undefined || allowed.includes(toolName)) return null;
    return `The tool "${toolName}" may not be used in mode "${mode}". It allows: ${allowed.join(", ")}.`;
  };
  const recall: Agent["recall"] = async (handle, range) =>
    manager.recall(handle, range) ?? (await recallArtifact(handle, range, options.artifacts));
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
  });
  const assertIdle = (what: string) => {
    if (isClosed) throw new PlimsollError("bad-session", `session ${sessionId} is closed`, { sessionId });
    if (run !== null) throw new PlimsollError("bad-input", `cannot ${what} while a run goes on; cancel it first`);
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
        manager,
        log,
        tools,
        signal: abort.signal,
        maxSteps: options.maxSteps ?? DEFAULT_MAX_STEPS,
        model: () => model,
        usage,
        dynamicContext,
        whyNot,
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
      emit({ type: "agent-end", reason, steps, error, context: usage(), totals: log.totals() });
      return outcome;
    };
    const end = work().catch((error: unknown) => {
      // The log cannot be written, or a fault of ours: subscribers hear of the end, the caller of the cause.
      const known = error instanceof PlimsollError ? error : null;
      emit({ type: "agent-end", reason: "failed", steps: step, error: known, context: usage(), totals: log.totals() });
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
  const fitNow = async (now: FitInput["now"], focus: string | null): Promise<FitOutcome> => {
    const signal = run?.abort.signal ?? new AbortController().signal;
    const input = { gate: "before-step", pending: [], model: model.limits, nowMs: nowMs(), step } as const;
    const dynamic = await dynamicContext();
    const more = { dynamicContext: dynamic, focus, ...(now === undefined ? {} : { now }) };
    const outcome = await manager.fit({ ...input, ...more }, signal);
    await log.flush();
    return outcome;
  };
  const compact = ({ keep = null, focus = null }: CompactRequest = {}): Promise<FitOutcome> => {
    const work = () => fitNow({ reason: "manual", keep }, focus);
    if (run === null) return work();
    return new Promise((resolve, reject) => {
      compactions.push(() => work().then(resolve, reject));
    });
  };
  const switchModel = async (to: AgentModel): Promise<FitOutcome> => {
    assertIdle("switch models");
    const input = { gate: "before-step", pending: [], model: to.limits, nowMs: nowMs(), step } as const;
    const outcome = await manager.switchModel(
      to,
      { ...input, dynamicContext: await dynamicContext() },
      new AbortController().signal,
    );
    model = to;
    await log.flush();
    return outcome;
  };

  checkModel();
  await log.flush();
  const known = manager.view();
  if (known.modelId === null) {
    const { modelId, limits } = model;
    const id = shortHash(`model-change\n${modelId}\n${known.lastEntryId ?? ""}`);
    await log.append({ type: "model-change", id, modelId, limits, atMs: nowMs() });
  } else if (known.modelId !== model.modelId) await switchModel(model);

  return {
    sessionId,
    cutOff: opened.cutOff,
    submit: (input) => submitting(input, async () => undefined),
    replaceHistoryAndSubmit: (history, input) =>
      submitting(input, () => log.append(replaceHistory(manager.view(), history, nowMs()))),
    steer: (input) => {
      if (run === null) throw new PlimsollError("bad-input", "no run goes on; submit the message");
      waiting.push(userDraft(input, nowMs()));
      emit({ type: "message-queued", waiting: waiting.length });
    },
    cancel: () => run?.abort.abort(new PlimsollError("aborted", "cancelled")),
    compact,
    undo: async () => {
      assertIdle("undo");
      const entry = manager.revert(nowMs());
      await log.flush();
      return entry;
    },
    switchModel,
    setMode: (to) => {
      if (options.modes?.[to] === undefined && to !== DEFAULT_MODE) {
        const modes = [DEFAULT_MODE, ...Object.keys(options.modes ?? {})];
        throw new PlimsollError("bad-input", `there is no mode "${to}"; there are: ${modes.join(", ")}`);
      }
      mode = to;
    },
    state: () => ({
      sessionId,
      status: isClosed ? "closed" : run === null ? "idle" : "running",
      mode,
      modelId: model.modelId,
      policy: policy.name,
      step,
      waiting: waiting.length,
      context: usage(),
      totals: log.totals(),
    }),
    context: () => manager.context(),
    entries: () => manager.entries(),
    recall,
    subscribe: hub.subscribe,
    close: async () => {
      run?.abort.abort(new PlimsollError("aborted", "closed"));
      await run?.end.catch(() => undefined);
      isClosed = true;
      await opened.writer.close();
    },
  };
}
