/** A message as LangChain keeps it; only what is read here. */
export interface LangChainMessage {
  readonly type: string;
  readonly id?: string;
  readonly content: unknown;
  readonly tool_calls?: readonly LangChainCall[];
  readonly tool_call_id?: string;
}

export interface LangChainCall {
  readonly id?: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type MessageClass = new (fields: Readonly<Record<string, unknown>>) => LangChainMessage;

/** How LangChain's agents ask a middleware before a model call, and around it. */
export interface LangChainMiddleware {
  readonly beforeModel?: (
    state: { readonly messages: readonly LangChainMessage[] },
    runtime: { readonly context: object },
  ) => Promise<{ readonly messages: readonly LangChainMessage[] } | undefined>;
  readonly wrapModelCall?: (request: LangChainRequest, handler: LangChainHandler) => Promise<unknown>;
}

export interface LangChainRequest {
  readonly messages: readonly LangChainMessage[];
  readonly state: Readonly<Record<string, unknown>>;
  readonly model: object;
  readonly systemMessage?: LangChainMessage;
  readonly tools: readonly object[];
}

export type LangChainHandler = (request: LangChainRequest) => Promise<unknown>;

/** The part of the published `langchain` that is used. */
export interface LangChainModule {
  readonly HumanMessage: MessageClass;
  readonly AIMessage: MessageClass;
  readonly ToolMessage: MessageClass;
  readonly SystemMessage: MessageClass;
  readonly summarizationMiddleware: (options: object) => LangChainMiddleware;
  readonly contextEditingMiddleware: (options?: object) => LangChainMiddleware;
}

/** The part of the published `deepagents` that is used, which has a `langchain` of its own. */
export interface DeepAgentsModule {
  readonly createSummarizationMiddleware: (options: object) => LangChainMiddleware;
}

/** The writer of a program's messages, and the error by which it knows an overflow. */
export interface LangChainCore {
  readonly getBufferString: (messages: readonly LangChainMessage[]) => string;
  readonly ContextOverflowError: new (message: string) => Error;
}

/** Loads a published `langchain`. */
export async function loadLangChain(address: string): Promise<LangChainModule & LangChainCore> {
  const module: LangChainModule = await import(address);
  return { ...module, ...(await loadCore(address)) };
}

/** Loads a published `deepagents` with the `langchain` next to it. */
export async function loadDeepAgents(address: string): Promise<LangChainModule & LangChainCore & DeepAgentsModule> {
  const module: DeepAgentsModule = await import(address);
  const langchain = await loadLangChain(new URL("../../langchain/dist/index.js", address).href);
  return { ...langchain, createSummarizationMiddleware: module.createSummarizationMiddleware };
}

async function loadCore(address: string): Promise<LangChainCore> {
  const core = (path: string) => new URL(`../../@langchain/core/dist/${path}`, address).href;
  const messages: Pick<LangChainCore, "getBufferString"> = await import(core("messages/index.js"));
  const errors: Pick<LangChainCore, "ContextOverflowError"> = await import(core("errors/index.js"));
  return { getBufferString: messages.getBufferString, ContextOverflowError: errors.ContextOverflowError };
}
