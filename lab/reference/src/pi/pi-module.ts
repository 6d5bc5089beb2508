/** The part of a published pi that is used: its session store, its session's own methods and its compaction. Both of its scopes have these. */
export interface PiModule {
  readonly SessionManager: { readonly inMemory: () => PiStore };
  readonly AgentSession: { readonly prototype: object };
  readonly DEFAULT_COMPACTION_SETTINGS: PiSettings;
  readonly compact: (...args: readonly unknown[]) => Promise<unknown>;
  readonly convertToLlm: (messages: readonly PiMessage[]) => readonly PiMessage[];
  readonly serializeConversation: (messages: readonly PiMessage[]) => string;
}

export interface PiSettings {
  readonly enabled: boolean;
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
}

/** A message as pi keeps it; only what is read here. */
export interface PiMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

/** An entry of pi's log. */
export interface PiEntry {
  readonly id: string;
  readonly type: string;
  readonly message?: PiMessage;
}

/** pi's log in memory. */
export interface PiStore {
  appendMessage(message: PiMessage): string;
  appendCompaction(summary: string, firstKeptEntryId: string, tokensBefore: number, details?: unknown): string;
  buildSessionContext(): { readonly messages: readonly PiMessage[] };
  getBranch(): readonly PiEntry[];
}

/** The plan of a compaction by pi. */
export interface PiPreparation {
  readonly firstKeptEntryId: string;
  readonly messagesToSummarize: readonly PiMessage[];
  readonly turnPrefixMessages: readonly PiMessage[];
  readonly isSplitTurn: boolean;
  readonly previousSummary?: string | undefined;
  readonly tokensBefore: number;
  readonly fileOps: {
    readonly read: ReadonlySet<string>;
    readonly written: ReadonlySet<string>;
    readonly edited: ReadonlySet<string>;
  };
}

/** The methods of pi's session that decide about compaction; the second is there from 1.0 on. */
export interface PiSessionMethods {
  _checkCompaction(assistant: PiMessage, skipAbortedCheck?: boolean): Promise<unknown>;
  _compactBeforeNextAssistantResponse?(context: object): Promise<unknown>;
  _runAutoCompaction(reason: "threshold" | "overflow", willRetry: boolean): Promise<unknown>;
  _overflowRecoveryAttempted: boolean;
}

/** How a program asks a model: an answer with text alone. */
export interface PiReply {
  readonly role: "assistant";
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly stopReason: "stop";
  readonly usage: PiUsage;
  readonly [field: string]: unknown;
}

export interface PiUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly total: number;
  };
}

/** A report in pi's form; nothing of it is counted apart, as its decisions use the sum. */
export function piUsage(promptTokens: number, outputTokens: number): PiUsage {
  return {
    input: promptTokens,
    output: outputTokens,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: promptTokens + outputTokens,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** Loads a published pi. */
export async function loadPi(address: string): Promise<PiModule> {
  const loaded: PiModule = await import(address);
  return loaded;
}

/** The older scope asks models through a registry of its own: a stand-in is put there under the name of an API. */
export async function registerOldApi(address: string, api: string, answer: (context: unknown) => PiStream): Promise<void> {
  const file = new URL("../../pi-ai/dist/index.js", address).href;
  const loaded: { readonly registerApiProvider: (provider: object) => void } = await import(file);
  loaded.registerApiProvider({
    api,
    stream: (_: unknown, context: unknown) => answer(context),
    streamSimple: (_: unknown, context: unknown) => answer(context),
  });
}

/** A model's answer as both scopes take it. */
export interface PiStream {
  result(): Promise<PiReply>;
}
