import type { JsonObject } from "@plimsoll/core/internal";
import { isRecord, wellFormed } from "@plimsoll/core/internal";
import type { Exchange, Fault, SimulatorOptions } from "./options.ts";
import { DEFAULT_CACHE_RULES, DEFAULT_WINDOW_TOKENS, maximumOutputTokensOf, minimumCachedTokens } from "./options.ts";
import type { PromptCache, SizedSegment } from "./prompt-cache.ts";
import { createAutomaticCache, createBreakpointCache, NO_CACHE } from "./prompt-cache.ts";
import type { SimulatedReply, SimulatedRequest, WireName } from "./reply.ts";
import { SCRIPT_END } from "./reply.ts";
import { countByLength, createSizer, totalTokens, truncatedSegments } from "./size-prompt.ts";
import type { Answer, Counts, SimulatedPrompt, SimulatedWire, WireError, WireEvent } from "./wire.ts";
import { Refusal } from "./wire.ts";

/** What the server sends: a body, or events; `fault` says what goes wrong while it is sent. */
export interface Response {
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  readonly content: { readonly body: JsonObject } | { readonly events: readonly WireEvent[] };
  readonly fault: Fault | null;
}

/** The headers of a request as Node gives them, names in lower case. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A provider without its server. */
export interface SimulatedProvider {
  respond(wire: SimulatedWire, body: unknown, headers: Headers): Response;
  refuse(wire: SimulatedWire, error: WireError): Response;
  /** Tokens of a request that is not answered. */
  count(wire: SimulatedWire, body: unknown, headers: Headers): Response;
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
} as const;

/** The wires tell times in seconds. */
const MS_PER_SECOND = 1_000;

/** A provider with its cache, its script and its record of what it was asked. */
export function createProvider(options: SimulatorOptions): SimulatedProvider {
  const windowTokens = options.contextWindowTokens ?? DEFAULT_WINDOW_TOKENS;
  const limits = {
    maximumOutputTokensOf: (modelId: string) => maximumOutputTokensOf(modelId, options),
    models: options.models ?? null,
    prefill: options.prefill ?? "reject",
    roles: options.roles ?? "any",
  };
  const nowMs = options.nowMs ?? Date.now;
  const sizer = createSizer(options.countTokens ?? countByLength, options.tokenFactorRatio ?? 1);
  const caches = cachesOf(options, nowMs);
  const exchanges: Exchange[] = [];
  let replyIndex = 0;

  const note = (facts: Partial<Exchange> & Pick<Exchange, "wire" | "outcome" | "status">) => {
    const exchange = { ...NOTHING_KNOWN, ...facts };
    exchanges.push(exchange);
    options.onExchange?.(exchange);
  };
  const refuse = (wire: SimulatedWire, error: WireError, facts: Partial<Exchange> = {}): Response => {
    note({ wire: wire.name, outcome: "rejected", status: error.status, error: error.message, ...facts });
    return { status: error.status, retryAfterSeconds: null, content: { body: wire.errorBody(error) }, fault: null };
  };
  const refusedFor = (wire: SimulatedWire, body: unknown, headers: Headers): Response | null => {
    const key = wire.keyOf(headers);
    if (key === null || (options.key !== undefined && key !== options.key)) return refuse(wire, wire.keyError(key));
    const headerError = wire.headerError(headers);
    if (headerError !== null) return refuse(wire, headerError);
    return body === null || wellFormed(body) !== body ? refuse(wire, wire.bodyError()) : null;
  };
  const nextReply = (request: SimulatedRequest): SimulatedReply =>
    typeof options.replies === "function" ? options.replies(request) : (options.replies[request.replyIndex] ?? SCRIPT_END);

  const answerTo = (wire: SimulatedWire, prompt: SimulatedPrompt, sized: readonly SizedSegment[]): Response => {
    const promptTokens = totalTokens(sized);
    const facts = { modelId: prompt.modelId, messageCount: prompt.messageCount, promptTokens };
    const request: SimulatedRequest = { ...toldOf(wire, prompt, promptTokens), index: exchanges.length, replyIndex };
    const fault = options.faults?.(request) ?? null;
    if (fault?.kind === "status") {
      const error = wire.faultError(fault.status);
      const response = refuse(wire, error, { ...facts, outcome: "fault" });
      return { ...response, retryAfterSeconds: fault.retryAfterSeconds ?? null };
    }
    const maxOutputTokens = options.windowHolds === "prompt" ? 0 : (prompt.maxOutputTokens ?? 0);
    const isOver = promptTokens + maxOutputTokens > windowTokens;
    if (isOver && fault?.kind !== "silent-truncation")
      return refuse(wire, wire.overflow({ promptTokens, maxOutputTokens, windowTokens }), { ...facts, outcome: "overflow" });
    const served = isOver ? truncatedSegments(sized, windowTokens - maxOutputTokens) : sized;
    const cache = caches[wire.name].serve(prompt.modelId, served);
    const reply = fault?.kind === "empty-reply" ? { parts: [] } : nextReply(request);
    const answer: Answer = {
      serial: replyIndex,
      modelId: prompt.modelId,
      reply,
      counts: fault?.kind === "no-usage" ? null : countsOf(totalTokens(served), cache, outputOf(reply, sizer.textTokens)),
      createdSeconds: Math.floor(nowMs() / MS_PER_SECOND),
    };
    replyIndex += 1;
    note({
      wire: wire.name,
      outcome: fault === null ? "answered" : "fault",
      status: 200,
      ...facts,
      cacheReadTokens: cache.readTokens,
      cacheWriteTokens: cache.writeTokens,
    });
    const content = prompt.isStreamed
      ? { events: wire.events(answer, { wantsUsage: prompt.wantsUsage }) }
      : { body: wire.whole(answer) };
    return { status: 200, retryAfterSeconds: null, content, fault };
  };

  return {
    windowTokens,
    exchanges: () => exchanges,
    refuse: (wire, error) => refuse(wire, error),
    count: (wire, body, headers) => {
      const refused = refusedFor(wire, body, headers);
      if (refused !== null) return refused;
      try {
        // Counting takes a request without the reply's limit.
        const prompt = wire.read({ max_tokens: 1, ...(isRecord(body) ? body : {}) }, limits);
        const content = { body: { input_tokens: totalTokens(sizer.sized(prompt.segments)) } };
        return { status: 200, retryAfterSeconds: null, content, fault: null };
      } catch (error) {
        if (error instanceof Refusal) return refuse(wire, error.wireError);
        throw error;
      }
    },
    respond: (wire, body, headers) => {
      options.onRequest?.(wire.name, body);
      const refused = refusedFor(wire, body, headers);
      if (refused !== null) return refused;
      try {
        const prompt = wire.read(body, limits);
        return answerTo(wire, prompt, sizer.sized(prompt.segments));
      } catch (error) {
        // A refusal is the vendor's answer; anything else is a fault of the script or of this code.
        if (error instanceof Refusal) return refuse(wire, error.wireError);
        throw error;
      }
    },
  };
}

function cachesOf(options: SimulatorOptions, nowMs: () => number): Readonly<Record<WireName, PromptCache>> {
  if (options.cache === null) return { anthropic: NO_CACHE, "openai-chat": NO_CACHE, "openai-responses": NO_CACHE };
  const rules = options.cache ?? DEFAULT_CACHE_RULES;
  const minimumOf = options.cache === undefined ? minimumCachedTokens : () => rules.minimumTokens;
  return {
    anthropic: createBreakpointCache(rules, nowMs, minimumOf),
    "openai-chat": createAutomaticCache(rules, nowMs),
    "openai-responses": createAutomaticCache(rules, nowMs),
  };
}

function toldOf(wire: SimulatedWire, prompt: SimulatedPrompt, promptTokens: number) {
  const { modelId, messageCount, isStreamed, toolNames, newestText } = prompt;
  return { wire: wire.name, modelId, promptTokens, messageCount, isStreamed, toolNames, newestText };
}

function outputOf(reply: SimulatedReply, textTokens: (text: string) => number) {
  let outputTokens = 0;
  let reasoningTokens = 0;
  for (const part of reply.parts) {
    const tokens = textTokens(part.type === "tool-call" ? `${part.toolName}${part.argumentsJson}` : part.text);
    outputTokens += tokens;
    if (part.type === "reasoning") reasoningTokens += tokens;
  }
  return { outputTokens, reasoningTokens };
}

function countsOf(
  promptTokens: number,
  cache: Pick<Counts, "readTokens" | "writeTokens" | "writeOneHourTokens">,
  output: Pick<Counts, "outputTokens" | "reasoningTokens">,
): Counts {
  return { promptTokens, ...cache, uncachedTokens: promptTokens - cache.readTokens - cache.writeTokens, ...output };
}
