import { type Fields, isRecord, isWellFormed } from "./fields.ts";
import { checkMedia, documentedMedia } from "./media-rules.ts";
import { compactedResponse } from "./openai-responses.ts";
import type { Exchange, Fault, SimulatorOptions } from "./options.ts";
import { DEFAULT_CACHE_RULES, DEFAULT_WINDOW_TOKENS, maximumOutputTokensOf, minimumCachedTokens } from "./options.ts";
import type { PromptCache, SizedSegment } from "./prompt-cache.ts";
import {
  countByLength,
  createAutomaticCache,
  createBreakpointCache,
  createSizer,
  NO_CACHE,
  totalTokens,
  truncatedSegments,
} from "./prompt-cache.ts";
import { SCRIPT_END, type SimulatedPart, type SimulatedReply, type SimulatedRequest, type WireName } from "./reply.ts";
import type { Answer, Counts, Headers, SimulatedPrompt, SimulatedWire, WireError, WireEvent, WireLimits } from "./wire.ts";
import { invalid, Refusal } from "./wire.ts";

/** A response of the server: a body, or events; `fault` says how sending it goes wrong. */
export interface Response {
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  readonly content: { readonly body: Fields } | { readonly events: readonly WireEvent[] };
  readonly fault: Fault | null;
}

/** A provider without its server. */
export interface SimulatedProvider {
  respond(wire: SimulatedWire, body: unknown, headers: Headers): Response;
  refuse(wire: SimulatedWire, error: WireError): Response;
  /** Tokens of a request that is not answered. */
  count(wire: SimulatedWire, body: unknown, headers: Headers): Response;
  /** Answers a request for the vendor's own compaction on the Responses wire. */
  compact(wire: SimulatedWire, body: unknown, headers: Headers): Response;
  exchanges(): readonly Exchange[];
  readonly windowTokens: number;
}

const NOTHING_KNOWN = {
  error: null,
  modelId: null,
  messageCount: null,
  promptTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  drops: [],
} as const;

/** The wires have times in seconds. */
const MS_PER_SECOND = 1_000;

/** A provider at work: its options, its cache, and its record of requests. */
interface OpenProvider {
  readonly options: SimulatorOptions;
  readonly windowTokens: number;
  readonly limits: Omit<WireLimits, "headers">;
  readonly nowMs: () => number;
  readonly sizer: ReturnType<typeof createSizer>;
  readonly caches: Readonly<Record<WireName, PromptCache>>;
  readonly exchanges: Exchange[];
  replyIndex: number;
  callCount: number;
}

/** A provider with its cache, its script and its record of requests. */
export function createProvider(options: SimulatorOptions): SimulatedProvider {
  const nowMs = options.nowMs ?? Date.now;
  const provider: OpenProvider = {
    options,
    windowTokens: options.contextWindowTokens ?? DEFAULT_WINDOW_TOKENS,
    limits: {
      maximumOutputTokensOf: (modelId: string) => maximumOutputTokensOf(modelId, options),
      models: options.models ?? null,
      prefill: options.prefill ?? "reject",
      roles: options.roles ?? "any",
      rules: options.rules ?? {},
    },
    nowMs,
    sizer: createSizer(options.countTokens ?? countByLength, options.tokenFactorRatio ?? 1),
    caches: cachesOf(options, nowMs),
    exchanges: [],
    replyIndex: 0,
    callCount: 0,
  };
  const { sizer, limits } = provider;
  return {
    windowTokens: provider.windowTokens,
    exchanges: () => provider.exchanges,
    refuse: (wire, error) => refuse(provider, { wire }, error),
    count: (wire, body, headers) =>
      answered(provider, { wire, body, headers }, () => {
        // Counting takes a request without the reply's limit.
        const { compaction: _, ...counted } = isRecord(body) ? body : {};
        const prompt = wire.read({ max_tokens: 1, ...counted }, { ...limits, headers });
        const content = { body: wire.countBody(totalTokens(sizer.sized(prompt.segments))) };
        return { status: 200, retryAfterSeconds: null, content, fault: null };
      }),
    compact: (wire, body, headers) =>
      answered(provider, { wire, body, headers }, () => {
        // It declares no tools: calls are not looked up, and reasoning that is bound to them is summarised all the same.
        const prompt = { ...wire.read(body, { ...limits, headers }), callNames: [], drops: [], compact: String };
        const serial = provider.exchanges.length;
        return answerTo(provider, { ...wire, whole: (answer) => compactedResponse(body, { ...answer, serial }) }, prompt);
      }),
    respond: (wire, body, headers) => {
      options.onRequest?.(wire.name, body);
      return answered(provider, { wire, body, headers }, () => {
        const media = options.rules?.media ?? documentedMedia(wire.name, provider.windowTokens);
        if (media !== "off") checkMedia(wire.name, body, media);
        return answerTo(provider, wire, wire.read(body, { ...limits, headers }));
      });
    },
  };
}

/** A request as it came in. */
interface Received {
  readonly wire: SimulatedWire;
  readonly body: unknown;
  readonly headers: Headers;
}

/** The answer, or the wire's refusal of the key, the headers or the body. */
function answered(provider: OpenProvider, received: Received, answer: () => Response): Response {
  const { wire } = received;
  const error = errorOf(provider, received);
  if (error !== null) return refuse(provider, { wire }, error);
  try {
    return answer();
  } catch (thrown) {
    // A refusal is the vendor's answer; anything else is a fault of the script or of this code.
    if (thrown instanceof Refusal) return refuse(provider, { wire }, thrown.wireError);
    throw thrown;
  }
}

/** Checks a request before anything in it is read, and returns its error. */
function errorOf({ options }: OpenProvider, { wire, body, headers }: Received): WireError | null {
  const key = wire.keyOf(headers);
  if (key === null || (options.key !== undefined && key !== options.key)) return wire.keyError(key);
  const headerError = wire.headerError(headers);
  if (headerError !== null) return headerError;
  return body === null || !isWellFormed(body) ? wire.bodyError() : null;
}

/** Notes a refused request, with its known facts. */
function refuse(provider: OpenProvider, { wire, ...facts }: RefusedExchange, error: WireError): Response {
  note(provider, { wire: wire.name, outcome: "rejected", status: error.status, error: error.message, ...facts });
  return { status: error.status, retryAfterSeconds: null, content: { body: wire.errorBody(error) }, fault: null };
}

type RefusedExchange = Partial<Omit<Exchange, "wire">> & { readonly wire: SimulatedWire };

function note({ options, exchanges }: OpenProvider, facts: Partial<Exchange> & Pick<Exchange, "wire" | "outcome" | "status">) {
  const exchange = { ...NOTHING_KNOWN, ...facts };
  exchanges.push(exchange);
  options.onExchange?.(exchange);
}

/** Plays the fault that the script has for this request, refuses a prompt over the window, or serves it. */
function answerTo(provider: OpenProvider, wire: SimulatedWire, prompt: SimulatedPrompt): Response {
  const { options, windowTokens, sizer } = provider;
  const sized = sizer.sized(prompt.segments);
  const promptTokens = totalTokens(sized);
  const { modelId, messageCount, drops, isStreamed, toolNames, newestText } = prompt;
  const facts = { modelId, messageCount, promptTokens, drops };
  const asks = prompt.compact === undefined ? "reply" : "summary";
  const asked = { modelId, messageCount, promptTokens, isStreamed, toolNames, newestText, asks } as const;
  const { replyIndex, exchanges } = provider;
  const request: SimulatedRequest = { wire: wire.name, index: exchanges.length, replyIndex, ...asked };
  const fault = options.faults?.(request) ?? null;
  if (fault?.kind === "status") {
    const response = refuse(provider, { wire, ...facts, outcome: "fault" }, wire.faultError(fault.status));
    return { ...response, retryAfterSeconds: fault.retryAfterSeconds ?? null };
  }
  const maxOutputTokens = options.windowHolds === "prompt" ? 0 : (prompt.maxOutputTokens ?? 0);
  const limitTokens = fault?.kind === "overflow" ? Math.min(windowTokens, promptTokens - 1) : windowTokens;
  const isOver = promptTokens + maxOutputTokens > limitTokens;
  if (isOver && fault?.kind !== "silent-truncation") {
    const error = wire.overflow({ promptTokens, maxOutputTokens, windowTokens: limitTokens });
    return refuse(provider, { wire, ...facts, outcome: "overflow" }, error);
  }
  const served = isOver ? truncatedSegments(sized, windowTokens - maxOutputTokens) : sized;
  return serve(provider, { wire, prompt, request, served, fault, facts });
}

/** A request that is served, with the part of its prompt that is read. */
interface Served {
  readonly wire: SimulatedWire;
  readonly prompt: SimulatedPrompt;
  readonly request: SimulatedRequest;
  readonly served: readonly SizedSegment[];
  readonly fault: Fault | null;
  readonly facts: Partial<Exchange>;
}

function serve(provider: OpenProvider, { wire, prompt, request, served, fault, facts }: Served): Response {
  const { options, caches, sizer, nowMs } = provider;
  const declared = new Set(prompt.toolNames);
  const missing = prompt.callNames.find((name) => !declared.has(name));
  if (options.rules?.undeclaredTools === "refused" && missing !== undefined)
    throw invalid(`The request has a call of the tool '${missing}', which it does not declare.`);
  const cache = caches[wire.name].serve(prompt.modelId, served);
  const scripted = fault?.kind === "empty-reply" ? { parts: [] } : scriptedReply(options, request);
  const reply = options.rules?.undeclaredTools === "not-called" ? withoutCallsBut(scripted, declared) : scripted;
  const answer: Answer = {
    serial: request.replyIndex,
    modelId: prompt.modelId,
    reply,
    counts:
      fault?.kind === "no-usage" ? null : countsOf(reply, { promptTokens: totalTokens(served), ...cache }, sizer.textTokens),
    createdSeconds: Math.floor(nowMs() / MS_PER_SECOND),
    drops: prompt.drops,
    binding: prompt.binding,
    ...(prompt.compact === undefined ? {} : { compact: prompt.compact }),
    callId: callIdsOf(provider, wire, prompt, reply),
  };
  if (prompt.compact === undefined) provider.replyIndex += 1;
  options.onAnswer?.(wire.name, wire.whole(answer));
  const outcome = fault === null ? "answered" : "fault";
  const { readTokens: cacheReadTokens, writeTokens: cacheWriteTokens } = cache;
  note(provider, { wire: wire.name, outcome, status: 200, ...facts, cacheReadTokens, cacheWriteTokens });
  const content = prompt.isStreamed
    ? { events: wire.events(answer, { wantsUsage: prompt.wantsUsage }) }
    : { body: wire.whole(answer) };
  return { status: 200, retryAfterSeconds: null, content, fault };
}

function scriptedReply({ replies, reasoning }: SimulatorOptions, request: SimulatedRequest): SimulatedReply {
  if (request.asks === "summary" && typeof replies !== "function")
    return { parts: [{ type: "text", text: `The conversation's ${request.messageCount} messages so far, in short.` }] };
  const reply = typeof replies === "function" ? replies(request) : (replies[request.replyIndex] ?? SCRIPT_END);
  if (request.asks === "summary") return reply;
  if (reasoning === undefined || reply.parts[0]?.type === "reasoning" || reply.parts.length === 0) return reply;
  const text = reasoning === "every-reply" ? `Reasoning before reply ${request.replyIndex}.` : "";
  const form = reasoning === "every-reply-redacted" ? { form: "redacted" as const } : {};
  return { ...reply, parts: [{ type: "reasoning", text, ...form }, ...reply.parts] };
}

/** The reply with words in the place of calls of tools that the request does not declare. */
function withoutCallsBut(reply: SimulatedReply, declared: ReadonlySet<string>): SimulatedReply {
  const parts = reply.parts.map(
    (part): SimulatedPart =>
      part.type === "tool-call" && !declared.has(part.toolName)
        ? { type: "text", text: `There is no tool ${part.toolName}.` }
        : part,
  );
  return { ...reply, parts };
}

/** How the calls of a reply are numbered. Only Chat Completions take a dot and a colon in an id. */
function callIdsOf(
  provider: OpenProvider,
  wire: SimulatedWire,
  prompt: SimulatedPrompt,
  reply: SimulatedReply,
): Answer["callId"] {
  const kind = provider.options.rules?.callIds;
  if (kind === undefined) return (_, ownId) => ownId;
  const calls = reply.parts.flatMap((part, index) => (part.type === "tool-call" ? [{ index, name: part.toolName }] : []));
  const first = kind === "by-name" ? prompt.callNames.length : kind === "each-start" ? provider.callCount : 0;
  provider.callCount += calls.length;
  return (partIndex, ownId) => {
    const place = calls.findIndex(({ index }) => index === partIndex);
    const name = calls[place]?.name;
    if (name === undefined) return ownId;
    return kind === "by-name" && wire.name === "openai-chat" ? `functions.${name}:${first + place}` : `call_${first + place}`;
  };
}

function cachesOf(options: SimulatorOptions, nowMs: () => number): Readonly<Record<WireName, PromptCache>> {
  const rules = options.cache ?? DEFAULT_CACHE_RULES;
  const minimumOf = options.cache === undefined ? minimumCachedTokens : () => rules.minimumTokens;
  const automatic = () => (options.cache === null ? NO_CACHE : createAutomaticCache(rules, nowMs));
  const anthropic = options.cache === null ? NO_CACHE : createBreakpointCache(rules, nowMs, minimumOf);
  return { anthropic, "openai-chat": automatic(), "openai-responses": automatic(), gemini: automatic() };
}

/** Counts a prompt and its reply, with the reasoning as output. Usage that the script states takes the place of the counts; `null` for none. */
function countsOf(
  { parts, usage }: SimulatedReply,
  prompt: Pick<Counts, "promptTokens" | "readTokens" | "writeTokens" | "writeOneHourTokens">,
  textTokens: (text: string) => number,
): Counts | null {
  if (usage === "missing") return null;
  const sumOf = (some: readonly SimulatedPart[]) =>
    some.reduce(
      (sum, part) => sum + textTokens(part.type === "tool-call" ? `${part.toolName}${part.argumentsJson}` : part.text),
      0,
    );
  const promptTokens = usage?.promptTokens ?? prompt.promptTokens;
  const readTokens = Math.min(prompt.readTokens, promptTokens);
  const writeTokens = Math.min(prompt.writeTokens, promptTokens - readTokens);
  const writeOneHourTokens = Math.min(prompt.writeOneHourTokens, writeTokens);
  const uncachedTokens = promptTokens - readTokens - writeTokens;
  const outputTokens = usage?.outputTokens ?? sumOf(parts);
  const reasoningTokens = Math.min(sumOf(parts.filter(({ type }) => type === "reasoning")), outputTokens);
  return { promptTokens, readTokens, writeTokens, writeOneHourTokens, uncachedTokens, outputTokens, reasoningTokens };
}
