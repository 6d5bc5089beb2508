import type { ModelReply, SessionEntry, SessionOptions, ToolCallPart, ToolResultMessage, UserMessage } from "@plimsoll/core";
import {
  admitToolResult,
  createDigest,
  createMemoryArtifactStore,
  createSession,
  isPlimsollError,
  PLIMSOLL_POLICY,
  PlimsollError,
} from "@plimsoll/core";
import {
  BUILT_IN_KINDS,
  callShape,
  clockDoor,
  LOG_VERSION,
  modelChangeEntry,
  openSession,
  option,
  recallArtifact,
  requireFallback,
  shortHash,
} from "@plimsoll/core/extend";
import { isBoundReasoning } from "../catalog/bound-reasoning.ts";
import { requestLimitsOf } from "../catalog/model-limits.ts";
import { modelCosts } from "../catalog/model-prices.ts";
import { catalogLimits, knownLimits } from "../catalog/resolve-model.ts";
import { fullWindow } from "../client/failure.ts";
import { noteSetup } from "../drop-in/request.ts";
import { textParts } from "../drop-in/wire-array.ts";
import { createFailureWarnings, resultCut, unwrittenSummaries } from "../fit-report.ts";
import { priorsFor } from "../priors/model-priors.ts";
import { replyLowered } from "../shorter-reply.ts";
import { createToolNames } from "../wire/tools.ts";
import { type DecodedReply, decodedBy, type SessionWire } from "../wire/wire.ts";
import {
  alone,
  assertOpen,
  awaited,
  behind,
  bodyOf,
  close,
  NOTHING_YET,
  type OpenCall,
  type OpenSession,
  prepare,
  resulted,
  type SessionLog,
  sent,
  withReply,
  written,
} from "./open-session.ts";
import type { SdkSession, SdkSessionOptions } from "./session.ts";

const NEVER_ABORTED = new AbortController().signal;

/** Opens a session on a wire. The vendors' entries pass its parts. */
export async function createSdkSession<Request, Answer>(
  wire: SessionWire<Request>,
  options: SdkSessionOptions,
): Promise<SdkSession<Request, Answer>> {
  const { artifacts = createMemoryArtifactStore(), categoryOf, pathsOf = ({ paths }) => paths } = options;
  const log = await openLog(wire, options);
  const { sessionId, conversation, nowMs } = log;
  const session: OpenSession<Request> = {
    ...log,
    wire,
    artifacts,
    progress: NOTHING_YET,
    last: null,
    cuts: [],
    running: Promise.resolve(),
  };
  const reply = (answer: Answer) => answeredBy(session, answer, pathsOf);
  const recall: SdkSession<Request, Answer>["recall"] = async (handle, range) => {
    assertOpen(session.progress);
    return (await conversation.recall(handle, range)) ?? (await recallArtifact(handle, range, artifacts));
  };
  return {
    sessionId,
    conversation,
    get last() {
      return session.last;
    },
    get calls() {
      return session.progress.open.map(({ call }) => call);
    },
    user: (input) => {
      assertOpen(session.progress);
      const said = conversation.redaction.draft(userDraft(input, nowMs()), "log");
      session.progress = { ...session.progress, waiting: [...session.progress.waiting, said] };
    },
    request: (signal = NEVER_ABORTED) =>
      alone(session, async () => {
        await prepare(session, signal);
        const error = typeof options.limits?.contextWindowTokens === "number" ? conversation.overflow() : null;
        if (error !== null) throw error;
        return written(session);
      }),
    reply: (answer) => {
      assertOpen(session.progress);
      return reply(answer);
    },
    result: (callId, output, { isError = false, hint = null } = {}) => {
      const { progress, call } = resulted(session.progress, callId);
      session.progress = progress;
      const { callId: id, toolName, argumentsJson } = call.call;
      const category = categoryOf?.(toolName) ?? callShape(toolName, argumentsJson).category;
      const names = { role: "tool-result", id, callId: id, toolName, isError, category } as const;
      const parts = typeof output === "string" ? textParts(output) : output;
      behind(session, () => admit(session, call, { message: { ...names, parts, atMs: nowMs() }, hint }));
    },
    send: (call, signal = NEVER_ABORTED) =>
      alone(session, async () => {
        await prepare(session, signal);
        const answer = await sent(session, async (request: Request) => await call(request), signal);
        reply(answer);
        return answer;
      }),
    recall,
    contextCall: (call) => conversation.contextCall({ artifacts, ...call }),
    close: () => close(session),
  };
}

/** Takes the answer to the newest request: its measurement, and the reply. Gives the calls. */
function answeredBy<Request>(
  session: OpenSession<Request>,
  answer: unknown,
  pathsOf: NonNullable<SdkSessionOptions["pathsOf"]>,
): readonly ToolCallPart[] {
  const { conversation, wire } = session;
  const view = awaited(session.progress);
  const reply = decodedBy(wire, answer);
  const { draft, calls } = replyDraft(reply, conversation, pathsOf);
  if (draft === null && reply.isWindowFull) throw fullWindow();
  session.progress = { ...session.progress, open: calls, sent: null };
  behind(session, async () => {
    const usage = conversation.report(view, { requestId: reply.requestId, modelId: wire.modelId, usage: reply.usage });
    // Both are in the log before either is written: a store that fails takes no answer away.
    await Promise.all([usage, draft === null ? null : conversation.say(draft)]);
  });
  return calls.map(({ call }) => call);
}

/** Appends a result, cut to the policy's cap. One that cannot be kept is not cut: its call waits for it again. */
async function admit<Request>(
  session: OpenSession<Request>,
  call: OpenCall,
  { message: given, hint }: { readonly message: ToolResultMessage; readonly hint: string | null },
): Promise<void> {
  const { artifacts, conversation, policy, kinds } = session;
  // What is cut is stored whole: redacted before that.
  const said = conversation.redaction.draft(given, "log");
  const admitted = admitToolResult(said, { policy, artifacts, hint, truncations: kinds.truncations }).catch(
    (error: unknown) => {
      session.progress = { ...session.progress, open: [...session.progress.open, call] };
      throw error;
    },
  );
  const result = await admitted;
  const cut = resultCut(said, result);
  if (cut !== null) session.tell(cut);
  if (cut !== null) session.cuts = [...session.cuts, cut];
  const { id: _, ...draft } = result.message;
  await conversation.say(draft);
}

function userDraft(input: string | UserMessage["parts"], atMs: number): Omit<UserMessage, "id"> {
  const given = typeof input === "string" ? textParts(input) : input;
  const parts = given.filter((part) => part.type !== "text" || part.text.trim() !== "");
  if (parts.length === 0) throw new PlimsollError("bad-input", "a message needs text or an image");
  return { role: "user", origin: "human", parts, atMs };
}

/**
 * The reply without blank text and without reasoning that leads to nothing, each call with the paths that it touches and under an id that the session has
 * not seen: models repeat ids, and some give none. `draft` is `null` for a reply with nothing that a wire would take back.
 */
function replyDraft(
  reply: DecodedReply,
  { state, hasCall }: SessionLog["conversation"],
  pathsOf: NonNullable<SdkSessionOptions["pathsOf"]>,
): { readonly draft: ModelReply["draft"] | null; readonly calls: readonly OpenCall[] } {
  const kept = reply.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  const lastWords = kept.findLastIndex((part) => part.type !== "reasoning");
  const calls: OpenCall[] = [];
  const parts = kept.slice(0, lastWords + 1).map((part, index) => {
    if (part.type !== "tool-call") return part;
    const { callId: givenId } = part;
    const isFree = givenId !== "" && !hasCall(givenId) && !calls.some(({ call }) => call.callId === givenId);
    const callId = isFree ? givenId : `call_${shortHash(`${state().lastMessageId ?? ""}\n${index}\n${givenId}`).slice(0, 24)}`;
    const call = { ...part, callId, paths: pathsOf(part) };
    calls.push({ givenId, call });
    return call;
  });
  if (parts.length === 0) return { draft: null, calls };
  const { modelId, requestId, stopReason } = reply;
  return { draft: { role: "assistant", origin: "model", parts, modelId, requestId, stopReason, atMs: null }, calls };
}

/** The output that is asked for if neither the request nor the catalogue says how much; chosen: every current model gives as much. */
const DEFAULT_MAX_OUTPUT_TOKENS = 8_192;

/**
 * Opens the log of the options' name, or begins it. System text, tools and model are from now on those of the options. Calls that were left without a
 * result get an error result.
 *
 * @throws PlimsollError as a store does; `bad-policy` for a policy without a fallback.
 */
async function openLog<Request>(wire: SessionWire<Request>, options: SdkSessionOptions): Promise<SessionLog> {
  const { system: written = "", sessions, sessionId = globalThis.crypto.randomUUID(), limits: _limits, ...own } = options;
  const given = { system: written, tools: wire.tools, messages: [], dynamicContext: null };
  const { artifacts: _, categoryOf: __, pathsOf: ___, ...context } = own;
  const { kinds = BUILT_IN_KINDS, summarizer = createDigest(), nowMs: clock = Date.now } = context;
  const { onEvent = createFailureWarnings() } = context;
  const policy = requireFallback(options.policy ?? PLIMSOLL_POLICY, kinds);
  const nowMs = clockDoor(clock);
  const wanted = limitsOf(wire, options);
  const limits = policy.enabled ? withReply(wanted, wire) : wanted;
  const unwritten = unwrittenSummaries(policy, own.summarizer);
  const tell: SessionLog["tell"] = (event) => option.heard(onEvent(event));
  if (unwritten !== null) tell(unwritten);
  if (limits !== wanted) tell(replyLowered(wanted, limits));
  const modelPriors = await priorsFor(wire.modelId);
  const renamed = createToolNames(wire.maximumToolNameChars);
  const { compact } = wire;
  const rules = { ...wire.rules, lastMessage: "any" } as const;
  const asking: Pick<SessionOptions, "compact"> =
    compact === undefined ? {} : { compact: (asked) => compact(bodyOf({ wire, conversation, renamed }, asked, rules)) };
  const setting: SessionOptions = {
    ...context,
    ...asking,
    onEvent,
    policy,
    kinds,
    summarizer,
    modelPriors,
    modelCosts,
    isBoundReasoning,
    nowMs,
  };
  const { modelId, boundReasoning: asked } = wire;
  const names = { id: sessionId, createdMs: nowMs(), parent: null, agent: null };
  const start: SessionStart = { type: "session", version: LOG_VERSION, ...names, system: written, tools: wire.tools };
  const conversation: SessionLog["conversation"] =
    sessions === undefined
      ? createSession({ ...setting, entries: [start], writer: null })
      : await openedOrBegun(setting, sessions, start);
  const view = conversation.view();
  // The log has them redacted, and is compared with them.
  const { system, tools } = conversation.redaction.context(given, "log");
  noteSetup(conversation, { system, tools, boundReasoning: asked ?? view.boundReasoning }, nowMs());
  if (view.modelId !== modelId) conversation.append(modelChangeEntry(conversation.view(), { modelId, limits }, nowMs()));
  await conversation.flush().catch(async (error: unknown) => {
    await conversation.abandon();
    throw error;
  });
  return { sessionId, conversation, renamed, policy, kinds, limits, nowMs, tell };
}

type SessionStart = Extract<SessionEntry, { readonly type: "session" }>;

async function openedOrBegun(
  setting: SessionOptions,
  sessions: NonNullable<SdkSessionOptions["sessions"]>,
  start: SessionStart,
): Promise<SessionLog["conversation"]> {
  const { id: sessionId } = start;
  const begun = openSession(setting, sessions, start).catch(async (error: unknown) => {
    const isThere = isPlimsollError(error, "bad-session") && (await sessions.read(sessionId, () => undefined)) !== null;
    if (isThere) return await openSession(setting, sessions, { sessionId });
    throw error;
  });
  return (await begun).session;
}

/** Finds the limits: the caller's, else those that `limitsOf` knows. The reply that the request asks for is kept free for it. */
function limitsOf<Request>(
  { modelId, modelReference, maxOutputTokens }: SessionWire<Request>,
  { limits, limitsOf }: Pick<SdkSessionOptions, "limits" | "limitsOf">,
): SessionLog["limits"] {
  const listed = (id: string) => catalogLimits(id, maxOutputTokens);
  const known = limits ?? (limitsOf === undefined ? knownLimits(modelReference, listed) : knownLimits(modelId, limitsOf));
  const outputTokens = maxOutputTokens ?? known.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
  const request = known.request ?? requestLimitsOf(modelId);
  return { contextWindowTokens: known.contextWindowTokens, maxOutputTokens: outputTokens, request };
}
