import type { ContextEvent, ModelLimits, Policy, SessionEntry } from "@plimsoll/core";
import { createDigest, isPlimsollError, PLIMSOLL_POLICY } from "@plimsoll/core";
import type { Conversation, ConversationSetting, Kinds, SessionStartEntry } from "@plimsoll/core/extend";
import {
  BUILT_IN_KINDS,
  clockDoor,
  createConversation,
  LOG_VERSION,
  loggedLimits,
  openConversation,
  replyLowered,
  requireFallback,
  setupChange,
  setupChangeEntry,
  shortHash,
  withReplyWithin,
} from "@plimsoll/core/extend";
import { isBoundReasoning } from "../catalog/bound-reasoning.ts";
import { requestLimitsOf } from "../catalog/request-limits.ts";
import { resolveModel } from "../catalog/resolve-model.ts";
import { modelPriors } from "../priors/model-priors.ts";
import type { SessionWire } from "../wire/wire.ts";
import type { SessionOptions } from "./session.ts";

/** The output that is asked for if neither the request nor the catalogue says how much; chosen: every current model gives as much. */
const DEFAULT_MAX_OUTPUT_TOKENS = 8_192;

/** A session's log, and what it is kept with. */
export interface SessionLog {
  readonly sessionId: string;
  readonly conversation: Conversation;
  readonly policy: Policy;
  readonly kinds: Kinds;
  readonly limits: ModelLimits & { readonly maxOutputTokens: number };
  readonly nowMs: () => number;
  /** Tells whoever the session's events are told. */
  readonly tell: (event: ContextEvent) => void;
}

/**
 * Opens the log of the options' name, or begins it. System text, tools and model are from now on those of the options. Calls that were left without a
 * result get an error result.
 *
 * @throws PlimsollError as a store does; `bad-policy` for a policy without a fallback.
 */
export async function openSessionLog<Request>(wire: SessionWire<Request>, options: SessionOptions): Promise<SessionLog> {
  const policy = requireFallback(options.policy ?? PLIMSOLL_POLICY);
  const {
    kinds = BUILT_IN_KINDS,
    summarizer = createDigest(),
    sessionId = globalThis.crypto.randomUUID(),
    nowMs: clock = Date.now,
  } = options;
  const nowMs = clockDoor(clock);
  const { system = "", sessions, onEvent, tokenizers, pinned, stateProviders, fileTracker, beforeCompaction } = options;
  const wanted = await limitsOf(wire, options.limits ?? null, policy);
  const limits = policy.enabled ? withReplyWithin(wanted) : wanted;
  if (limits !== wanted) onEvent?.(replyLowered(wanted, limits));
  const setting: ConversationSetting = {
    policy,
    kinds,
    summarizer,
    modelPriors,
    isBoundReasoning,
    nowMs,
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(tokenizers === undefined ? {} : { tokenizers }),
    ...(pinned === undefined ? {} : { pinned }),
    ...(stateProviders === undefined ? {} : { stateProviders }),
    ...(fileTracker === undefined ? {} : { fileTracker }),
    ...(beforeCompaction === undefined ? {} : { beforeCompaction }),
  };
  const { tools, modelId, boundReasoning: asked } = wire;
  const names = { id: sessionId, createdMs: nowMs(), parent: null, agent: null };
  const start: SessionStartEntry = { type: "session", version: LOG_VERSION, ...names, system, tools };
  const conversation =
    sessions === undefined
      ? createConversation({ ...setting, entries: [start], writer: null })
      : await openedOrBegun(setting, sessions, start);
  const view = conversation.view();
  const boundReasoning = asked ?? view.boundReasoning;
  const setup = { system, tools, boundReasoning };
  if (setupChange(view, setup) !== null || boundReasoning !== view.boundReasoning)
    conversation.add(setupChangeEntry(view, setup, nowMs()));
  if (view.modelId !== modelId) conversation.add(modelChange(conversation, { modelId, limits, atMs: nowMs() }));
  await conversation.flush();
  return { sessionId, conversation, policy, kinds, limits, nowMs, tell: (event) => onEvent?.(event) };
}

async function openedOrBegun(
  setting: ConversationSetting,
  sessions: NonNullable<SessionOptions["sessions"]>,
  start: SessionStartEntry,
): Promise<Conversation> {
  const { id: sessionId } = start;
  const begun = openConversation(setting, sessions, start).catch(async (error: unknown) => {
    const isThere = isPlimsollError(error, "bad-session") && (await sessions.read(sessionId, () => undefined)) !== null;
    if (isThere) return await openConversation(setting, sessions, { sessionId });
    throw error;
  });
  return (await begun).conversation;
}

function modelChange(
  { view }: Conversation,
  to: { readonly modelId: string; readonly limits: ModelLimits; readonly atMs: number },
): SessionEntry {
  const id = shortHash(`model-change\n${to.modelId}\n${view().lastEntryId ?? ""}`);
  return { type: "model-change", id, ...to, limits: loggedLimits(to.limits) };
}

/** Finds the limits: the caller's, else the catalogue's, else the policy's `unknownWindow`. The reply that the request asks for is what is kept free for it. */
async function limitsOf<Request>(
  { modelId, modelReference, maxOutputTokens }: SessionWire<Request>,
  given: ModelLimits | null,
  { unknownWindow }: Policy,
): Promise<SessionLog["limits"]> {
  const known = given ?? (await resolveModel({ reference: modelReference, unknownWindow })).limits;
  const outputTokens = maxOutputTokens ?? known.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
  const request = known.request ?? requestLimitsOf(modelId);
  return { contextWindowTokens: known.contextWindowTokens, maxOutputTokens: outputTokens, request };
}
