import {
  type ContextEvent,
  createModelSummarizer,
  type FitOutcome,
  type ModelClient,
  PlimsollError,
  type Session,
  type SessionEntry,
  type Summarizer,
  type UserMessage,
} from "@plimsoll/core";
import {
  clockDoor,
  closedError,
  LOG_VERSION,
  type MessageDraft,
  modelChangeEntry,
  openSession,
  option,
  recallArtifact,
  requireFallback,
  setupChange,
  setupChangeEntry,
  shortHash,
} from "@plimsoll/core/extend";
import {
  AGENT_MODEL,
  AGENT_OPTIONS,
  type Agent,
  type AgentModel,
  type AgentOptions,
  type AgentState,
  type CompactRequest,
  DEFAULT_SUB_AGENT_DEPTH,
  type RunOutcome,
  type StartedOptions,
  type UserInput,
  withOutputReserve,
} from "./agent.ts";
import { type CallContext, dynamicContextOf, fitAt } from "./carry-out.ts";
import { type AgentListener, createEventHub, type EventHub } from "./events.ts";
import { createLoop, type Loop } from "./loop.ts";

/**
 * Starts an agent with a new session, or resumes a stored one.
 *
 * @throws PlimsollError `bad-session` for a log that cannot be opened, `bad-policy` if the window is not larger than the output
 * reserve, or for a policy without a fallback, `bad-input` for options that
 * are missing, unknown or of another kind, and for two tools of one name.
 */
export async function startAgent(given: AgentOptions): Promise<Agent> {
  option.check("an agent", AGENT_OPTIONS, given);
  // Refuses tools that a model could not distinguish.
  const names = given.tools.map(({ spec }) => spec.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new PlimsollError("bad-input", `two tools have the name "${twice}"`, { name: twice });
  const model = withOutputReserve(given.model, given.limitsOf);
  const options = { ...given, model, policy: requireFallback(given.policy, given.kinds), nowMs: clockDoor(given.nowMs) };
  const hub = createEventHub();
  if (options.onEvent !== undefined) hub.subscribe(options.onEvent);
  const { sessionId } = options.session;
  const setting = settingOf(options, hub, () => loop.model());
  const { session: conversation, cutOff, stored } = await openSession(setting, options.sessions, sessionOf(options));
  const loop: Loop = createLoop({
    options,
    conversation,
    emit: (event) => hub.emit({ ...event, sessionId }),
    contextOf: (callId, signal) => toolContext(loop, hub, { callId, signal }),
  });
  try {
    return agentOver(loop, { hub, cutOff, entries: stored, setupChange: await settle(loop) });
  } catch (error) {
    await conversation.abandon();
    throw error;
  }
}

/** Collects the setting that the conversation is opened with. `model` answers with the one in force: it writes the summaries if no other model was named. */
function settingOf(options: StartedOptions, hub: EventHub, model: () => AgentModel) {
  const { nowMs, kinds, redact, modelPriors, modelCosts, isBoundReasoning, tokenizers } = options;
  const { sessionId } = options.session;
  const byModel: Summarizer = (request, signal) => {
    const { client, modelId, reasoning } = model();
    return createModelSummarizer(client, reasoning === undefined ? { modelId } : { modelId, reasoning })(request, signal);
  };
  const byVendor: NonNullable<ModelClient["compact"]> = async (request, signal) => {
    const { client } = model();
    if (client.compact === undefined)
      throw new PlimsollError("summary-failed", "the model's wire has no summaries of the vendor");
    return await client.compact(request, signal);
  };
  return {
    policy: options.policy,
    summarizer: options.summarizer ?? byModel,
    ...(options.model.client.compact === undefined ? {} : { compact: byVendor }),
    nowMs,
    stateProviders: options.stateOf?.(sessionId) ?? [],
    ...(kinds === undefined ? {} : { kinds }),
    ...(redact === undefined ? {} : { redact }),
    ...(modelPriors === undefined ? {} : { modelPriors }),
    ...(modelCosts === undefined ? {} : { modelCosts }),
    ...(isBoundReasoning === undefined ? {} : { isBoundReasoning }),
    ...(tokenizers === undefined ? {} : { tokenizers }),
    onEvent: (event: ContextEvent) => hub.emit({ ...event, sessionId }),
    ...options.context,
  };
}

/** Logs the system text, tools and model that hold from now on, and how the model's client treats bound reasoning. Returns the changes of the first two; `null` for none. */
async function settle(loop: Loop): Promise<ReturnType<typeof setupChange>> {
  const { conversation, options } = loop;
  // Throws for a window without room before anything is logged.
  loop.usage();
  await conversation.flush();
  const view = conversation.view();
  const asked = options.session.kind === "resume" ? options.session.system : undefined;
  const tools = options.tools.map(({ spec }) => spec);
  const { boundReasoning = "leaves" } = options.model.client;
  const given = { system: asked ?? view.system, tools, messages: [], dynamicContext: null };
  const to = { ...conversation.redaction.context(given, "log"), boundReasoning };
  const change = setupChange(view, to);
  if (change !== null || view.boundReasoning !== to.boundReasoning) {
    conversation.append(setupChangeEntry(view, to, options.nowMs()));
    await conversation.flush();
  }
  if (!(await settleModel({ conversation, options }))) await switchModel(loop, options.model);
  return change;
}

/** The parts of an agent in addition to its loop. */
interface AgentParts extends Pick<Agent, "cutOff" | "entries" | "setupChange"> {
  readonly hub: EventHub;
}

function agentOver(loop: Loop, { hub, cutOff, entries, setupChange }: AgentParts): Agent {
  const { conversation, options } = loop;
  const { sessionId } = options.session;
  let isClosed = false;
  const open = (): Loop => {
    if (isClosed) throw closedError("agent");
    return loop;
  };
  return {
    sessionId,
    cutOff,
    setupChange,
    submit: async (input) => await submit(open(), input, null),
    replaceHistoryAndSubmit: async (history, input) => await submit(open(), input, history),
    steer: (input) => open().dispatch({ type: "steer", draft: userDraft(input, options.nowMs()) }),
    cancel: () => loop.dispatch({ type: "cancel", why: "cancelled" }),
    compact: async (request = {}) => await compact(open(), request),
    undo: async () => await undo(open()),
    switchModel: async (model) => await switchModel(open(), model),
    setMode: (mode) => open().dispatch({ type: "set-mode", mode }),
    state: () => agentState(loop),
    context: () => conversation.context(),
    entries,
    recall: async (handle, range) => await recallOf(open())(handle, range),
    subscribe: hub.subscribe,
    close: async () => {
      isClosed = true;
      await loop.stop();
      loop.dispatch({ type: "close" });
      await conversation.close(loop.state().waiting);
    },
  };
}

function agentState(loop: Loop): AgentState {
  const { options, conversation } = loop;
  const { activity, mode, model, step, waiting } = loop.state();
  return {
    sessionId: options.session.sessionId,
    status: activity.kind === "run" ? "running" : activity.kind === "work" ? "compacting" : activity.kind,
    mode,
    modelId: model.modelId,
    policy: options.policy.name,
    step,
    waiting: waiting.length,
    context: loop.usage(),
    totals: conversation.totals(),
  };
}

function submit(loop: Loop, input: UserInput, history: readonly MessageDraft[] | null): Promise<RunOutcome> {
  return loop.run({ type: "submit", draft: userDraft(input, loop.options.nowMs()), history });
}

function compact(loop: Loop, { keep = null, focus = null }: CompactRequest): Promise<FitOutcome> {
  const now = { reason: "manual", keep } as const;
  return loop.ask(
    (id) => ({ kind: "compact", id, keep, focus }),
    () => fitAt("before-step", loop, { now, focus }),
  );
}

function undo(loop: Loop): ReturnType<Session["undo"]> {
  const { conversation } = loop;
  return loop.ask((id) => ({ kind: "undo", id }), conversation.undo);
}

function switchModel(loop: Loop, asked: AgentModel): Promise<FitOutcome> {
  const { conversation } = loop;
  option.check("a model", AGENT_MODEL, asked);
  const to = withOutputReserve(asked, loop.options.limitsOf);
  const { modelId, limits } = to;
  return loop.ask(
    (id) => ({ kind: "switch-model", id, modelId, limits }),
    async () => {
      const dynamicContext = await dynamicContextOf(loop);
      const { step } = loop.state();
      const input = { gate: "before-step", pending: [], model: limits, step, dynamicContext } as const;
      const outcome = await conversation.switchModel(to, input, loop.signal());
      loop.useModel(to);
      await conversation.flush();
      return outcome;
    },
  );
}

function recallOf({
  conversation,
  options,
}: {
  readonly conversation: Session;
  readonly options: StartedOptions;
}): Agent["recall"] {
  return async (handle, range) =>
    (await conversation.recall(handle, range)) ?? (await recallArtifact(handle, range, options.artifacts));
}

/** Makes the session around a call. */
function toolContext(loop: Loop, hub: EventHub, { callId, signal }: Pick<CallContext, "callId" | "signal">): CallContext {
  const { options, conversation } = loop;
  const { sessionId } = options.session;
  return {
    sessionId,
    callId,
    signal,
    artifacts: options.artifacts,
    contextCall: (call) => conversation.contextCall({ artifacts: options.artifacts, ...call }),
    runSubAgent: (task) => {
      const { system } = conversation.view();
      const origin = { options, model: loop.model(), sessionId, system, callId, signal, onEvent: hub.emit, start: startAgent };
      return runSubAgent(task, origin);
    },
  };
}

/** Makes a message without an id of the person's input.  * @throws PlimsollError `bad-input` if nothing in it can be sent. */
function userDraft(input: UserInput, atMs: number): Omit<UserMessage, "id"> {
  const parts = typeof input === "string" ? [{ type: "text", text: input } as const] : input;
  const kept = parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  if (kept.length === 0) throw new PlimsollError("bad-input", "a message needs text or an image");
  return { role: "user", origin: "human", parts: kept, atMs };
}

/** The log that the options name: the first entry of a new one, or the id of one to go on with. */
function sessionOf(
  options: StartedOptions,
): Extract<SessionEntry, { readonly type: "session" }> | { readonly sessionId: string } {
  const { session, tools } = options;
  if (session.kind === "resume") return { sessionId: session.sessionId };
  return {
    type: "session",
    version: LOG_VERSION,
    id: session.sessionId,
    createdMs: options.nowMs(),
    system: session.system,
    tools: tools.map(({ spec }) => spec),
    parent: session.parent ?? null,
    agent: session.agent ?? null,
  };
}

/** A log that an agent was started over. */
interface StartedLog {
  readonly conversation: Session;
  readonly options: StartedOptions;
}

/** Names the model in a log that does not know one. False if the log goes on with another model, or with other limits. */
async function settleModel({ conversation, options }: StartedLog): Promise<boolean> {
  const { modelId, limits } = options.model;
  const known = conversation.view();
  if (known.modelId === null) {
    conversation.append(modelChangeEntry(known, { modelId, limits }, options.nowMs()));
    await conversation.flush();
    return true;
  }
  const isSameWindow =
    known.limits?.contextWindowTokens === limits.contextWindowTokens && known.limits.maxOutputTokens === limits.maxOutputTokens;
  return known.modelId === modelId && isSameWindow;
}

type RunSubAgent = CallContext["runSubAgent"];
type SubAgentReply = Awaited<ReturnType<RunSubAgent>>;

/** Where a sub-agent comes from. */
interface SubAgentOrigin {
  readonly options: StartedOptions;
  readonly model: AgentModel;
  readonly sessionId: string;
  readonly system: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly onEvent: AgentListener;
  readonly start: (options: AgentOptions) => Promise<Agent>;
}

/**
 * Runs a task in a log of its own, whose first entry names the parent and the call. It compacts itself if the policy's `subAgents` is `own`;
 * with `off` a task that outgrows the window fails.
 */
async function runSubAgent(task: Parameters<RunSubAgent>[0], origin: SubAgentOrigin): Promise<SubAgentReply> {
  const { options, callId, signal } = origin;
  const depth = options.subAgentDepth ?? DEFAULT_SUB_AGENT_DEPTH;
  if (depth <= 0) throw new PlimsollError("bad-input", "a sub-agent cannot start further sub-agents");
  const sessionId = `${origin.sessionId}.${shortHash(callId).slice(0, 12)}`;
  const { context: _, ...inherited } = options;
  const child = await origin.start({
    ...inherited,
    session: { kind: "new", sessionId, system: origin.system, parent: { sessionId: origin.sessionId, callId } },
    model: origin.model,
    policy: options.policy.subAgents === "own" ? options.policy : { ...options.policy, enabled: false },
    subAgentDepth: depth - 1,
    onEvent: origin.onEvent,
  });
  const cancel = () => child.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) throw new PlimsollError("aborted", "the call was cancelled");
    return { sessionId, ...subAgentReply(await child.submit(task.prompt)) };
  } finally {
    signal.removeEventListener("abort", cancel);
    await child.close();
  }
}

/** Writes the reply for the call that started a sub-agent, when the sub-agent has ended. Words that its output limit cut off are words all the same. */
export function subAgentReply({ reason, text, error }: RunOutcome): Pick<SubAgentReply, "text" | "isError"> {
  const isError = reason !== "done" && reason !== "length";
  return { isError, text: isError ? `The sub-agent ended: ${error?.message ?? reason}. ${text}`.trim() : text };
}
