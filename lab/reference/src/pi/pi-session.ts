import type { Message } from "@plimsoll/core";
import { PI_MODEL_NAMES, piMessage } from "./pi-messages.ts";
import {
  type PiMessage,
  type PiModule,
  type PiPreparation,
  type PiSessionMethods,
  type PiStore,
  type PiStream,
  piUsage,
} from "./pi-module.ts";

/** The parts of a pi session. */
export interface PiSessionOptions {
  readonly module: PiModule;
  readonly contextWindowTokens: number;
  /** Asked before each compaction; `false` cancels it. */
  readonly onPreparation: (preparation: PiPreparation) => boolean;
  /** Answers requests for summaries. */
  readonly answer: (context: unknown) => PiStream;
}

/** pi's own session code over its own log in memory: without a terminal, tools, files or a network. */
export interface PiSession {
  readonly store: PiStore;
  readonly methods: PiSessionMethods;
  /** Appends a message of ours. A reply is given the usage of its request, if one was reported. */
  append(message: Message, reported: { readonly promptTokens: number; readonly outputTokens: number } | null): void;
  /** The newest reply; `null` before the first. */
  lastReply(): PiMessage | null;
  /** A reply that says that the provider rejected the request as too long. */
  overflowReply(): PiMessage;
  /** The message of ours that one of pi's stands for. */
  ourOf(message: PiMessage): Message | undefined;
  /** The log's entry of a message of ours. */
  entryIdOf(message: Message): string | undefined;
}

/** Parts that the session's methods reach for and a replay does not have. */
export function createPiSession(options: PiSessionOptions): PiSession {
  const { module, contextWindowTokens } = options;
  const store = module.SessionManager.inMemory();
  const model = {
    ...PI_MODEL_NAMES,
    id: PI_MODEL_NAMES.model,
    contextWindow: contextWindowTokens,
    maxTokens: 32_000,
    reasoning: false,
  };
  const methods: PiSessionMethods = Object.assign(Object.create(module.AgentSession.prototype), {
    ...surroundings(options, model),
    sessionManager: store,
    _overflowRecoveryAttempted: false,
  });
  const ours = new Map<PiMessage, Message>();
  const entries = new Map<Message, string>();
  const clock = createClock(store);
  let last: PiMessage | null = null;
  return {
    store,
    methods,
    append: (message, reported) => {
      const usage = reported === null ? undefined : piUsage(reported.promptTokens, reported.outputTokens);
      const written = piMessage(message, clock(), usage);
      ours.set(written, message);
      entries.set(message, store.appendMessage(written));
      if (written.role === "assistant") last = written;
      // A word of the person and an answer both end a recovery: the session's own handler of events does the same.
      if (written.role !== "toolResult") methods._overflowRecoveryAttempted = false;
    },
    lastReply: () => last,
    overflowReply: () => ({
      role: "assistant",
      content: [],
      ...PI_MODEL_NAMES,
      usage: piUsage(0, 0),
      stopReason: "error",
      errorMessage: `prompt is too long: ${contextWindowTokens + 1} tokens > ${contextWindowTokens} maximum`,
      timestamp: clock(),
    }),
    ourOf: (message) => ours.get(message),
    entryIdOf: (message) => entries.get(message),
  };
}

/** Each moment later than all before it and than every compaction: pi passes over replies that are not newer than its last one. */
function createClock(store: PiStore): () => number {
  let newestMs = 0;
  return () => {
    const { timestamp } = { timestamp: 0, ...store.getBranch().at(-1) };
    const appendedMs = typeof timestamp === "string" ? Date.parse(timestamp) : 0;
    newestMs = Math.max(newestMs, appendedMs) + 1;
    return newestMs;
  };
}

function surroundings({ module, onPreparation, answer }: PiSessionOptions, model: object): object {
  const nothing = () => undefined;
  return {
    agent: {
      state: { model, messages: [], thinkingLevel: "off" },
      hasQueuedMessages: () => false,
      continue: () => Promise.resolve(),
    },
    settingsManager: { getCompactionSettings: () => module.DEFAULT_COMPACTION_SETTINGS },
    _modelRegistry: { getApiKeyAndHeaders: () => Promise.resolve({ ok: true, apiKey: "none", headers: {} }) },
    _extensionRunner: {
      hasHandlers: (name: string) => name === "session_before_compact",
      emit: (event: { readonly type: string; readonly preparation: PiPreparation }) =>
        Promise.resolve(
          event.type !== "session_before_compact" || onPreparation(event.preparation) ? undefined : { cancel: true },
        ),
    },
    _entryIdsByMessage: new Map(),
    _emit: nothing,
    _emitSessionCompactFailed: () => Promise.resolve(),
    _runDefaultCompaction: (preparation: unknown, _model: unknown, focus: unknown, signal: unknown) =>
      module.compact(preparation, model, "none", {}, focus, signal, "off", (_: unknown, context: unknown) =>
        Promise.resolve(answer(context)),
      ),
  };
}
